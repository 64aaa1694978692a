/// A place inside data, as RFC 6901 writes it: `/do/0/getPhoto/with/size`.
public struct JSONPointer: Sendable, Hashable {
    /// The names and positions on the way from the root; none stands for the whole data.
    public var tokens: [String]

    /// The whole data.
    public static let root = JSONPointer([])

    /// Creates a pointer from its unescaped tokens.
    public init(_ tokens: [String]) { self.tokens = tokens }

    /// Reads a pointer as RFC 6901 writes it; nil for what is none.
    package init?(rfc6901 text: String) {
        guard text.isEmpty || text.hasPrefix("/") else { return nil }
        var tokens: [String] = []
        for token in text.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            let parts = token.split(separator: "~", omittingEmptySubsequences: false)
            var plain = String(parts[0])
            for part in parts.dropFirst() {
                switch part.first {
                case "0": plain += "~" + part.dropFirst()
                case "1": plain += "/" + part.dropFirst()
                default: return nil
                }
            }
            tokens.append(plain)
        }
        self.init(tokens)
    }

    /// The place of a member of what this points at.
    public func appending(_ name: String) -> JSONPointer { JSONPointer(tokens + [name]) }

    /// The place of an element of what this points at.
    public func appending(_ position: Int) -> JSONPointer { JSONPointer(tokens + [String(position)]) }

    /// The place of what this points at's container; nil for the root.
    public var parent: JSONPointer? { tokens.isEmpty ? nil : JSONPointer(Array(tokens.dropLast())) }
}

extension JSONPointer: CustomStringConvertible {
    /// The pointer as RFC 6901 writes it, with `~` and `/` inside a token escaped.
    public var description: String {
        tokens.map { token in
            var escaped = "/"
            for character in token {
                switch character {
                case "~": escaped += "~0"
                case "/": escaped += "~1"
                default: escaped.append(character)
                }
            }
            return escaped
        }.joined()
    }
}

extension Value {
    /// What the pointer points at, or nil where nothing is there.
    public subscript(pointer: JSONPointer) -> Value? {
        var value = self
        for token in pointer.tokens {
            switch value {
            case .object(let object):
                guard let member = object[token] else { return nil }
                value = member
            case .array(let array):
                guard let position = Int(token), array.indices.contains(position) else { return nil }
                value = array[position]
            default: return nil
            }
        }
        return value
    }
}
