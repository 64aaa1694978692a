/// Built-in functions defined in jq itself, in `prelude.jq`; each is compiled on its first call in an expression.
enum Prelude {
    /// The definitions by name and arity: `nth/2`.
    static let sources: [String: String] = String(decoding: PackageResources.prelude_jq, as: UTF8.self)
        .components(separatedBy: "\n\n").dropFirst().reduce(into: [:]) { sources, source in
            let head = source.dropFirst("def ".count).prefix { $0 != ":" }
            let arity = head.contains("(") ? head.count { $0 == ";" } + 1 : 0
            sources["\(head.prefix { $0 != "(" })/\(arity)"] = source
        }
}
