/// A file of tests, `NAME.test.yaml`, with its workflow.
package struct TestFile: Sendable {
    /// The endings of the names of such files.
    package static let endings = [".test.yaml", ".test.yml", ".test.json"]

    package let document: Document
    package let workflow: Workflow
    package let cases: [TestCase]

    /// The JSON Schema of files of tests.
    package static let schema: Value = {
        do {
            var schema = try Value(json: Data(PackageResources.test_schema_json)).object ?? [:]
            var parts = schema["$defs"]?.object ?? [:]
            parts["mocks"] = MockedServices.description
            schema["$defs"] = .object(parts)
            return .object(schema)
        } catch {
            preconditionFailure("The schema of tests inside the program cannot be read: \(error)")
        }
    }()

    /// The part of the schema that describes a sandbox.
    package static let sandboxSchema: Value = ["$ref": "#/$defs/sandbox", "$defs": schema["$defs"] ?? [:]]

    /// Validates a document against a schema of the program.
    package static func findings(in document: Document, by schema: Value, id: String) -> [Diagnostic] {
        do throws(JSONSchemaError) {
            return try JSONSchema(schema).validate(document.value).map { document.diagnostic(id: id, $0) }
        } catch {
            preconditionFailure("A schema inside the program is wrong: \(error)")
        }
    }

    /// Whether a path has the name of a file of tests.
    package static func isNamed(_ path: String) -> Bool { endings.contains { path.hasSuffix($0) } }

    /// Reads a file and checks it with its workflow.
    /// - Throws: ``ReadingError`` with all findings in either.
    package init(_ path: String, _ texts: OpenTexts = OpenTexts()) throws(ReadingError) {
        let url = URL(fileURLWithPath: path)
        let document = try texts.document(at: url)
        self.document = document
        var findings = Self.findings(in: document, by: Self.schema, id: "test")
        guard findings.isEmpty else { throw ReadingError(diagnostics: findings) }
        let file = try Self.workflow(of: url, document, texts)
        let (checked, problems) = Workflow.check(contentsOf: file, with: Catalog.default, texts)
        guard let workflow = checked else { throw ReadingError(diagnostics: problems) }
        self.workflow = workflow
        cases = (document.value["cases"]?.array ?? []).enumerated().map { index, value in
            TestCase(value, at: JSONPointer(["cases", "\(index)"]), of: document, &findings)
        }
        findings += Self.repeated(cases, of: document) + cases.flatMap { $0.missing(in: document, workflow) }
        guard findings.isEmpty else { throw ReadingError(diagnostics: findings) }
    }

    /// The findings in a file of tests and its workflow.
    package static func findings(in path: String, _ texts: OpenTexts = OpenTexts()) -> [Diagnostic] {
        do throws(ReadingError) {
            _ = try TestFile(path, texts)
            return []
        } catch {
            return error.diagnostics
        }
    }

    /// The workflow's file: the one that the tests name, otherwise the one next to them.
    ///
    /// It is in the folder of the tests with all links followed, because findings quote its lines.
    package static func workflow(
        of url: URL, _ document: Document, _ texts: OpenTexts
    ) throws(ReadingError) -> URL {
        let files = WorkflowFiles(folder: url.absoluteURL.deletingLastPathComponent(), texts)
        func located(_ name: String) throws(ReadingError) {
            do throws(FunctionError) { try files.locate(name, upTo: Document.sizeLimit) } catch {
                throw ReadingError(diagnostics: [
                    document.diagnostic(
                        id: "workflow", "there is no workflow '\(PlainText.exact(name, limit: 200))' in this folder",
                        hint: error.hint ?? "name a file in the folder of the tests; a link must not lead out of it",
                        at: JSONPointer(["workflow"]))
                ])
            }
        }
        if let name = document.value["workflow"]?.string {
            try located(name)
            return URL(fileURLWithPath: name, relativeTo: url.deletingLastPathComponent())
        }
        let name = url.lastPathComponent
        let stem = endings.first { name.hasSuffix($0) }.map { String(name.dropLast($0.count)) }
        let candidates = stem.map { stem in [".yaml", ".yml", ".json"].map { stem + $0 } } ?? []
        for candidate in candidates {
            let file = URL(fileURLWithPath: url.relativePath).deletingLastPathComponent().appending(path: candidate)
            guard texts[file] != nil || FileManager.default.fileExists(atPath: file.path) else { continue }
            try located(candidate)
            return file
        }
        throw ReadingError(diagnostics: [
            document.diagnostic(
                id: "workflow",
                stem == nil
                    ? "the tests do not name their workflow"
                    : "there is no workflow '\(candidates[0])' next to the tests",
                hint: "add 'workflow: FILE'", at: .root)
        ])
    }

    private static func repeated(_ cases: [TestCase], of document: Document) -> [Diagnostic] {
        var names: Set<String> = []
        return cases.filter { !names.insert($0.name).inserted }.map { test in
            document.diagnostic(
                id: "duplicate", "another case has this name", hint: "give each case its own name",
                at: test.place.appending("name"))
        }
    }
}

extension TestCase {
    /// A finding for each secret of the workflow that the case lacks.
    fileprivate func missing(in document: Document, _ workflow: Workflow) -> [Diagnostic] {
        workflow.usedSecrets.filter { secrets[$0] == nil }.map { name in
            document.diagnostic(
                id: "secret", "the workflow needs the secret '\(PlainText.exact(name, limit: 100))'",
                hint: "add 'secrets: { \(PlainText.line(name, limit: 100)): … }' to the case", at: place)
        }
    }
}
