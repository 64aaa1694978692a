/// Data as JSON knows it: what a workflow file holds and what flows between its tasks.
///
/// Integers that fit 64 bits stay exact; every other number is a double. An object keeps the order of insertion.
public enum Value: Sendable {
    /// JSON's `null`.
    case null
    /// JSON's `true` or `false`.
    case bool(Bool)
    /// A number without fraction or exponent that fits 64 bits.
    case integer(Int)
    /// Any other number.
    case double(Double)
    /// A text.
    case string(String)
    /// A list of values.
    case array([Value])
    /// Names with their values, in order of insertion.
    case object(Object)
}

extension Value: Hashable {
    /// Whether both stand for the same data: `1` equals `1.0`, and the order of an object's names does not count.
    public static func == (left: Value, right: Value) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.integer(let left), .double(let right)), (.double(let right), .integer(let left)): Double(left) == right
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    /// Feeds the essential parts of the value to the hasher, alike for equal values.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let bool): hasher.combine(bool)
        case .integer(let integer): hasher.combine(Double(integer))
        case .double(let double): hasher.combine(double)
        case .string(let string): hasher.combine(string)
        case .array(let array): hasher.combine(array)
        case .object(let object): hasher.combine(object)
        }
    }
}

extension Value: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates `null`.
    public init(nilLiteral: ()) { self = .null }

    /// Creates a boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// Creates an integer.
    public init(integerLiteral value: Int) { self = .integer(value) }

    /// Creates a number with a fraction.
    public init(floatLiteral value: Double) { self = .double(value) }

    /// Creates a text.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Creates an array.
    public init(arrayLiteral elements: Value...) { self = .array(elements) }

    /// Creates an object; of a name that is given twice, the last value counts.
    public init(dictionaryLiteral elements: (String, Value)...) { self = .object(Object(elements)) }
}
