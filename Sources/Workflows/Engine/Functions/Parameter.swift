/// A parameter of a function: describes the argument and reads it from a call.
///
/// It is a member of a ``FunctionParameters``: the member's name and type are those of the argument. A parameter
/// without a default, and whose type is not optional, is required.
@propertyWrapper
public struct Parameter<Argument: ParameterValue>: Sendable {
    private let words: String?
    /// The JSON Schema without the default and the description; nil for that of the type.
    private let type: Object?
    /// The default; nil if an argument is required.
    private let fallback: Argument?
    private let argument = Locked<Argument?>(nil)

    /// Creates a parameter.
    /// - Parameters:
    ///   - words: What it is, in one sentence; nil if the schema says it.
    ///   - schema: The JSON Schema; by default that of the type.
    public init(_ words: String? = nil, schema: Object? = nil) {
        self.init(words, schema, fallback: Argument.omitted)
    }

    /// Creates a parameter with a default.
    /// - Parameters:
    ///   - wrappedValue: The argument if none is given.
    ///   - words: What it is, in one sentence; nil if the schema says it.
    ///   - schema: The JSON Schema; by default that of the type.
    public init(wrappedValue: Argument, _ words: String? = nil, schema: Object? = nil) {
        self.init(words, schema, fallback: wrappedValue)
    }

    private init(_ words: String?, _ schema: Object?, fallback: Argument?) {
        (self.words, type, self.fallback) = (words, schema, fallback)
    }

    /// The argument of the call.
    public var wrappedValue: Argument {
        guard let argument = argument.withLock({ $0 }) else {
            preconditionFailure("a parameter has a value only in the arguments of a call")
        }
        return argument
    }
}

extension Parameter: DeclaredParameter {
    /// The JSON Schema of what a file writes, with the default and the description.
    ///
    /// Computed, because parameters are created for each call and few calls need it.
    fileprivate var schema: Object {
        var schema = type ?? Argument.parameterSchema
        if let value = fallback?.argument, !value.isNull { schema["default"] = value }
        if let words { schema["description"] = .string(words) }
        return schema
    }

    fileprivate var isRequired: Bool { fallback == nil }

    fileprivate var value: Value { wrappedValue.argument }

    fileprivate func read(_ value: Value?, named name: String, at place: JSONPointer) throws(FunctionError) {
        guard
            let read = try value.map({ value throws(FunctionError) in
                try Argument(argument: value, at: place.appending(name))
            }) ?? fallback
        else { throw FunctionError("'\(name)' is missing", at: place) }
        argument.withLock { $0 = read }
    }
}

private protocol DeclaredParameter {
    var isRequired: Bool { get }
    var value: Value { get }
    var schema: Object { get }
    func read(_ value: Value?, named name: String, at place: JSONPointer) throws(FunctionError)
}

/// The parameters of a function, and the arguments of one call: each ``Parameter`` is a member.
public protocol FunctionParameters: ParameterValue {
    /// Creates the parameters without arguments.
    init()
}

extension FunctionParameters {
    /// The schema of an object that has these members and no others.
    public static var parameterSchema: Object {
        let parameters = Self().parameters
        let members = Object(parameters.map { ($0, .object($1.schema)) })
        return FunctionSchema.members(members, required: parameters.filter(\.1.isRequired).map(\.0))
    }

    /// Reads the arguments of a call.
    public init(argument: Value, at place: JSONPointer) throws(FunctionError) {
        self.init()
        let members = try argument.members(at: place)
        for (name, parameter) in parameters { try parameter.read(members[name], named: name, at: place) }
    }

    /// The arguments as data; those that are not given have their defaults.
    public var argument: Value {
        .object(Object(parameters.map { ($0, $1.value) }).filter { !$0.value.isNull })
    }

    init(_ input: Value) throws(FunctionError) { try self.init(argument: input, at: .root) }

    /// The parameters by name, in the order of their declaration.
    private var parameters: [(String, any DeclaredParameter)] {
        Mirror(reflecting: self).children.compactMap { member in
            guard let label = member.label, let parameter = member.value as? any DeclaredParameter else { return nil }
            // The storage of a wrapped property has an underscore before its name.
            return (String(label.dropFirst()), parameter)
        }
    }
}
