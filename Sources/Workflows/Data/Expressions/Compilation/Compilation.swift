struct Compilation: Sendable {
    let program: Program
    let variableReads: [Expression.VariableRead]
    let reads: [Expression.StaticPath]
    /// Nil if only a large stack is certain to suffice for it.
    let syntax: Syntax?

    /// Compiles on the calling thread, or on a larger stack if the expression is deeply nested.
    static func run(_ source: String) -> Result<Compilation, ExpressionError> {
        if let result = attempt(source, StackMark()) { return result }
        if let result = StackMark.onLargeStack({ stack in attempt(source, stack) }), let result { return result }
        return .failure(ExpressionError("the expression is nested too deeply"))
    }

    private static func attempt(_ source: String, _ stack: StackMark) -> Result<Compilation, ExpressionError>? {
        do throws(ExpressionError) {
            var parser = try Parser(source, stack: stack)
            let syntax: Syntax
            do throws(ExpressionError) {
                syntax = try parser.expression()
            } catch {
                if parser.ranOutOfStack { return nil }
                throw error
            }
            if parser.isDeep, !stack.isLarge { return nil }
            var compiler = Compiler(stack: stack)
            do throws(ExpressionError) {
                let program = try compiler.program(syntax, isDeep: parser.isDeep)
                return .success(
                    Compilation(
                        program: program, variableReads: compiler.variableReads, reads: StaticReads.collect(syntax),
                        syntax: parser.isDeep ? nil : syntax))
            } catch {
                if compiler.ranOutOfStack { return nil }
                throw error
            }
        } catch {
            return .failure(error)
        }
    }
}

final class Program: Sendable {
    let root: any Node
    /// Function bodies, which calls refer to by index; direct references would form cycles.
    let functions: [any Node]
    /// The names of outside variables, at the indices by which nodes read them.
    let globals: [String]
    /// Whether only a large stack is certain to suffice for its nodes.
    let isDeep: Bool

    init(root: any Node, functions: [any Node], globals: [String], isDeep: Bool) {
        self.isDeep = isDeep
        self.root = root
        self.functions = functions
        self.globals = globals
    }
}
