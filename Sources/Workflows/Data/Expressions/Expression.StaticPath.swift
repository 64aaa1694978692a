extension Expression {
    /// A path that an expression reads, if the source shows it, such as `$context.item.id`.
    package struct StaticPath: Sendable, Hashable {
        /// The variable at which the path starts, without `$`; nil for the expression's input.
        package let variable: String?
        package let keys: [String]
    }
}

struct StaticReads {
    private var found: [Expression.StaticPath] = []

    static func collect(_ syntax: Syntax) -> [Expression.StaticPath] {
        var reads = StaticReads()
        reads.walk(syntax, bound: [], readsInput: true)
        return reads.found
    }

    /// - Parameters:
    ///   - bound: The variables that the expression binds itself.
    ///   - readsInput: Whether `.` is the expression's input here.
    private mutating func walk(_ syntax: Syntax, bound: Set<String>, readsInput: Bool) {
        if let path = path(of: syntax, bound: bound, readsInput: readsInput) {
            if !found.contains(path) { found.append(path) }
            return
        }
        switch syntax {
        case .pipe(let parts):
            for (position, part) in parts.enumerated() {
                walk(part, bound: bound, readsInput: readsInput && position == 0)
            }
        case .bind(let source, let patterns, let body):
            walk(source, bound: bound, readsInput: readsInput)
            walk(body, bound: bound.union(patterns.flatMap(\.variables)), readsInput: readsInput)
        case .reduce(let source, let patterns, let start, let update):
            walk(source, bound: bound, readsInput: readsInput)
            walk(start, bound: bound, readsInput: readsInput)
            walk(update, bound: bound.union(patterns.flatMap(\.variables)), readsInput: false)
        case .foreach(let source, let patterns, let start, let update, let extract):
            walk(source, bound: bound, readsInput: readsInput)
            walk(start, bound: bound, readsInput: readsInput)
            let inner = bound.union(patterns.flatMap(\.variables))
            walk(update, bound: inner, readsInput: false)
            if let extract { walk(extract, bound: inner, readsInput: false) }
        case .attempt(let body, let handler):
            walk(body, bound: bound, readsInput: readsInput)
            if let handler { walk(handler, bound: bound, readsInput: false) }
        case .assign(.modify, let target, let value):
            walk(target, bound: bound, readsInput: readsInput)
            walk(value, bound: bound, readsInput: false)
        case .define(let definitions, let body):
            for definition in definitions {
                let parameters = definition.parameters.filter(\.isValue).map(\.name)
                walk(definition.body, bound: bound.union(parameters), readsInput: false)
            }
            walk(body, bound: bound, readsInput: readsInput)
        case .call(_, let arguments, _):
            // It is unknown to what a function applies its filters.
            for argument in arguments { walk(argument, bound: bound, readsInput: false) }
        default:
            for part in syntax.parts { walk(part, bound: bound, readsInput: readsInput) }
        }
    }

    private func path(of syntax: Syntax, bound: Set<String>, readsInput: Bool) -> Expression.StaticPath? {
        var keys: [String] = []
        var current = syntax
        while case .index(let target, .constant(.string(let name)), _) = current {
            keys.append(name)
            current = target
        }
        switch current {
        case .identity where readsInput && !keys.isEmpty:
            return Expression.StaticPath(variable: nil, keys: keys.reversed())
        case .variable(let name, _) where !bound.contains(name):
            return Expression.StaticPath(variable: name, keys: keys.reversed())
        default: return nil
        }
    }
}
