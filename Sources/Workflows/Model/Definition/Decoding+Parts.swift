extension Decoding {
    /// Checks that this is an object with all required and only known members; `what` names it: `a retry policy`.
    func check(_ node: DocumentNode, is what: String, known: [String], required: [String] = []) -> Bool {
        guard let object = node.value.object else {
            report("type", "\(what) must be an object, but this is \(node.value.described)", at: node.pointer)
            return false
        }
        for name in object.keys where !known.contains(name) {
            report(
                "unknown-property", "\(what) has no property '\(name)'",
                hint: Habits.hint(insteadOf: name, in: what, known) ?? Diagnostic.didYouMean(name, among: known)
                    ?? "it has \(known.quoted)",
                at: node.pointer.appending(name),
                part: .key)
        }
        let missing = required.filter { !object.contains($0) }
        for name in missing {
            report("missing-property", "\(what) needs the property '\(name)'", at: node.pointer)
        }
        return missing.isEmpty || completes
    }

    /// The text; nil, with a finding, if this is not a text.
    func string(_ node: DocumentNode?, _ what: String) -> String? {
        guard let node else { return nil }
        if let string = node.value.string { return string }
        report("type", "\(what) must be a string, but this is \(node.value.described)", at: node.pointer)
        return nil
    }

    /// Checks for a URI reference or an expression, which the standard's schema calls a URI template.
    func uri(_ node: DocumentNode?, _ what: String) {
        guard let node, let text = string(node, what), !text.contains("${") else { return }
        guard text.isEmpty || text.contains(where: \.isWhitespace) else { return }
        report(
            "address", "\(what) must be a URI, but is '\(PlainText.exact(text, limit: 100))'",
            hint: "write a URI such as https://contoso.com/orders or /orders", at: node.pointer)
    }

    func bool(_ node: DocumentNode?, _ what: String) -> Bool? {
        guard let node else { return nil }
        if case .bool(let bool) = node.value { return bool }
        report("type", "\(what) must be true or false, but this is \(node.value.described)", at: node.pointer)
        return nil
    }

    func choice<Choice: RawRepresentable & CaseIterable>(
        _ node: DocumentNode?, _: Choice.Type, _ what: String
    ) -> Choice? where Choice.RawValue == String {
        guard let node, let name = string(node, what) else { return nil }
        if let choice = Choice(rawValue: name) { return choice }
        let names = Choice.allCases.map(\.rawValue)
        report(
            "choice", "\(what) cannot be '\(name)'",
            hint: Diagnostic.didYouMean(name, among: names) ?? "use one of \(names.quoted)", at: node.pointer)
        return nil
    }

    /// The name of a variable, without `$`; the default name if none is given.
    func variable(_ node: DocumentNode?, default name: String, _ what: String) -> String {
        guard let node, let variable = string(node, what) else { return name }
        if Self.reservedVariables.contains(variable) {
            report(
                "reserved-name", "\(what) cannot be '\(variable)', which is a variable of the standard",
                hint: "leave it out, and read it as $\(name)", at: node.pointer)
        } else if !variable.isVariableName {
            let name = String(variable.drop { $0 == "$" })
            report(
                "name", "'\(variable)' cannot be the name of a variable",
                hint: name.isVariableName
                    ? "write '\(name)': only expressions have the '$'" : "use letters, digits and underscores",
                at: node.pointer)
            return name
        }
        return variable
    }

    /// The variables of the standard.
    static let reservedVariables = [
        "context", "input", "output", "secrets", "authorization", "task", "workflow", "runtime",
    ]

    /// An expression with or without `${ }`; nil, with a finding, if it is invalid.
    func expression(_ node: DocumentNode?, _ what: String) -> Expression? {
        guard let node, let text = string(node, what) else { return nil }
        do {
            return try Expression(bare: text)
        } catch {
            report(error, at: node.pointer)
            return completed
        }
    }

    /// What counts instead of an expression that cannot be read; nil if nothing does.
    private var completed: Expression? { completes ? try? Expression(".") : nil }

    /// Data with expressions in it; nil, with a finding for each invalid expression.
    func template(_ node: DocumentNode?, mode: Template.Mode? = nil) -> Template? {
        guard let node else { return nil }
        do {
            return try Template(node.value, mode: mode ?? self.mode)
        } catch {
            for finding in error.findings {
                report(finding.error, at: JSONPointer(node.pointer.tokens + finding.pointer.tokens))
            }
            guard completes else { return nil }
            let readable = error.findings.reduce(node.value) { $0.replacing("${ . }", at: $1.pointer.tokens[...]) }
            return try? Template(readable, mode: mode ?? self.mode)
        }
    }

    /// A transformation of data: an object with expressions in it, or an expression with or without `${ }`.
    func transformation(_ node: DocumentNode?) -> Template? {
        guard let node else { return nil }
        if node.value.object != nil { return template(node) }
        guard let text = string(node, "a transformation") else { return nil }
        guard !text.contains("${") else { return template(node) }
        do throws(ExpressionError) {
            // Compiled twice, because a template accepts a text that is not an expression as plain text.
            _ = try Expression(bare: text)
        } catch {
            report(error, at: node.pointer)
            return completes ? try? Template("${ . }") : nil
        }
        return template(node, mode: .loose)
    }

    func duration(_ node: DocumentNode?) -> DurationSource? {
        guard let node else { return nil }
        if let text = node.value.string, text.contains("${") {
            return expression(node, "a duration").map { .expression($0) }
        }
        if let duration = Duration(node.value) { return .literal(duration) }
        if node.value.object != nil {
            _ = check(node, is: "a duration", known: ["days", "hours", "minutes", "seconds", "milliseconds"])
        }
        report(
            "duration", "this is not a duration", hint: "write 'PT30S' or an object such as { seconds: 30 }",
            at: node.pointer)
        return nil
    }

    func schema(_ node: DocumentNode?) -> Schema? {
        guard let node, check(node, is: "a schema", known: ["format", "document", "resource"]) else { return nil }
        if let format = string(node["format"], "a schema's format"), format != "json", !format.hasPrefix("json:") {
            report("schema", "the schema format '\(format)' is not supported", hint: "use 'json'", at: node.pointer)
        }
        switch (node["document"], node["resource"]) {
        case (let document?, nil): return schema(in: document)
        case (nil, let resource?): return ExternalResource(resource, self).flatMap { schema(at: $0) }
        default:
            report("schema", "a schema must have either 'document' or 'resource'", at: node.pointer)
            return nil
        }
    }

    private func schema(in document: DocumentNode) -> Schema? {
        do {
            let compiled = try JSONSchema(document.value)
            return Schema(source: .document(compiled, document.value), pointer: document.pointer)
        } catch {
            let place = JSONPointer(document.pointer.tokens + error.schema.tokens)
            report("schema", error.message, hint: error.hint, at: place)
            return nil
        }
    }

    /// A schema outside the document.
    ///
    /// A file is read at once: its errors are known before anything runs.
    private func schema(at resource: ExternalResource) -> Schema? {
        let place = resource.endpoint.pointer
        guard let text = resource.endpoint.literal else {
            report(
                "schema",
                "the address of a schema must be written out, without expressions",
                hint: "write 'https://…', or 'file://NAME' for a file next to the workflow", at: place)
            return nil
        }
        do {
            guard case .file(let path) = try ResourceAddress(text, files: files, plainHosts: nil) else {
                return Schema(source: .network(resource), pointer: place)
            }
            let value = try Document(data: try files.contents(of: path), name: path).value
            return Schema(source: .file(try JSONSchema(value), value), pointer: place)
        } catch let error as JSONSchemaError {
            report("schema", "in '\(text)' at '\(error.schema)': \(error.message)", hint: error.hint, at: place)
        } catch let error as ReadingError {
            for diagnostic in error.diagnostics { report("schema", "in '\(text)': \(diagnostic.message)", at: place) }
        } catch {
            let (id, message, hint) = ResourceAddress.finding(of: error)
            report(id, message, hint: hint, at: place)
        }
        return nil
    }

    /// The definition in `use` with this name; nil, with a finding, if there is none.
    func reference<Definition>(
        _ name: String, to kind: String, in defined: [String: Definition], at pointer: JSONPointer
    )
        -> Definition?
    {
        if let definition = defined[name] { return definition }
        report(
            "unknown-reference", "'use.\(kind)' defines no '\(name)'",
            hint: Diagnostic.didYouMean(name, among: defined.keys.sorted()), at: pointer)
        return nil
    }

    /// Reports a part of the standard that graphflow does not support.
    func unsupported(_ what: String, at pointer: JSONPointer, part: Document.Part = .value, hint: String? = nil) {
        report(
            "unsupported", "\(what) are part of the standard, but graphflow does not run them", hint: hint, at: pointer,
            part: part)
    }
}

