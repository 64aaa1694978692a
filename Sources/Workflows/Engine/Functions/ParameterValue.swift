/// The type of a ``Parameter``: its JSON Schema, and how an argument is read.
///
/// Texts, integers, booleans, data, their arrays and optionals conform. An enumeration of texts or integers conforms
/// with `extension Size: ParameterValue {}`.
public protocol ParameterValue: Sendable {
    /// The JSON Schema of an argument.
    static var parameterSchema: Object { get }

    /// Reads an argument, which matches the schema.
    /// - Parameters:
    ///   - argument: The evaluated argument.
    ///   - place: Where it is in the function's input.
    /// - Throws: The error in it, if the schema cannot express what is allowed.
    init(argument: Value, at place: JSONPointer) throws(FunctionError)

    var argument: Value { get }

    /// The value if no argument is given; nil if one is required.
    static var omitted: Self? { get }
}

extension ParameterValue {
    /// An argument must be given.
    public static var omitted: Self? { nil }
}

extension Value: ParameterValue {
    /// The schema of any data.
    public static var parameterSchema: Object { [:] }
    /// Reads any data.
    public init(argument: Value, at place: JSONPointer) { self = argument }
    /// The data themselves.
    public var argument: Value { self }
}

extension String: ParameterValue {
    /// The schema of a text that is not empty.
    public static var parameterSchema: Object { ["type": "string", "minLength": 1] }
    /// Reads a text.
    public init(argument: Value, at place: JSONPointer) throws(FunctionError) {
        self = try argument.read(\.string, as: "a string", at: place)
    }
    /// The text as data.
    public var argument: Value { .string(self) }
}

extension Bool: ParameterValue {
    /// The schema of a boolean.
    public static var parameterSchema: Object { ["type": "boolean"] }
    /// Reads a boolean.
    public init(argument: Value, at place: JSONPointer) throws(FunctionError) {
        self = try argument.read(\.bool, as: "a boolean", at: place)
    }
    /// The boolean as data.
    public var argument: Value { .bool(self) }
}

extension Int: ParameterValue {
    /// The schema of a whole number.
    public static var parameterSchema: Object { ["type": "integer"] }
    /// Reads a whole number that fits 64 bits.
    public init(argument: Value, at place: JSONPointer) throws(FunctionError) {
        self = try argument.read(\.integer, as: "a whole number of at most 64 bits", at: place)
    }
    /// The number as data.
    public var argument: Value { .integer(self) }
}

extension Array: ParameterValue where Element: ParameterValue {
    /// The schema of an array.
    public static var parameterSchema: Object { ["type": "array", "items": .object(Element.parameterSchema)] }
    /// Reads an array.
    ///
    /// A single value is read as its only element where the schema allows it or a plan does not know the array.
    public init(argument: Value, at place: JSONPointer) throws(FunctionError) {
        self = []
        guard let elements = argument.array else {
            append(try Element(argument: argument, at: place))
            return
        }
        for (position, element) in elements.enumerated() {
            append(try Element(argument: element, at: place.appending(position)))
        }
    }
    /// The array as data.
    public var argument: Value { .array(map(\.argument)) }
}

extension Optional: ParameterValue where Wrapped: ParameterValue {
    /// The schema of an argument that is given.
    public static var parameterSchema: Object { Wrapped.parameterSchema }
    /// Reads an argument; null counts as absent.
    public init(argument: Value, at place: JSONPointer) throws(FunctionError) {
        self = argument.isNull ? nil : try Wrapped(argument: argument, at: place)
    }
    /// The argument as data; null if there is none.
    public var argument: Value { self?.argument ?? .null }
    /// An argument can be left out.
    public static var omitted: Self? { .some(nil) }
}

extension ParameterValue where Self: RawRepresentable & CaseIterable, RawValue: ParameterValue {
    /// The schema of one of a few words or numbers.
    public static var parameterSchema: Object {
        var schema: Object = [:]
        schema["type"] = RawValue.parameterSchema["type"]
        schema["enum"] = .array(allCases.map(\.rawValue.argument))
        return schema
    }
    /// Reads one of the words or numbers.
    public init(argument: Value, at place: JSONPointer) throws(FunctionError) {
        guard let choice = Self(rawValue: try RawValue(argument: argument, at: place)) else {
            let words = Self.allCases.map { $0.rawValue.argument.scalarText ?? "" }
            throw FunctionError(
                "must be one of \(words.joined(separator: ", "))", at: place,
                hint: argument.string.flatMap { Diagnostic.didYouMean($0, among: words) })
        }
        self = choice
    }
    /// The word or number as data.
    public var argument: Value { rawValue.argument }
}

extension Value {
    /// The value as people write it, for text, numbers and booleans.
    var scalarText: String? {
        switch self {
        case .string(let text): text
        case .integer, .double, .bool: json()
        case .null, .array, .object, .marked: nil
        }
    }

    func scalarText(at place: JSONPointer) throws(FunctionError) -> String {
        guard let scalarText else {
            throw FunctionError("must be a string, a number or a boolean, but is a \(typeName)", at: place)
        }
        return scalarText
    }

    func members(at place: JSONPointer) throws(FunctionError) -> Object {
        try read(\.object, as: "an object", at: place)
    }

    fileprivate func read<Argument>(
        _ argument: (Value) -> Argument?, as type: String, at place: JSONPointer
    ) throws(FunctionError) -> Argument {
        guard let argument = argument(self) else {
            throw FunctionError("must be \(type), but is a \(typeName)", at: place)
        }
        return argument
    }
}
