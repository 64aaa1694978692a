extension SchemaCompiler {
    mutating func child(_ keyword: String, of object: Object, at location: Location) throws(JSONSchemaError) -> Index? {
        guard let schema = object[keyword] else { return nil }
        return try subschema(schema, at: place(keyword, in: location))
    }

    mutating func children(
        _ keyword: String, of object: Object, at location: Location
    ) throws(JSONSchemaError) -> [Index]? {
        guard let value = object[keyword] else { return nil }
        guard case .array(let schemas) = value, !schemas.isEmpty else {
            throw invalid(keyword, "a list of at least one schema", value, at: location)
        }
        var indexes: [Index] = []
        for (position, schema) in schemas.enumerated() {
            var place = place(keyword, in: location)
            place.pointer = place.pointer.appending(position)
            indexes.append(try subschema(schema, at: place))
        }
        return indexes
    }

    mutating func named(
        _ keyword: String, of object: Object, at location: Location
    ) throws(JSONSchemaError) -> [String: Index]? {
        guard let value = object[keyword] else { return nil }
        guard case .object(let schemas) = value else { throw invalid(keyword, "an object", value, at: location) }
        var indexes: [String: Index] = [:]
        for (name, schema) in schemas {
            var place = place(keyword, in: location)
            place.pointer = place.pointer.appending(name)
            indexes[name] = try subschema(schema, at: place)
        }
        return indexes
    }

    func types(_ value: Value, at location: Location) throws(JSONSchemaError) -> [SchemaType] {
        let names: [Value] = if case .array(let names) = value { names } else { [value] }
        var types: [SchemaType] = []
        for name in names {
            guard case .string(let name) = name else { throw invalid("type", "a type's name", name, at: location) }
            guard let type = SchemaType(rawValue: name) else {
                throw JSONSchemaError(
                    schema: location.pointer.appending("type"), message: "there is no type '\(name)'",
                    hint: Diagnostic.didYouMean(name, among: SchemaType.allCases.map(\.rawValue)))
            }
            types.append(type)
        }
        return types
    }

    func count(_ keyword: String, of object: Object, at location: Location) throws(JSONSchemaError) -> Int? {
        guard let value = object[keyword] else { return nil }
        if case .double(let double, _) = value, double.rounded() == double, double > 9e18 { return .max }
        guard let count = value.integer, count >= 0 else {
            throw invalid(keyword, "an integer of at least 0", value, at: location)
        }
        return count
    }

    func names(_ value: Value, _ keyword: String, at location: Location) throws(JSONSchemaError) -> [String] {
        guard case .array(let values) = value else { throw invalid(keyword, "a list of names", value, at: location) }
        var names: [String] = []
        for value in values {
            guard case .string(let name) = value else { throw invalid(keyword, "a list of names", value, at: location) }
            names.append(name)
        }
        return names
    }

    mutating func pattern(
        _ value: Value, _ keyword: String, at location: Location
    ) throws(JSONSchemaError) -> SchemaPattern {
        guard case .string(let text) = value else { throw invalid(keyword, "a string", value, at: location) }
        let pattern: SchemaPattern
        do throws(Signal) {
            pattern = try SchemaPattern(text)
        } catch {
            var reason: String?
            if case .error(let error) = error { reason = error.message }
            throw JSONSchemaError(
                schema: location.pointer.appending(keyword),
                message: "\(SchemaWords.short(value)) is not a regular expression", hint: reason)
        }
        patternSize += pattern.size
        guard patternSize <= Self.mostPatterns else {
            throw JSONSchemaError(
                schema: location.pointer.appending(keyword),
                message: "the regular expressions of the schema are too large")
        }
        return pattern
    }

    func invalid(_ keyword: String, _ expected: String, _ value: Value, at location: Location) -> JSONSchemaError {
        JSONSchemaError(
            schema: location.pointer.appending(keyword),
            message: "'\(keyword)' must be \(expected), but is \(SchemaWords.short(value))")
    }

    private func place(_ keyword: String, in location: Location) -> Location {
        Location(document: location.document, pointer: location.pointer.appending(keyword))
    }
}
