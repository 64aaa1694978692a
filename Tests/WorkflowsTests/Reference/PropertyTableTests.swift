import Foundation
import Testing
import Workflows

/// The table of every property of the standard in the documentation, against the standard's schemas and graphflow's own.
@Suite struct PropertyTableTests {
    private static let root = URL(fileURLWithPath: #filePath).appending(path: "../../../..").standardizedFileURL

    /// The properties of a schema, each after the name of the definition that it is in.
    private static func properties(_ schema: Value) -> Set<String> {
        var found: Set<String> = []
        collect(schema, "workflow", &found)
        for (name, definition) in schema["$defs"]?.object ?? [:] { collect(definition, name, &found) }
        return found
    }

    private static func collect(_ schema: Value, _ path: String, _ found: inout Set<String>) {
        for (name, property) in schema["properties"]?.object ?? [:] {
            found.insert("\(path).\(name)")
            collect(property, "\(path).\(name)", &found)
        }
        for keyword in ["allOf", "oneOf", "anyOf"] {
            for part in schema[keyword]?.array ?? [] { collect(part, path, &found) }
        }
        for keyword in ["items", "additionalProperties"] { schema[keyword].map { collect($0, path, &found) } }
    }

    private static func official(_ name: String) throws -> Set<String> {
        let file = root.appending(path: "Tests/Conformance/workflow-\(name).schema.yaml")
        return properties(try Document(data: Data(contentsOf: file), name: name).value)
    }

    /// The rows of the table: the property, the schemas that have it, what is done with it, and the version.
    private static func rows() throws -> [[String]] {
        let page = root.appending(path: "Sources/Workflows/Engine/Documentation.docc/PropertiesOfTheStandard.md")
        return try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| `") }
            .map { line in
                line.split(separator: "|").map { cell in
                    let text = cell.drop { $0 == " " }
                    return String(text.reversed().drop { $0 == " " }.reversed())
                }
            }
    }

    @Test func `the table has every property of both schemas, once, and no other`() throws {
        let (tagged, main) = (try Self.official("1.0.3"), try Self.official("main-2026-07"))
        let rows = try Self.rows()
        let named = rows.map { String($0[0].dropFirst().dropLast()) }
        #expect(named.count == Set(named).count)
        #expect(tagged.union(main).subtracting(named).sorted() == [])
        #expect(Set(named).subtracting(tagged.union(main)).sorted() == [])
        for (row, name) in zip(rows, named) {
            let schemas = (tagged.contains(name) ? ["1.0.3"] : []) + (main.contains(name) ? ["main"] : [])
            #expect(row[1] == schemas.joined(separator: " and "), "\(name)")
        }
    }

    @Test func `the schema for editors has the properties that are run, and not the others`() throws {
        let own = Self.properties(Workflow.fileSchema())
        for row in try Self.rows() {
            let isRun = row[3] != "–"
            let name = String(row[0].dropFirst().dropLast())
            // These are in an output, which a file does not have.
            if !name.hasPrefix("processResult.") { #expect(own.contains(name) == isRun, "\(name)") }
            #expect(row[2].hasPrefix("Not run") != isRun)
        }
    }
}
