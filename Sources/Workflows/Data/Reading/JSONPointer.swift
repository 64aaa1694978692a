/// A path in data, as a JSON Pointer (RFC 6901): `/do/0/getPhoto/with/size`.
public struct JSONPointer: Sendable, Hashable {
    /// The names and indices from the root; empty for the whole data.
    public var tokens: [String]

    /// The whole data.
    public static let root = JSONPointer([])

    /// Creates a pointer from its unescaped tokens.
    public init(_ tokens: [String]) { self.tokens = tokens }

    /// Parses a pointer in the form of RFC 6901; nil if it is not valid.
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

    /// The pointer to a member of the value at this one.
    public func appending(_ name: String) -> JSONPointer { JSONPointer(tokens + [name]) }

    /// The pointer to an element of the value at this one.
    public func appending(_ position: Int) -> JSONPointer { JSONPointer(tokens + [String(position)]) }

    /// The pointer to the enclosing object or array; nil for the root.
    public var parent: JSONPointer? { tokens.isEmpty ? nil : JSONPointer(Array(tokens.dropLast())) }
}

extension JSONPointer: CustomStringConvertible {
    /// The pointer in the form of RFC 6901, with `~` and `/` inside a token escaped.
    public var description: String {
        var text = ""
        for token in tokens {
            text += "/"
            guard token.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
                text += token
                continue
            }
            for scalar in token.unicodeScalars {
                switch scalar {
                case "~": text += "~0"
                case "/": text += "~1"
                default: text.unicodeScalars.append(scalar)
                }
            }
        }
        return text
    }
}

extension Value {
    /// The value at the pointer; nil if there is none.
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
