import Testing
import WorkflowData

/// The examples of the jq 1.7 manual, except for those about the environment and about decimals beyond a double.
struct `Examples of jq's manual` {
    @Test(arguments: JqCase.basic) func `basic filters`(_ example: JqCase) throws { try example.check() }

    @Test(arguments: JqCase.functions) func `operators and functions`(_ example: JqCase) throws { try example.check() }

    @Test(arguments: JqCase.conditionals) func conditionals(_ example: JqCase) throws { try example.check() }

    @Test(arguments: JqCase.regularExpressions) func `regular expressions`(_ example: JqCase) throws {
        try example.check()
    }

    @Test(arguments: JqCase.advanced) func `advanced features`(_ example: JqCase) throws { try example.check() }

    @Test(arguments: JqCase.streaming) func streaming(_ example: JqCase) throws { try example.check() }

    @Test(arguments: JqCase.assignment) func assignment(_ example: JqCase) throws { try example.check() }

    @Test(arguments: JqCase.semantics) func `what the manual leaves open`(_ example: JqCase) throws {
        try example.check()
    }

    @Test(arguments: ["$ENV.PAGER", "env.PAGER"]) func `the environment is empty`(_ program: String) throws {
        #expect(try Expression(program).evaluate(nil) == [nil])
    }

    @Test(arguments: [
        "input", "inputs", "input_filename", "halt", "halt_error", "\"x\" | halt_error(1)", "import \"a\" as a; a::b",
        "include \"a\"; b", "modulemeta", "get_search_list",
    ])
    func `what is left out is refused with the reason`(_ program: String) {
        let error = #expect(throws: ExpressionError.self) { try Expression(program) }
        #expect(error?.message.contains("not available") == true)
    }
}