extension Value {
    /// With another value in place of the one at a path.
    fileprivate func replacing(_ value: Value, at path: ArraySlice<String>) -> Value {
        guard let name = path.first else { return value }
        switch self {
        case .object(var members):
            members.update(name) { $0 = $0.replacing(value, at: path.dropFirst()) }
            return .object(members)
        case .array(var elements):
            guard let index = Int(name), elements.indices.contains(index) else { return self }
            elements[index] = elements[index].replacing(value, at: path.dropFirst())
            return .array(elements)
        default: return self
        }
    }

    /// The value's type with an article, for messages.
    package var described: String {
        switch self {
        case .null: "empty"
        case .bool: "a boolean"
        case .integer, .double: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        case .marked: "a value that is only known at run time"
        }
    }
}

extension [String] {
    /// The names in quotes, for messages: `'a', 'b' and 'c'`.
    package var quoted: String {
        let names = map { "'\($0)'" }
        return names.count > 1
            ? names.dropLast().joined(separator: ", ") + " and " + names[names.count - 1] : names.first ?? ""
    }
}

extension String {
    /// Whether this can follow `$`, or `.` in an expression.
    ///
    /// Written out, because a pattern would be compiled for each use.
    package var isVariableName: Bool {
        func isLetter(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
            default: false
            }
        }
        guard let first = utf8.first, isLetter(first) else { return false }
        return utf8.dropFirst().allSatisfy { isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
