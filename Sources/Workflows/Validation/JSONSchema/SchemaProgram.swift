/// A compiled schema: its subschemas by number, so that they may refer to each other in circles.
struct SchemaProgram: Sendable {
    /// The number of a subschema.
    typealias Index = Int

    /// One schema object, or `true` or `false`.
    struct Subschema: Sendable {
        /// Where it stands, for messages.
        var pointer: JSONPointer
        /// The schema resource it is a part of: what `$dynamicRef` looks through.
        var resource: Int
        var keywords: [Keyword] = []
        /// What looks at the outcome of all the other keywords.
        var unevaluatedProperties: Index?
        var unevaluatedItems: Index?
        /// Whether `null` is valid whatever the keywords say, as OpenAPI's `nullable` has it.
        var isNullable = false
        /// Whether this is the schema `false`.
        var isNever = false
    }

    /// What a subschema demands; each case is a keyword, or a group of keywords that only make sense together.
    enum Keyword: Sendable {
        case type([SchemaType])
        case allowed([Value])
        case const(Value)
        case multipleOf(Value)
        case limit(Limit, Value)
        case length(SizeLimit, Int)
        case pattern(SchemaPattern)
        case format(SchemaFormat)

        case itemCount(SizeLimit, Int)
        case uniqueItems
        case items(prefix: [Index], rest: Index?)
        case contains(Index, minimum: Int, maximum: Int?)

        case propertyCount(SizeLimit, Int)
        case required([String])
        case dependentRequired([String: [String]])
        case dependentSchemas([String: Index])
        case members(Members)
        case propertyNames(Index)

        case reference(Index)
        case dynamicReference(Index, anchor: String)
        case all([Index])
        case any([Index])
        case one([Index])
        case not(Index)
        case condition(if: Index, then: Index?, else: Index?)

        /// Whether a value that contradicts it is meant to be something else altogether.
        var isDecisive: Bool {
            switch self {
            case .type, .allowed, .const, .required: true
            default: false
            }
        }
    }

    /// A bound of a number.
    enum Limit: String, Sendable { case minimum, maximum, exclusiveMinimum, exclusiveMaximum }

    /// A bound of a length or count.
    enum SizeLimit: Sendable { case minimum, maximum }

    /// `properties`, `patternProperties` and `additionalProperties`.
    struct Members: Sendable {
        var named: [String: Index] = [:]
        var patterns: [(pattern: SchemaPattern, schema: Index)] = []
        var additional: Index?
    }

    var subschemas: [Subschema] = []
    var root: Index = 0
    /// For each schema resource, its dynamic anchors.
    var dynamicAnchors: [[String: Index]] = []
    /// Whether any subschema asks what the others have evaluated.
    var tracksEvaluated = false
}

/// A type that `type` can name.
enum SchemaType: String, Sendable, CaseIterable {
    case null, boolean, object, array, number, string, integer

    /// The type of a value.
    init?(of value: Value) { self.init(rawValue: value.typeName) }

    func contains(_ value: Value) -> Bool {
        switch (self, value) {
        case (.null, .null), (.boolean, .bool), (.object, .object), (.array, .array), (.string, .string),
            (.number, .integer), (.number, .double), (.integer, .integer):
            true
        case (.integer, .double(let double)): double.isFinite && double.rounded() == double
        default: false
        }
    }
}
