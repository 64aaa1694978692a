extension SchemaCompiler {
    /// The cheapest and most decisive keywords come first.
    mutating func compile(
        _ object: Object, into subschema: inout SchemaProgram.Draft, at location: Location
    ) throws(JSONSchemaError) {
        let dialect = dialect(at: location)
        if dialect != .draft202012, case .string(let reference)? = object["$ref"] {
            subschema.keywords = [
                .reference(try target(reference, at: location, from: subschema.resource))
            ]
            return
        }
        if dialect == .openAPI30 {
            subschema.isNullable = object["nullable"] == true
        } else if let named = try JSONSchema.Dialect(namedBy: .object(object), at: location.pointer), named != dialect {
            throw JSONSchemaError(
                schema: location.pointer.appending("$schema"), message: "part of the schema uses another draft")
        }
        var object = object
        if dialect == .draft07 { try translateDraft7(&object, into: &subschema, at: location) }
        try compileScalars(object, into: &subschema, at: location)
        try compileArrays(object, into: &subschema, at: location)
        try compileObjects(object, into: &subschema, at: location)
        try compileReferences(object, into: &subschema, at: location)
        try compileLogic(object, into: &subschema, at: location)
        subschema.unevaluatedProperties = try child("unevaluatedProperties", of: object, at: location)
        subschema.unevaluatedItems = try child("unevaluatedItems", of: object, at: location)
    }

    /// Compiles the keywords that only draft 7 has, and removes those that it lacks.
    private mutating func translateDraft7(
        _ object: inout Object, into subschema: inout SchemaProgram.Draft, at location: Location
    ) throws(JSONSchemaError) {
        for keyword in Self.unknownToDraft7 { object[keyword] = nil }
        if case .string(let format)? = object["format"], ["duration", "uuid"].contains(format) {
            object["format"] = nil
        }
        if case .array(let items)? = object["items"] {
            object["items"] = nil
            let prefix = items.isEmpty ? [] : try children("items", of: ["items": .array(items)], at: location) ?? []
            subschema.keywords.append(
                .items(prefix: prefix, rest: try child("additionalItems", of: object, at: location)))
        }
        guard let dependencies = object["dependencies"] else { return }
        guard case .object(let dependencies) = dependencies else {
            throw invalid("dependencies", "an object", dependencies, at: location)
        }
        var (needed, schemas): ([String: [String]], [String: Index]) = ([:], [:])
        for (name, dependency) in dependencies {
            if case .array = dependency {
                needed[name] = try names(dependency, "dependencies", at: location)
            } else {
                let pointer = location.pointer.appending("dependencies").appending(name)
                schemas[name] = try self.subschema(
                    dependency, at: Location(document: location.document, pointer: pointer))
            }
        }
        subschema.keywords += [.dependentRequired(needed), .dependentSchemas(schemas)]
    }

    /// Newer keywords, which draft 7 treats as annotations.
    private static let unknownToDraft7 = [
        "prefixItems", "minContains", "maxContains", "dependentRequired", "dependentSchemas", "$dynamicRef",
        "unevaluatedItems", "unevaluatedProperties",
    ]

    private mutating func compileScalars(
        _ object: Object, into subschema: inout SchemaProgram.Draft, at location: Location
    ) throws(JSONSchemaError) {
        if let type = object["type"] { subschema.keywords.append(.type(try types(type, at: location))) }
        if let values = object["enum"] {
            guard case .array(let values) = values else { throw invalid("enum", "an array", values, at: location) }
            subschema.keywords.append(.allowed(ValueIndex(values)))
        }
        if let value = object["const"] { subschema.keywords.append(.const(value)) }
        if let divisor = object["multipleOf"] {
            guard let number = divisor.double, number > 0 else {
                throw invalid("multipleOf", "a number above 0", divisor, at: location)
            }
            subschema.keywords.append(.multipleOf(divisor))
        }
        try compileLimits(object, into: &subschema, at: location)
        for (keyword, limit) in [("minLength", SchemaProgram.SizeLimit.minimum), ("maxLength", .maximum)] {
            if let count = try count(keyword, of: object, at: location) {
                subschema.keywords.append(.length(limit, count))
            }
        }
        if let pattern = object["pattern"] {
            let example = object["examples"]?.array?.first?.string
            subschema.keywords.append(
                .pattern(try self.pattern(pattern, "pattern", at: location), example: example))
        }
        if let format = object["format"] {
            guard case .string(let name) = format else { throw invalid("format", "a string", format, at: location) }
            if let format = SchemaFormat(rawValue: name) { subschema.keywords.append(.format(format)) }
        }
    }

    private func compileLimits(
        _ object: Object, into subschema: inout SchemaProgram.Draft, at location: Location
    ) throws(JSONSchemaError) {
        for limit in [SchemaProgram.Limit.minimum, .maximum, .exclusiveMinimum, .exclusiveMaximum] {
            guard var bound = object[limit.rawValue] else { continue }
            var limit = limit
            if dialect(at: location) == .openAPI30 {
                switch limit {
                case .exclusiveMinimum, .exclusiveMaximum:
                    if bound.bool != nil { continue }
                case .minimum: if object["exclusiveMinimum"] == true { limit = .exclusiveMinimum }
                case .maximum: if object["exclusiveMaximum"] == true { limit = .exclusiveMaximum }
                }
            }
            guard bound.double != nil else { throw invalid(limit.rawValue, "a number", bound, at: location) }
            if case .double(let double, _) = bound, let integer = Int(exactly: double) { bound = .integer(integer) }
            subschema.keywords.append(.limit(limit, bound))
        }
    }

    private mutating func compileArrays(
        _ object: Object, into subschema: inout SchemaProgram.Draft, at location: Location
    ) throws(JSONSchemaError) {
        for (keyword, limit) in [("minItems", SchemaProgram.SizeLimit.minimum), ("maxItems", .maximum)] {
            if let count = try count(keyword, of: object, at: location) {
                subschema.keywords.append(.itemCount(limit, count))
            }
        }
        if let unique = object["uniqueItems"] {
            guard case .bool(let unique) = unique else {
                throw invalid("uniqueItems", "a boolean", unique, at: location)
            }
            if unique { subschema.keywords.append(.uniqueItems) }
        }
        let prefix = try children("prefixItems", of: object, at: location) ?? []
        let rest = try child("items", of: object, at: location)
        if !prefix.isEmpty || rest != nil { subschema.keywords.append(.items(prefix: prefix, rest: rest)) }
        if let contains = try child("contains", of: object, at: location) {
            subschema.keywords.append(
                .contains(
                    contains, minimum: try count("minContains", of: object, at: location) ?? 1,
                    maximum: try count("maxContains", of: object, at: location)))
        }
    }

    private mutating func compileObjects(
        _ object: Object, into subschema: inout SchemaProgram.Draft, at location: Location
    ) throws(JSONSchemaError) {
        for (keyword, limit) in [("minProperties", SchemaProgram.SizeLimit.minimum), ("maxProperties", .maximum)] {
            if let count = try count(keyword, of: object, at: location) {
                subschema.keywords.append(.propertyCount(limit, count))
            }
        }
        if let required = object["required"] {
            subschema.keywords.append(.required(try names(required, "required", at: location)))
        }
        if let dependencies = object["dependentRequired"] {
            guard case .object(let dependencies) = dependencies else {
                throw invalid("dependentRequired", "an object", dependencies, at: location)
            }
            var needed: [String: [String]] = [:]
            for (name, names) in dependencies {
                needed[name] = try self.names(names, "dependentRequired", at: location)
            }
            subschema.keywords.append(.dependentRequired(needed))
        }
        if let schemas = try named("dependentSchemas", of: object, at: location) {
            subschema.keywords.append(.dependentSchemas(schemas))
        }
        let properties = try named("properties", of: object, at: location) ?? [:]
        var patterns: [(pattern: SchemaPattern, schema: Index)] = []
        for (pattern, schema) in try named("patternProperties", of: object, at: location) ?? [:] {
            patterns.append((try self.pattern(.string(pattern), "patternProperties", at: location), schema))
        }
        let additional = try child("additionalProperties", of: object, at: location)
        if !properties.isEmpty || !patterns.isEmpty || additional != nil {
            subschema.keywords.append(
                .members(SchemaProgram.Members(named: properties, patterns: patterns, additional: additional)))
        }
        if let names = try child("propertyNames", of: object, at: location) {
            subschema.keywords.append(.propertyNames(names))
        }
    }

    private mutating func compileReferences(
        _ object: Object, into subschema: inout SchemaProgram.Draft, at location: Location
    ) throws(JSONSchemaError) {
        if let reference = object["$ref"] {
            guard case .string(let text) = reference else { throw invalid("$ref", "a string", reference, at: location) }
            let place = Location(document: location.document, pointer: location.pointer.appending("$ref"))
            subschema.keywords.append(.reference(try target(text, at: place, from: subschema.resource)))
        }
        if let reference = object["$dynamicRef"] {
            guard case .string(let text) = reference else {
                throw invalid("$dynamicRef", "a string", reference, at: location)
            }
            let place = Location(document: location.document, pointer: location.pointer.appending("$dynamicRef"))
            let target = try target(text, at: place, from: subschema.resource)
            if let anchor = try dynamicAnchor(text, from: subschema.resource) {
                subschema.keywords.append(.dynamicReference(target, anchor: anchor))
            } else {
                subschema.keywords.append(.reference(target))
            }
        }
    }

    private mutating func compileLogic(
        _ object: Object, into subschema: inout SchemaProgram.Draft, at location: Location
    ) throws(JSONSchemaError) {
        if let all = try children("allOf", of: object, at: location) { subschema.keywords.append(.all(all)) }
        if let any = try children("anyOf", of: object, at: location) { subschema.keywords.append(.any(any)) }
        if let one = try children("oneOf", of: object, at: location) { subschema.keywords.append(.one(one)) }
        if let not = try child("not", of: object, at: location) { subschema.keywords.append(.not(not)) }
        let then = try child("then", of: object, at: location)
        let otherwise = try child("else", of: object, at: location)
        if let condition = try child("if", of: object, at: location) {
            subschema.keywords.append(.condition(if: condition, then: then, else: otherwise))
        }
    }
}
