/// The defaults of a schema's properties.
///
/// JSON Schema does not define what `default` does. Here it fills in missing properties before validation: in objects
/// at every depth, through `properties`, `items`, `allOf` and references within the schema. Keywords that depend on the
/// value (`anyOf`, `oneOf`, `if`) fill in nothing.
package struct SchemaDefaults: Sendable {
    private let root: Value
    private static let deepest = 64

    package init(_ schema: Value) { root = schema }

    package func filled(_ value: Value) -> Value { filled(value, by: root, depth: 0) }

    private func filled(_ value: Value, by schema: Value, depth: Int) -> Value {
        guard depth < Self.deepest, let keywords = schema.object else { return value }
        var value = value
        if let target = target(of: keywords) { value = filled(value, by: target, depth: depth + 1) }
        for part in keywords["allOf"]?.array ?? [] { value = filled(value, by: part, depth: depth + 1) }
        if var object = value.object {
            for (name, property) in keywords["properties"]?.object ?? [:] {
                guard let member = object[name] ?? self.default(of: property, depth: depth) else { continue }
                object[name] = filled(member, by: property, depth: depth + 1)
            }
            return .object(object)
        }
        if let items = keywords["items"], let array = value.array {
            return .array(array.map { filled($0, by: items, depth: depth + 1) })
        }
        return value
    }

    private func `default`(of schema: Value, depth: Int) -> Value? {
        guard depth < Self.deepest, let keywords = schema.object else { return nil }
        return keywords["default"] ?? target(of: keywords).flatMap { self.default(of: $0, depth: depth + 1) }
    }

    private func target(of keywords: Object) -> Value? {
        guard let reference = keywords["$ref"]?.string, reference.hasPrefix("#"),
            let pointer = JSONPointer(rfc6901: String(reference.dropFirst()))
        else { return nil }
        return root[pointer]
    }

    package var violations: [(place: JSONPointer, violation: JSONSchema.Violation)] {
        var found: [(JSONPointer, JSONSchema.Violation)] = []
        search(root, at: .root, &found)
        return found
    }

    private func search(_ schema: Value, at place: JSONPointer, _ found: inout [(JSONPointer, JSONSchema.Violation)]) {
        guard place.tokens.count < Self.deepest, let keywords = schema.object else { return }
        if let value = keywords["default"], let compiled = try? JSONSchema(schema, root: root),
            let violation = compiled.validate(filled(value, by: schema, depth: 0)).first
        {
            found.append((place.appending("default"), violation))
        }
        for holder in ["properties", "$defs", "definitions"] {
            for (name, part) in keywords[holder]?.object ?? [:] {
                search(part, at: place.appending(holder).appending(name), &found)
            }
        }
        if let items = keywords["items"] { search(items, at: place.appending("items"), &found) }
        for (index, part) in (keywords["allOf"]?.array ?? []).enumerated() {
            search(part, at: place.appending("allOf").appending("\(index)"), &found)
        }
    }
}
