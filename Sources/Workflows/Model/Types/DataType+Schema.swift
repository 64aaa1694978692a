extension DataType {
    /// The type of the data that a JSON Schema accepts; `.anything` where the schema is not simple.
    /// - Parameter source: What the data come from, for findings.
    package init(schema: Value, from source: Source? = nil) {
        guard let members = schema.object, members["$ref"] == nil, members["$dynamicRef"] == nil else {
            self = schema == false ? .nothing : .anything
            return
        }
        let named = members["type"].map { $0.array?.compactMap(\.string) ?? [$0.string].compactMap(\.self) }
        let kinds = named.map { $0.reduce(into: Kinds()) { $0.formUnion(Self.kinds[$1] ?? .all) } } ?? .all
        var type = DataType.nothing
        if kinds.contains(.array) {
            type = type.or(.array(of: members["items"].map { DataType(schema: $0, from: source) } ?? .anything))
        }
        if kinds.contains(.object) {
            type = type.or(Self.object(members, from: source))
        }
        self = type.or(DataType.anything.only(kinds.subtracting([.array, .object])))
        self.source = source
    }

    private static func object(_ schema: Object, from source: Source?) -> DataType {
        let required = Set((schema["required"]?.array ?? []).compactMap(\.string))
        let known = (schema["properties"]?.object ?? [:]).map { name, property in
            Member(
                name: name, type: DataType(schema: property, from: source),
                isCertain: required.contains(name) || property["default"] != nil)
        }
        let isClosed = schema["additionalProperties"] == false && schema["patternProperties"] == nil
        return .object(known, isOpen: !isClosed)
    }

    private static let kinds: [String: Kinds] = [
        "null": .null, "boolean": .boolean, "number": .number, "integer": .number, "string": .string, "array": .array,
        "object": .object,
    ]
}
