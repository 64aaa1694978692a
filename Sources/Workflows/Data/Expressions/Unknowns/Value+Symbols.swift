extension Value {
    /// Whether any string in it contains an unknown.
    package var holdsSymbol: Bool {
        switch self {
        case .string(let text): text.contains("‹")
        case .array(let elements): elements.contains(where: \.holdsSymbol)
        case .object(let members): members.contains { $0.value.holdsSymbol }
        case .null, .bool, .integer, .double, .marked: false
        }
    }

    /// Whether it is an array of unknown length, which holds one example element.
    package var isOpenArray: Bool {
        guard case .array(let elements) = self, elements.count == 1, let first = elements.first else { return false }
        return first.holdsOpenSymbol
    }

    private var holdsOpenSymbol: Bool {
        switch self {
        case .string(let text): text.contains("‹") && text.contains("[]")
        case .array(let elements): elements.contains(where: \.holdsOpenSymbol)
        case .object(let members): members.contains { $0.value.holdsOpenSymbol }
        case .null, .bool, .integer, .double, .marked: false
        }
    }

    /// The data with unknowns for members that a service's response may have beyond its example's.
    func withUnknownMembers(_ names: Set<String>) -> Value {
        guard !names.isEmpty else { return self }
        switch self {
        case .array(let elements):
            return holdsSymbol ? .array(elements.map { $0.withUnknownMembers(names) }) : self
        case .object(let members):
            guard holdsSymbol else { return self }
            var all = Object(members.map { ($0.key, $0.value.withUnknownMembers(names)) })
            guard let id = members["id"]?.string, id.isSymbol, id.hasSuffix(".id›") else { return .object(all) }
            let answer = id.symbolName.dropLast(3)
            for name in names.sorted() where all[name] == nil {
                all[name] = .string("‹\(answer).\(name.asSymbolName)›")
            }
            return .object(all)
        case .null, .bool, .integer, .double, .string, .marked: return self
        }
    }

    /// The data if it is either this value or the other one: the common parts, and unknowns for the rest.
    /// - Parameters:
    ///   - other: The alternative.
    ///   - symbol: A new unknown for the given path, such as `.photo.size` or an empty one.
    package func joined(with other: Value, symbol: (String) -> String) -> Value { joined(with: other, at: "", symbol) }

    private func joined(with other: Value, at path: String, _ symbol: (String) -> String) -> Value {
        guard self != other else { return self }
        switch (self, other) {
        case (.object(let mine), .object(let theirs)):
            // Bytes that are either the service's or known keep the service's unknown.
            for (one, two) in [(self, other), (other, self)] where two["blob"] != nil {
                if one["blob"]?.string?.isSymbol == true { return one }
            }
            var members = Object()
            for (name, value) in mine {
                let inside = "\(path).\(name.asSymbolName)"
                members[name] =
                    theirs[name].map { value.joined(with: $0, at: inside, symbol) } ?? .string(symbol(inside))
            }
            for name in theirs.keys where mine[name] == nil {
                members[name] = .string(symbol("\(path).\(name.asSymbolName)"))
            }
            return .object(members)
        case (.array(let mine), .array(let theirs)) where mine.count == theirs.count && !mine.isEmpty:
            // The number of elements stays open.
            let path = isOpenArray || other.isOpenArray ? "\(path)[]" : path
            return .array(zip(mine, theirs).map { $0.joined(with: $1, at: path, symbol) })
        case (.array, .array):
            if isOpenArray { return self }
            if other.isOpenArray { return other }
            return .string(symbol(path))
        default: return .string(symbol(path))
        }
    }
}

extension String {
    /// Whether the text is exactly one unknown.
    package var isSymbol: Bool { hasPrefix("‹") && hasSuffix("›") && !dropFirst().contains("‹") }

    /// The name of the unknown.
    package var symbolName: String { String(dropFirst().dropLast()) }

    /// The unknown for a member of this one.
    package func member(_ name: String) -> String { "‹\(symbolName).\(name)›" }

    /// The text as a name for an unknown, without the characters that delimit it.
    package var asSymbolName: String { String(map { "‹›".contains($0) ? "_" : $0 }) }
}

extension JSONSchema.Violation {
    /// Whether the invalid value contains unknowns, so that the violation is uncertain.
    package func isAboutSymbol(in data: Value) -> Bool { data[instance]?.holdsSymbol ?? false }
}
