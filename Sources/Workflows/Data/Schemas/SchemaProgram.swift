/// A compiled schema, whose subschemas refer to each other by number, which allows cycles.
struct SchemaProgram: Sendable {
    typealias Index = Int

    struct Draft {
        var pointer: JSONPointer
        var resource: Int
        var keywords: [Keyword] = []
        var unevaluatedProperties: Index?
        var unevaluatedItems: Index?
        var isNullable = false
        var isNever = false
    }

    /// One schema object, or `true` or `false`; a class, because validation passes it around constantly.
    final class Subschema: Sendable {
        let pointer: JSONPointer
        /// The enclosing schema resource, for `$dynamicRef`.
        let resource: Int
        let keywords: [Keyword]
        /// The keywords that depend on the outcome of all others.
        let unevaluatedProperties: Index?
        let unevaluatedItems: Index?
        /// Whether `null` is always valid, as with OpenAPI's `nullable`.
        let isNullable: Bool
        let isNever: Bool
        let weight: Int

        init(_ draft: Draft) {
            pointer = draft.pointer
            resource = draft.resource
            keywords = draft.keywords
            unevaluatedProperties = draft.unevaluatedProperties
            unevaluatedItems = draft.unevaluatedItems
            isNullable = draft.isNullable
            isNever = draft.isNever
            weight = draft.keywords.reduce(0) { $0 + $1.weight }
        }
    }

    /// A requirement of a subschema: a keyword, or a group of keywords that depend on each other.
    enum Keyword: Sendable {
        case type([SchemaType])
        case allowed(ValueIndex)
        case const(Value)
        case multipleOf(Value)
        case limit(Limit, Value)
        case length(SizeLimit, Int)
        case pattern(SchemaPattern, example: String?)
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

        fileprivate var weight: Int {
            switch self {
            case .const(let value): value.nodeCount
            case .required(let names): names.count >> 4
            case .dependentRequired(let needed): needed.values.reduce(needed.count) { $0 + $1.count } >> 4
            case .dependentSchemas(let schemas): schemas.count >> 4
            default: 0
            }
        }

        var isLogic: Bool {
            switch self {
            case .reference, .dynamicReference, .all, .any, .one, .not, .condition: true
            default: false
            }
        }

        /// Whether a violation shows that the value is meant for another alternative.
        var isDecisive: Bool {
            switch self {
            case .type, .allowed, .const, .required: true
            default: false
            }
        }
    }

    enum Limit: String, Sendable { case minimum, maximum, exclusiveMinimum, exclusiveMaximum }

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
    var dynamicAnchors: [[String: Index]] = []
}

package enum SchemaType: String, Sendable, CaseIterable {
    case null, boolean, object, array, number, string, integer

    init?(of value: Value) { self.init(rawValue: value.typeName) }

    func contains(_ value: Value) -> Bool {
        switch (self, value) {
        case (.null, .null), (.boolean, .bool), (.object, .object), (.array, .array), (.string, .string),
            (.number, .integer), (.number, .double), (.integer, .integer):
            true
        case (.integer, .double(let double, _)): double.isFinite && double.rounded() == double
        default: false
        }
    }
}
