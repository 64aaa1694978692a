extension Expression {
    package struct Construction: Sendable, Hashable {
        /// What the object is added to: `.`, or a variable's name without `$`; nil for the object alone.
        package let base: String?
        package let names: [String]
    }

    /// The construction in `{ a: … }`, `. + { a: … }` and `$context + { a: … }`; nil for every other expression.
    package var construction: Construction? {
        guard let syntax else { return nil }
        switch syntax {
        case .binary(.add, .identity, let right): return right.constantNames.map { Construction(base: ".", names: $0) }
        case .binary(.add, .variable(let name, _), let right):
            return right.constantNames.map { Construction(base: name, names: $0) }
        default: return syntax.constantNames.map { Construction(base: nil, names: $0) }
        }
    }
}

extension Syntax {
    /// Nil if a name is computed, or for any other expression.
    fileprivate var constantNames: [String]? {
        guard case .object(let members) = self else { return nil }
        var names: [String] = []
        for member in members {
            switch member.key {
            case .constant(.string(let name)): names.append(name)
            case .string(_, let pieces):
                guard pieces.count == 1, case .text(let name)? = pieces.first else { return nil }
                names.append(name)
            default: return nil
            }
        }
        return names
    }
}
