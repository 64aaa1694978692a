internal import GraphModel

/// Properties of Graph that the sandbox may not simulate; it says so instead of denying that they exist.
enum GraphProperties {
    static func unknown(_ name: some StringProtocol, on type: String, code: String = "BadRequest") -> SandboxError {
        GraphModel.definition(named: type.dropFirst("microsoft.graph.".count))?.member(name) != nil
            ? .notPlayed("the property \(name) of \(type)")
            : .badRequest("Could not find a property named '\(name)' on type '\(type)'.", code: code)
    }
}
