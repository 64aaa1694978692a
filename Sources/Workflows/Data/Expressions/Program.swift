/// An expression in its compiled form.
final class Program: Sendable {
    let root: any Node
    /// The bodies of the functions that calls name by their position; a reference would be a cycle.
    let functions: [any Node]
    /// The names of the variables that are bound outside, by the position under which nodes read them.
    let globals: [String]
    /// Whether its nodes are nested so deep that only a large stack surely suffices.
    let isDeep: Bool

    init(root: any Node, functions: [any Node], globals: [String], isDeep: Bool) {
        self.isDeep = isDeep
        self.root = root
        self.functions = functions
        self.globals = globals
    }
}
