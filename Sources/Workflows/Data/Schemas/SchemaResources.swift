struct SchemaResources {
    struct Location: Hashable {
        var document: Int
        var pointer: JSONPointer
    }

    struct Resource {
        let uri: String
        let root: Location
        var anchors: [String: JSONPointer] = [:]
        var dynamicAnchors: Set<String> = []
    }

    private(set) var resources: [Resource] = []
    private var documents: [Value]
    private var dialects: [JSONSchema.Dialect]
    private let hasRoot: Bool
    private let stack: StackMark
    private var byURI: [String: Int] = [:]
    private var byRoot: [Location: Int] = [:]

    /// Indexes the schema, and the document of its references if it is another one.
    init(
        _ schema: Value, base: String, dialect: JSONSchema.Dialect, root: Value?, _ stack: StackMark
    ) throws(JSONSchemaError) {
        self.stack = stack
        documents = [schema] + (root.map { [$0] } ?? [])
        let named = dialect == .openAPI30 ? nil : try JSONSchema.Dialect(namedBy: schema, at: .root)
        dialects = documents.map { _ in named ?? dialect }
        hasRoot = root != nil
        for document in documents.indices.reversed() {
            let location = Location(document: document, pointer: .root)
            open(base, at: location)
            if document == 0 { try index(documents[document], at: location, in: resources.count - 1, depth: 0) }
        }
    }

    var first: Int { byRoot[Location(document: 0, pointer: .root)] ?? 0 }

    func value(at location: Location) -> Value? { documents[location.document][location.pointer] }

    func dialect(at location: Location) -> JSONSchema.Dialect { dialects[location.document] }

    func resource(around location: Location) -> Int {
        var location = location
        while true {
            if let resource = byRoot[location] { return resource }
            guard let parent = location.pointer.parent else { return first }
            location.pointer = parent
        }
    }

    mutating func resolve(_ reference: String, from resource: Int) throws(JSONSchemaError) -> Location? {
        let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let uri = Self.resolve(String(parts.first ?? ""), against: resources[resource].uri)
        var target = resource
        if !(parts.first ?? "").isEmpty {
            if byURI[uri] == nil { try addMetaschema(uri) }
            guard let known = byURI[uri] else { return nil }
            target = known
        } else if hasRoot, resources[resource].root.document == 0, let root = byURI[uri] {
            target = root
        }
        guard parts.count > 1, !parts[1].isEmpty else { return resources[target].root }
        guard let fragment = parts[1].percentDecoded else { return nil }
        let root = resources[target].root
        guard fragment.hasPrefix("/") else {
            return resources[target].anchors[fragment].map { Location(document: root.document, pointer: $0) }
        }
        let tokens = fragment.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
            String($0).replacing("~1", with: "/").replacing("~0", with: "~")
        }
        let location = Location(document: root.document, pointer: JSONPointer(root.pointer.tokens + tokens))
        return value(at: location) == nil ? nil : location
    }

    private mutating func addMetaschema(_ uri: String) throws(JSONSchemaError) {
        guard let document = Self.metaschemas[uri] else { return }
        documents.append(document)
        dialects.append(try JSONSchema.Dialect(namedBy: document, at: .root) ?? .draft202012)
        try index(document, at: Location(document: documents.count - 1, pointer: .root), in: first, depth: 0)
    }

    /// The metaschemas of the drafts 2020-12 and 7, as JSON Schema publishes them.
    private static let metaschemas: [String: Value] = {
        let documents = (try? Value(json: Data(PackageResources.metaschemas_json)))?.array ?? []
        let byURI = documents.compactMap { document in
            document["$id"]?.string.map { ($0.hasSuffix("#") ? String($0.dropLast()) : $0, document) }
        }
        return Dictionary(byURI) { first, _ in first }
    }()

    private mutating func open(_ uri: String, at location: Location) {
        let resource = resources.count
        resources.append(Resource(uri: uri, root: location))
        byRoot[location] = resource
        if byURI[uri] == nil { byURI[uri] = resource }
    }

    private mutating func index(
        _ schema: Value, at location: Location, in resource: Int, depth: Int
    ) throws(JSONSchemaError) {
        guard case .object(let object) = schema else { return }
        guard depth <= SchemaCompiler.depthLimit, !stack.isExhausted else {
            throw JSONSchemaError(schema: location.pointer, message: SchemaCompiler.tooDeep)
        }
        var resource = resource
        let isDraft7 = dialects[location.document] == .draft07
        // Draft 7 ignores everything next to a reference, and names anchors by `$id`.
        let id = isDraft7 && object["$ref"] != nil ? nil : object["$id"]?.string
        if isDraft7, let id, id.hasPrefix("#"), id != "#" {
            try addAnchor(String(id.dropFirst()), "$id", at: location, in: resource)
        } else if let id {
            let uri = Self.resolve(id.hasSuffix("#") ? String(id.dropLast()) : id, against: resources[resource].uri)
            open(uri, at: location)
            resource = resources.count - 1
        }
        for keyword in isDraft7 ? [] : ["$anchor", "$dynamicAnchor"] {
            guard case .string(let anchor)? = object[keyword] else { continue }
            try addAnchor(anchor, keyword, at: location, in: resource)
            if keyword == "$dynamicAnchor" { resources[resource].dynamicAnchors.insert(anchor) }
        }
        for (keyword, value) in object {
            var place = location
            place.pointer = location.pointer.appending(keyword)
            let children = isDraft7 ? Self.childrenOfDraft7[keyword] : nil
            switch (children ?? Self.children[keyword], value) {
            case (.one?, .object): try index(value, at: place, in: resource, depth: depth + 1)
            case (.list?, .array(let schemas)), (.one?, .array(let schemas)):
                for (position, schema) in schemas.enumerated() {
                    let item = Location(document: place.document, pointer: place.pointer.appending(position))
                    try index(schema, at: item, in: resource, depth: depth + 1)
                }
            case (.map?, .object(let schemas)):
                for (name, schema) in schemas {
                    let member = Location(document: place.document, pointer: place.pointer.appending(name))
                    try index(schema, at: member, in: resource, depth: depth + 1)
                }
            default: break
            }
        }
    }

    private mutating func addAnchor(
        _ anchor: String, _ keyword: String, at location: Location, in resource: Int
    ) throws(JSONSchemaError) {
        guard resources[resource].anchors.updateValue(location.pointer, forKey: anchor) == nil else {
            throw JSONSchemaError(
                schema: location.pointer.appending(keyword), message: "the anchor '\(anchor)' is given twice")
        }
    }

    private enum Children { case one, list, map }

    private static let children: [String: Children] = [
        "$defs": .map, "definitions": .map, "properties": .map, "patternProperties": .map, "dependentSchemas": .map,
        "allOf": .list, "anyOf": .list, "oneOf": .list, "prefixItems": .list, "not": .one, "if": .one, "then": .one,
        "else": .one, "items": .one, "contains": .one, "additionalProperties": .one, "propertyNames": .one,
        "unevaluatedItems": .one, "unevaluatedProperties": .one, "contentSchema": .one,
    ]

    private static let childrenOfDraft7: [String: Children] = ["additionalItems": .one, "dependencies": .map]

    /// RFC 3986, section 5.
    private static func resolve(_ reference: String, against base: String) -> String {
        if reference.isEmpty { return base }
        guard !base.isEmpty, let url = URL(string: base) else { return reference }
        return URL(string: reference, relativeTo: url)?.absoluteString ?? reference
    }
}
