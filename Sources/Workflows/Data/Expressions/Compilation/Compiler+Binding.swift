extension Compiler {
    mutating func binding(_ syntax: Syntax, _ scope: Scope) throws(ExpressionError) -> any Node {
        switch syntax {
        case .bind(let source, let patterns, let body):
            let source = try compile(source, scope)
            let (binder, inner) = try bind(patterns, scope)
            return BindNode(source, binder, body: try compile(body, inner))
        case .reduce(let source, let patterns, let start, let update):
            let source = try compile(source, scope)
            let (binder, inner) = try bind(patterns, scope)
            let start = try compile(start, scope)
            return ReduceNode(source, binder, start: start, update: try compile(update, inner))
        case .foreach(let source, let patterns, let start, let update, let extract):
            let source = try compile(source, scope)
            let (binder, inner) = try bind(patterns, scope)
            let start = try compile(start, scope)
            let update = try compile(update, inner)
            guard let extract else { return ForeachNode(source, binder, start: start, update: update, extract: nil) }
            return ForeachNode(source, binder, start: start, update: update, extract: try compile(extract, inner))
        default: return IdentityNode()
        }
    }

    private mutating func bind(
        _ patterns: [Syntax.Pattern], _ scope: Scope
    ) throws(ExpressionError) -> (Binder, Scope) {
        var names: [String] = []
        for name in patterns.flatMap(\.variables) where !names.contains(name) { names.append(name) }
        let inner = names.reduce(scope) { $0.adding(.variable($1)) }
        var compiled: [Binder.Pattern] = []
        for pattern in patterns { compiled.append(try self.pattern(pattern, names, inner)) }
        return (Binder(compiled, count: names.count), inner)
    }

    private mutating func pattern(
        _ pattern: Syntax.Pattern, _ names: [String], _ scope: Scope
    ) throws(ExpressionError) -> Binder.Pattern {
        switch pattern {
        case .variable(let name): return .variable(slot: names.firstIndex(of: name) ?? 0)
        case .array(let elements):
            var compiled: [Binder.Pattern] = []
            for element in elements { compiled.append(try self.pattern(element, names, scope)) }
            return .array(compiled)
        case .object(let members):
            var compiled: [(key: any Node, slot: Int?, pattern: Binder.Pattern?)] = []
            for member in members {
                let key = try compile(member.key ?? .constant(.string(member.variable ?? "")), scope)
                let slot = member.variable.flatMap { names.firstIndex(of: $0) }
                var inner: Binder.Pattern?
                if let further = member.pattern { inner = try self.pattern(further, names, scope) }
                compiled.append((key, slot, inner))
            }
            return .object(compiled)
        }
    }
}
