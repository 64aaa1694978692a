/// The names that an expression calls without arguments; they may be filter parameters.
enum FilterNames {
    static func called(in syntax: Syntax) -> Set<String> {
        var names: Set<String> = []
        collect(syntax, &names)
        return names
    }

    private static func collect(_ syntax: Syntax, _ names: inout Set<String>) {
        if case .call(let name, let arguments, _) = syntax, arguments.isEmpty { names.insert(name) }
        for part in syntax.parts { collect(part, &names) }
    }
}

extension Syntax {
    var parts: [Syntax] {
        switch self {
        case .identity, .descend, .constant, .format, .variable, .location, .leave: []
        case .string(_, let pieces):
            pieces.compactMap { piece in
                if case .interpolation(let syntax) = piece { syntax } else { nil }
            }
        case .index(let target, let key, _): [target, key]
        case .slice(let target, let from, let to, _): [target, from, to].compactMap(\.self)
        case .iterate(let body, _), .negate(let body), .label(_, let body): [body]
        case .array(let body): body.map { [$0] } ?? []
        case .object(let members): members.flatMap { [$0.key, $0.value] }
        case .pipe(let parts), .comma(let parts), .call(_, let parts, _): parts
        case .binary(_, let left, let right), .assign(_, let left, let right): [left, right]
        case .conditional(let branches, let otherwise):
            branches.flatMap { [$0.condition, $0.result] } + (otherwise.map { [$0] } ?? [])
        case .attempt(let body, let handler): [body] + (handler.map { [$0] } ?? [])
        case .reduce(let source, let patterns, let start, let update):
            [source, start, update] + patterns.flatMap(\.keys)
        case .foreach(let source, let patterns, let start, let update, let extract):
            [source, start, update] + (extract.map { [$0] } ?? []) + patterns.flatMap(\.keys)
        case .bind(let source, let patterns, let body): [source, body] + patterns.flatMap(\.keys)
        case .define(let definitions, let body): definitions.map(\.body) + [body]
        }
    }
}

extension Syntax.Pattern {
    var keys: [Syntax] {
        switch self {
        case .variable: []
        case .array(let elements): elements.flatMap(\.keys)
        case .object(let members):
            members.flatMap { member in (member.key.map { [$0] } ?? []) + (member.pattern?.keys ?? []) }
        }
    }

    var variables: [String] {
        switch self {
        case .variable(let name): [name]
        case .array(let elements): elements.flatMap(\.variables)
        case .object(let members):
            members.flatMap { member in (member.variable.map { [$0] } ?? []) + (member.pattern?.variables ?? []) }
        }
    }
}
