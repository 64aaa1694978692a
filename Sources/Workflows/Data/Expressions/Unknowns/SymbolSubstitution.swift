/// Replaces unknowns with other values, to find out which parts of an expression's result depend on them.
struct SymbolSubstitution {
    private enum Replacement {
        /// Another unknown, so that copied values can be recognised.
        case renamed
        /// A value for every unknown.
        case value(Value)
        /// A value for every second unknown, chosen by the length of its name, and another unknown for the rest.
        case some(Value, from: Int)
    }

    /// The number of elements in an array of unknown length, whose data holds one example.
    private let count: Int
    private let replacement: Replacement
    /// The time of the clock, in seconds since 1970.
    let moment: Double

    /// All substitutions to try, including the values that the expression compares with.
    static func all(comparedWith constants: [Value]) -> [SymbolSubstitution] {
        var all = [
            SymbolSubstitution(count: 2, replacement: .renamed, moment: 1e9),
            SymbolSubstitution(count: 0, replacement: .value(.null), moment: 2e9),
            SymbolSubstitution(count: 1, replacement: .value("A1@x.y"), moment: 1e9),
            SymbolSubstitution(count: 1, replacement: .value(""), moment: 1e9),
            SymbolSubstitution(count: 3, replacement: .value(0), moment: 1e9),
            SymbolSubstitution(count: 1, replacement: .value(1_000_000_007), moment: 1e9),
            SymbolSubstitution(count: 1, replacement: .value(true), moment: 1e9),
            SymbolSubstitution(count: 1, replacement: .value(false), moment: 1e9),
        ]
        for constant in constants {
            for replacement in [.value(constant), .some(constant, from: 0), .some(constant, from: 1)] as [Replacement] {
                all.append(SymbolSubstitution(count: 1, replacement: replacement, moment: 1e9))
            }
        }
        return all
    }

    /// The data with unknowns replaced.
    func apply(_ data: Value) -> Value {
        switch data {
        case .string(let text): return text.contains("‹") ? value(of: text) : data
        case .array(let elements):
            guard data.isOpenArray, let element = elements.first.map(apply) else {
                return .array(elements.map(apply))
            }
            return .array(Array(repeating: element, count: count))
        case .object(let members): return .object(Object(members.map { ($0.key, apply($0.value)) }))
        case .null, .bool, .integer, .double, .marked: return data
        }
    }

    /// The substitutions that replace every unknown with one value.
    static func values(comparedWith constants: [Value]) -> [SymbolSubstitution] {
        all(comparedWith: constants).filter { if case .value = $0.replacement { true } else { false } }
    }

    /// A completely unknown result.
    static let unknown = Value.string(mark)

    /// Marks a part of a result that differs with other values; followed by its path.
    private static let mark = "‹\u{0}"

    /// The parts of the result that agree with the other one, with marks for the rest, which ``named(_:_:)`` replaces.
    func compare(_ result: Value, _ other: Value, at path: String = "") -> Value {
        let unknown = Value.string("\(Self.mark)\(path)")
        switch result {
        case .string(let text) where text.hasPrefix(Self.mark): return result
        case .string(let text) where text.contains("‹"):
            // How null or a number appears inside a text is up to the expression.
            guard let expected = expected(text) else { return result }
            return expected == other ? result : unknown
        case .object(let members):
            guard case .object(let others) = other else {
                return result.holdsSymbol ? result : unknown
            }
            var compared = Object()
            for (name, value) in members {
                let inside = "\(path).\(name.asSymbolName)"
                compared[name] = others[name].map { compare(value, $0, at: inside) } ?? .string("\(Self.mark)\(inside)")
            }
            return .object(compared)
        case .array(let elements):
            guard case .array(let others) = other else {
                return result.holdsSymbol ? result : unknown
            }
            if result.isOpenArray {
                guard let element = elements.first, let other = others.first else { return result }
                return [compare(element, other, at: path)]
            }
            guard elements.count == others.count else { return unknown }
            return .array(zip(elements, others).map { compare($0, $1, at: path) })
        case .null, .bool, .integer, .double, .string, .marked:
            return result == other ? result : unknown
        }
    }

    /// A result with new unknowns in place of the marks.
    static func named(_ result: Value, _ symbol: (String) -> String) -> Value {
        switch result {
        case .string(let text):
            text.hasPrefix(mark) ? .string(symbol(String(text.unicodeScalars.dropFirst(2)))) : result
        case .array(let elements): .array(elements.map { named($0, symbol) })
        case .object(let members): .object(Object(members.map { ($0.key, named($0.value, symbol)) }))
        case .null, .bool, .integer, .double, .marked: result
        }
    }

    private func value(of text: String) -> Value {
        switch replacement {
        case .renamed: return .string(Self.renamed(text))
        case .value(let value): return value
        case .some(let value, let from):
            return (text.unicodeScalars.count + from).isMultiple(of: 2) ? value : .string(Self.renamed(text))
        }
    }

    /// The text that results if it is only copied; nil if that is uncertain.
    private func expected(_ text: String) -> Value? {
        if case .renamed = replacement { return .string(Self.renamed(text)) }
        // A literal nil would be null, which is a value.
        guard text.isSymbol else { return Optional<Value>.none }
        return value(of: text)
    }

    private static func renamed(_ text: String) -> String { text.replacing("›", with: "′›") }
}
