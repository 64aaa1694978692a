/// A compiled schema: its subschemas by number, so that they may refer to each other in circles.
struct SchemaProgram: Sendable {
    /// The number of a subschema.
    typealias Index = Int

    /// What becomes a subschema when all is known about it.
    struct Draft {
        var pointer: JSONPointer
        var resource: Int
        var keywords: [Keyword] = []
        var unevaluatedProperties: Index?
        var unevaluatedItems: Index?
        var isNullable = false
        var isNever = false
    }

    /// One schema object, or `true` or `false`; a reference, because validating hands it on all the time.
    final class Subschema: Sendable {
        /// Where it stands, for messages.
        let pointer: JSONPointer
        /// The schema resource it is a part of: what `$dynamicRef` looks through.
        let resource: Int
        let keywords: [Keyword]
        /// What looks at the outcome of all the other keywords.
        let unevaluatedProperties: Index?
        let unevaluatedItems: Index?
        /// Whether `null` is valid whatever the keywords say, as OpenAPI's `nullable` has it.
        let isNullable: Bool
        /// Whether this is the schema `false`.
        let isNever: Bool

        init(_ draft: Draft) {
            pointer = draft.pointer
            resource = draft.resource
            keywords = draft.keywords
            unevaluatedProperties = draft.unevaluatedProperties
            unevaluatedItems = draft.unevaluatedItems
            isNullable = draft.isNullable
            isNever = draft.isNever
        }
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
    final class Members: Sendable {
        let named: [String: Index]
        let patterns: [(pattern: SchemaPattern, schema: Index)]
        let additional: Index?

        init(named: [String: Index], patterns: [(pattern: SchemaPattern, schema: Index)], additional: Index?) {
            self.named = named
            self.patterns = patterns
            self.additional = additional
        }
    }

    var subschemas: [Subschema] = []
    var root: Index = 0
    /// For each schema resource, its dynamic anchors.
    var dynamicAnchors: [[String: Index]] = []
}

/// A type that `type` can name.
package enum SchemaType: String, Sendable, CaseIterable {
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
