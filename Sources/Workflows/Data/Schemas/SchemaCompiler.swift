/// Compiles a schema into a program: checks keywords, resolves references, and compiles patterns.
struct SchemaCompiler {
    static let depthLimit = 400
    static let tooDeep = "the schema is nested too deeply"
    static let mostPatterns = 1_000_000

    typealias Location = SchemaResources.Location
    typealias Index = SchemaProgram.Index

    private let dialect: JSONSchema.Dialect
    private let schema: Value
    private let base: String
    private let root: Value?
    private let stack: StackMark
    var program = SchemaProgram()
    private var drafts: [SchemaProgram.Draft] = []
    private var resources: SchemaResources?
    private var indexes: [Location: Index] = [:]
    private var depth = 0
    var patternSize = 0

    init(_ schema: Value, base: String, dialect: JSONSchema.Dialect, root: Value?, _ stack: StackMark) {
        self.stack = stack
        self.schema = schema
        self.base = base
        self.dialect = dialect
        self.root = root
    }

    mutating func compile() throws(JSONSchemaError) -> SchemaProgram {
        resources = try SchemaResources(schema, base: base, dialect: dialect, root: root, stack)
        program.root = try subschema(schema, at: Location(document: 0, pointer: .root))
        // Compiling one may add a metaschema's resources.
        while let resource = resources?.resources.dropFirst(program.dynamicAnchors.count).first {
            var anchors: [String: Index] = [:]
            for anchor in resource.dynamicAnchors {
                guard let pointer = resource.anchors[anchor] else { continue }
                let location = Location(document: resource.root.document, pointer: pointer)
                anchors[anchor] = try subschema(resources?.value(at: location) ?? true, at: location)
            }
            program.dynamicAnchors.append(anchors)
        }
        program.subschemas = drafts.map(SchemaProgram.Subschema.init)
        return program
    }

    func dialect(at location: Location) -> JSONSchema.Dialect { resources?.dialect(at: location) ?? dialect }

    mutating func subschema(_ schema: Value, at location: Location) throws(JSONSchemaError) -> Index {
        if let index = indexes[location] { return index }
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthLimit, !stack.isExhausted else {
            throw JSONSchemaError(schema: location.pointer, message: Self.tooDeep)
        }
        let index = drafts.count
        indexes[location] = index
        let resource = resources?.resource(around: location) ?? 0
        drafts.append(SchemaProgram.Draft(pointer: location.pointer, resource: resource))
        switch schema {
        case .bool(let isAny): drafts[index].isNever = !isAny
        case .object(let object):
            var subschema = drafts[index]
            try compile(object, into: &subschema, at: location)
            drafts[index] = subschema
        default:
            throw JSONSchemaError(
                schema: location.pointer,
                message: "a schema must be an object or a boolean, but this is \(schema.typeName)")
        }
        return index
    }

    mutating func target(_ reference: String, at location: Location, from resource: Int) throws(JSONSchemaError)
        -> Index
    {
        guard let target = try resources?.resolve(reference, from: resource),
            let schema = resources?.value(at: target)
        else {
            throw JSONSchemaError(
                schema: location.pointer, message: "the reference '\(reference)' cannot be resolved",
                hint: reference.contains("://")
                    ? "only references within the schema, and to metaschemas, are followed" : nil)
        }
        return try subschema(schema, at: target)
    }

    mutating func dynamicAnchor(_ reference: String, from resource: Int) throws(JSONSchemaError) -> String? {
        guard let target = try resources?.resolve(reference, from: resource), let mark = reference.firstIndex(of: "#"),
            case .string(let anchor)? = resources?.value(at: target)?["$dynamicAnchor"],
            reference[reference.index(after: mark)...] == anchor[...]
        else { return nil }
        return anchor
    }
}
