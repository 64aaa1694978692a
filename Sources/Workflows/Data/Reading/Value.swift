/// JSON data: the content of a workflow file, and the data that flows between tasks.
///
/// Integers that fit 64 bits stay exact. All other numbers are doubles, which keep their written digits until they are
/// used in a calculation. Objects keep the order of insertion.
public enum Value: Sendable {
    /// JSON's `null`.
    case null
    /// JSON's `true` or `false`.
    case bool(Bool)
    /// A number without fraction or exponent that fits 64 bits.
    case integer(Int)
    /// Any other number, with its digits if they were written differently from the double.
    case double(Double, written: WrittenNumber? = nil)
    /// A string.
    case string(String)
    /// A list of values.
    case array([Value])
    /// Names with their values, in order of insertion.
    case object(Object)
    /// An unknown of a plan, a secret, or a text that contains one.
    ///
    /// No function gets it in a run.
    case marked(Marked)
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

    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Creates an array.
    public init(arrayLiteral elements: Value...) { self = .array(elements) }

    /// Creates an object; if a name is given twice, the last value counts.
    public init(dictionaryLiteral elements: (String, Value)...) { self = .object(Object(elements)) }
}
