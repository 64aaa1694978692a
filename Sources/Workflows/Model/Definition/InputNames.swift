/// The names of the properties of a workflow's input, and what names mean that are nearly theirs.
///
/// A name with other blanks or letters' case is read as the property's if it can mean no other. If the schema allows no
/// other properties, each is read as it is: other names are errors.
package struct InputNames: Sendable {
    private let properties: Object
    private let patterns: JSONSchema?
    private let isClosed: Bool
    /// The properties by their names without regard to blanks and letters' case.
    private let similar: [String: [String]]

    package init(of workflow: Workflow) {
        let schema = workflow.input.schema?.document ?? [:]
        let names = Self.names(in: schema, of: schema)
        properties = Object(names.map { ($0, .null) })
        similar = Dictionary(grouping: properties.keys, by: \.folded)
        isClosed = ["additionalProperties", "unevaluatedProperties"].contains { schema[$0] == false }
        patterns = schema["patternProperties"]?.object.flatMap { patterns in
            let any = Value.object(patterns.mapValues { _ in true })
            return try? JSONSchema(["patternProperties": any, "additionalProperties": false])
        }
    }

    /// The names of properties in the parts of a schema that are about the same value.
    private static func names(in schema: Value, of root: Value, depth: Int = 0) -> [String] {
        guard depth < 8, let keywords = schema.object else { return [] }
        var parts = ["allOf", "anyOf", "oneOf"].flatMap { keywords[$0]?.array ?? [] }
        parts += ["if", "then", "else"].compactMap { keywords[$0] }
        parts += keywords["dependentSchemas"]?.object?.values ?? []
        if let reference = keywords["$ref"]?.string, let pointer = JSONPointer(rfc6901: String(reference.dropFirst())) {
            parts += [root[pointer]].compactMap(\.self)
        }
        return (keywords["properties"]?.object?.keys ?? [])
            + parts.flatMap { names(in: $0, of: root, depth: depth + 1) }
    }

    /// Whether a property has the name, perhaps with other blanks or letters' case.
    package func contains(nearly name: String) -> Bool { isProperty(name) || similar[name.folded] != nil }

    private func isProperty(_ name: String) -> Bool {
        properties.contains(name) || patterns?.accepts(.members([(name, .null)])) == true
    }

    /// What each of an item's names means: a property, or itself.
    package func meanings(of names: [String]) -> [String] {
        guard !isClosed, !names.allSatisfy(isProperty) else { return names }
        let given = Object(names.map { ($0, .null) })
        let meant = names.map { name -> String? in
            guard !isProperty(name), let found = similar[name.folded], found.count == 1, !given.contains(found[0])
            else { return nil }
            return found[0]
        }
        let counts = meant.compactMap(\.self).reduce(into: [:]) { $0[$1, default: 0] += 1 }
        // Two names for one property would hide a value.
        return zip(names, meant).map { name, meant in meant.flatMap { counts[$0] == 1 ? $0 : nil } ?? name }
    }

    /// The object with the names of the properties that its names mean.
    package func renamed(_ object: Object) -> Object {
        Object(zip(meanings(of: object.keys), object.values).map { ($0, $1) })
    }

    /// What is said of names that are nearly a property's, each with the name that it is about.
    package func remarks(on names: [String]) -> [(name: String, message: String)] {
        guard !isClosed else { return [] }
        let meanings = meanings(of: names)
        let given = Object(meanings.map { ($0, .null) })
        return zip(names, meanings).prefix(1_000).compactMap { name, meant in
            guard !isProperty(name), let near = nearest(to: name, meant, without: given) else { return nil }
            let shown = PlainText.line(name, limit: 60)
            let end = meant.hasSameScalars(as: name) ? "" : " It is read as that"
            return (name, "the input has no property '\(shown)', did you mean '\(near)'?\(end)")
        }
    }

    /// The property that is most likely meant by another name; nil if none is close.
    private func nearest(to name: String, _ meant: String, without given: Object) -> String? {
        if isProperty(meant) { return meant }
        return similar[name.folded]?.first
            ?? Self.nearest(to: name, among: properties.keys.filter { !given.contains($0) })
    }

    /// The candidate that is most likely meant by a name; nil if none is close.
    package static func nearest(to name: String, among candidates: [String]) -> String? {
        let spelling = name.spelling
        return candidates.first { $0.spelling == spelling } ?? Diagnostic.nearest(to: name.folded, among: candidates)
    }
}
