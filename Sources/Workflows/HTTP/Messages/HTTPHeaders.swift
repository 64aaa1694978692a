/// The header fields of a request or response; names are case-insensitive and keep their spelling and order.
public struct HTTPHeaders: Sendable, Hashable {
    /// The fields in order.
    public private(set) var fields: [Field] = []

    /// One header field.
    public struct Field: Sendable, Hashable {
        /// The field's name as written.
        public var name: String
        /// The field's value.
        public var value: String

        func isNamed(_ other: String) -> Bool {
            let (one, other) = (name.utf8, other.utf8)
            return one.count == other.count && zip(one, other).allSatisfy { Self.lowercased($0) == Self.lowercased($1) }
        }

        private static func lowercased(_ byte: UInt8) -> UInt8 {
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        }
    }

    /// Creates headers from names and values, in order.
    public init(_ fields: KeyValuePairs<String, String> = [:]) {
        for (name, value) in fields { append(name, value) }
    }

    /// The value of the first field with this name; setting replaces all fields with this name, nil removes them.
    public subscript(name: String) -> String? {
        get { fields.first { $0.isNamed(name) }?.value }
        set {
            let position = fields.firstIndex { $0.isNamed(name) } ?? fields.endIndex
            fields.removeAll { $0.isNamed(name) }
            if let newValue { fields.insert(Field(name: name, value: newValue), at: min(position, fields.endIndex)) }
        }
    }

    /// Adds a field, even if there is one with this name.
    public mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// All values of fields with this name, in order.
    public func values(of name: String) -> [String] {
        fields.filter { $0.isNamed(name) }.map(\.value)
    }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// Creates headers from names and values, in order.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { append(name, value) }
    }
}

extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The fields as lines, with credentials redacted.
    public var description: String {
        redacted.fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }

    /// The fields as lines, with credentials redacted.
    public var debugDescription: String { description }

    /// A mirror with credentials redacted, so `dump` shows none either.
    public var customMirror: Mirror {
        Mirror(self, unlabeledChildren: redacted.fields.map { "\($0.name): \($0.value)" }, displayStyle: .collection)
    }
}
