import Testing
import WorkflowData

/// The examples of jq's manual, except for those about the environment and about decimals beyond a double.
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

    @Test(arguments: JqCase.newer) func `what jq 1.8 changed`(_ example: JqCase) throws { try example.check() }

    @Test(arguments: ["$ENV.PAGER", "env.PAGER", "def f: env; 1"])
    func `the environment is refused, and where values come from is said`(_ program: String) {
        let error = #expect(throws: ExpressionError.self) { try Expression(program) }
        #expect(error?.message.hasSuffix("values come from the input, variables and secrets") == true)
    }

    /// A function's outputs are passed on from inside its call, unless it is known that there is only one.
    @Test func `recursion is as deep as its calls are nested, however many calls there are`() throws {
        let fibonacci = "def fib: if . < 2 then . else (. - 1 | fib) + (. - 2 | fib) end; fib"
        #expect(try Expression(fibonacci).evaluate(21) == [10_946])
        let both = "def f: def g: if . < 1 then 1 else (. - 1 | g) * (. - 1 | f) end; g; f"
        #expect(try Expression(both).evaluate(10) == [1])
        // With several outputs, or none, the function is not taken for one with a single output.
        let several = "def f: if . == 0 then 1, 2 else (. - 1 | f) + 1 end; [f]"
        #expect(try Expression(several).evaluate(3) == [[4, 5]])
        let none = "def f: if . == 0 then empty else (. - 1 | f) + 1 end; [f]"
        #expect(try Expression(none).evaluate(3) == [[]])
    }

    @Test func `a call in the last place takes no depth`() throws {
        let count = "def count: if . < 100000 then . + 1 | count else . end; count"
        #expect(try Expression(count).evaluate(0) == [100_000])
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
