extension Value {
    /// An object of the members that are not nil, in order.
    package static func members(_ members: [(String, Value?)]) -> Value {
        .object(Object(members.compactMap { name, value in value.map { (name, $0) } }))
    }

    /// The value's type as named in JSON Schema: `null`, `boolean`, `number`, `string`, `array` or `object`.
    ///
    /// A secret has the type of its text or number; an unknown of unknown type is `unknown`.
    public var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "boolean"
        case .integer, .double: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        case .marked(let marked): marked.typeName
        }
    }

    /// Whether this is `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The boolean, if this is one.
    public var bool: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// The integer, if this is a number without a fraction that fits 64 bits.
    public var integer: Int? {
        switch self {
        case .integer(let integer): integer
        case .double(let double, _): Int(exactly: double)
        default: nil
        }
    }

    /// The number as a double, if this is a number.
    public var double: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .double(let double, _): double
        default: nil
        }
    }

    /// The string, if this is one.
    public var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    /// The elements, if this is an array.
    public var array: [Value]? {
        if case .array(let array) = self { array } else { nil }
    }

    /// The members, if this is an object.
    public var object: Object? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The member with this name; nil if this is not an object or has no such member.
    public subscript(name: String) -> Value? { object?[name] }

    /// The element at this index; nil if this is not an array or has no such element.
    public subscript(index: Int) -> Value? {
        guard let array, array.indices.contains(index) else { return nil }
        return array[index]
    }
}
