/// What a JSON Schema says about one place of a file: its members and values, with their descriptions.
struct SchemaGuide: Sendable {
    static let workflow = SchemaGuide(Workflow.fileSchema())
    static let tests = SchemaGuide(TestFile.schema)

    private static let depthLimit = 16

    private let root: Value

    private init(_ root: Value) { self.root = root }

    /// The schemas that can hold at a place.
    /// - Parameter value: The file's data, which decide between alternatives.
    func schemas(at pointer: JSONPointer, in value: Value) -> [Object] {
        var (schemas, data) = (expanded(root, value), Optional(value))
        for token in pointer.tokens {
            let inner = data.flatMap { $0[JSONPointer([token])] }
            schemas = schemas.flatMap { schema in
                next(token, in: schema, isElement: data?.array != nil).flatMap { expanded($0, inner ?? .null) }
            }
            data = inner
        }
        return schemas
    }

    /// The members that can stand in an object, each name once.
    func members(at pointer: JSONPointer, in value: Value) -> [(name: String, schema: Value, isRequired: Bool)] {
        let schemas = schemas(at: pointer, in: value)
        let required = schemas.map { Set(($0["required"]?.array ?? []).compactMap(\.string)) }
        var seen: Set<String> = []
        var members: [(name: String, schema: Value, isRequired: Bool)] = []
        for schema in schemas {
            for (name, inner) in schema["properties"]?.object ?? [:] where seen.insert(name).inserted {
                members.append((name, inner, required.contains { $0.contains(name) }))
            }
        }
        return members
    }

    /// The values that a schema names, each with its description.
    func values(at pointer: JSONPointer, in value: Value) -> [(value: Value, description: String?)] {
        var seen: Set<Value> = []
        return schemas(at: pointer, in: value).flatMap { schema -> [(value: Value, description: String?)] in
            var values = schema["enum"]?.array ?? schema["const"].map { [$0] } ?? []
            if schema["type"] == "boolean", values.isEmpty { values = [true, false] }
            return values.filter { seen.insert($0).inserted }.map { ($0, schema["description"]?.string) }
        }
    }

    /// What the schemas of a place say about it.
    func description(at pointer: JSONPointer, in value: Value) -> String? {
        schemas(at: pointer, in: value).lazy.compactMap { $0["description"]?.string }.first
    }

    private func next(_ token: String, in schema: Object, isElement: Bool) -> [Value] {
        if isElement {
            if let index = Int(token), let items = schema["prefixItems"]?.array, items.indices.contains(index) {
                return [items[index]]
            }
            return [schema["items"]].compactMap(\.self)
        }
        if let member = schema["properties"]?[token] { return [member] }
        return [schema["additionalProperties"]].compactMap(\.self).filter { $0.object != nil }
    }

    /// A schema with what it refers to, and those of its alternatives that fit the data.
    private func expanded(_ schema: Value, _ data: Value, depth: Int = 0) -> [Object] {
        guard depth < Self.depthLimit, let members = schema.object else { return [] }
        var all = [members]
        if let target = members["$ref"]?.string.flatMap(resolved) { all += expanded(target, data, depth: depth + 1) }
        for part in members["allOf"]?.array ?? [] { all += expanded(part, data, depth: depth + 1) }
        for keyword in ["oneOf", "anyOf"] {
            let alternatives = (members[keyword]?.array ?? []).map { expanded($0, data, depth: depth + 1) }
            all += fitting(alternatives, data).flatMap(\.self)
        }
        return all
    }

    private func resolved(_ reference: String) -> Value? {
        guard reference.hasPrefix("#"), let path = String(reference.dropFirst()).percentDecoded else { return nil }
        return JSONPointer(rfc6901: path).flatMap { root[$0] }
    }

    /// The alternatives that the data do not exclude; all of them if they exclude all.
    private func fitting(_ alternatives: [[Object]], _ data: Value) -> [[Object]] {
        guard alternatives.count > 1 else { return alternatives }
        let possible = alternatives.filter { $0.allSatisfy { fits($0, data) } }
        guard let members = data.object, !possible.isEmpty else { return possible.isEmpty ? alternatives : possible }
        // A member that an alternative requires, and others do not have, shows which one is meant.
        let counts = possible.map { schemas in
            schemas.flatMap { $0["required"]?.array ?? [] }.count { $0.string.map(members.contains) ?? false }
        }
        let most = counts.max() ?? 0
        return zip(possible, counts).filter { $0.1 == most }.map(\.0)
    }

    private func fits(_ schema: Object, _ data: Value) -> Bool {
        if data.isNull { return true }
        if let type = schema["type"], !(type.array ?? [type]).contains(where: { data.isOf($0) }) {
            return false
        }
        for (name, inner) in schema["properties"]?.object ?? [:] {
            guard let value = data[name], let choices = inner["enum"]?.array ?? inner["const"].map({ [$0] }) else {
                continue
            }
            guard choices.contains(value) else { return false }
        }
        return true
    }
}

extension Value {
    fileprivate func isOf(_ type: Value) -> Bool {
        switch self {
        case .null: true
        case .bool: type == "boolean"
        case .integer, .double: type == "number" || type == "integer"
        case .string, .marked: type == "string"
        case .array: type == "array"
        case .object: type == "object"
        }
    }
}
