import Foundation
import GraphflowTesting
import Testing
import Workflows

@testable import graphflow

/// The reference of diagnostics in the documentation, against the code and against what its examples give.
@Suite struct DiagnosticsReferenceTests {
    private static let catalog = Repository.folder.appendingPathComponent(
        "Sources/Workflows/Engine/Documentation.docc", isDirectory: true)
    private static let pages = ["Text", "Structure", "Data", "Calls", "Tests", "Tables"].map { "DiagnosticsOf\($0)" }

    /// A section of a page: what is said of one id.
    private struct Section {
        let page: String
        let id: String
        let text: String
        /// The wrong example, then the right one, each with its language.
        let examples: [(language: String, text: String)]
        var isWarning: Bool { text.contains("\nA warning: ") }
    }

    private static func sections() throws -> [Section] {
        try pages.flatMap { page in
            let text = try String(contentsOf: catalog.appendingPathComponent("\(page).md"), encoding: .utf8)
            return text.components(separatedBy: "\n## ").dropFirst().filter { !$0.hasPrefix("Overview") }.map { part in
                let blocks = part.components(separatedBy: "\n```")
                // Every second one is between two blocks.
                let examples = stride(from: 1, to: blocks.count, by: 2).map { number in
                    let language = blocks[number].prefix { $0 != "\n" }
                    let text = blocks[number].dropFirst(language.count + 1)
                    return (language: String(language), text: "\(text)\n")
                }
                let id = String(part.prefix { $0 != "\n" })
                return Section(page: page, id: id, text: part, examples: examples)
            }
        }
    }

    private static func matches(_ pattern: String, _ text: String) throws -> [String] {
        let expression = try NSRegularExpression(pattern: pattern, options: [.anchorsMatchLines])
        return expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap { match in
            (1..<match.numberOfRanges).compactMap { Range(match.range(at: $0), in: text) }.first.map {
                String(text[$0])
            }
        }
    }

    /// The ids in the code, where a finding is made or where one of the functions is called that make it.
    private static func idsOfCode() throws -> Set<String> {
        let folder = Repository.folder.appendingPathComponent("Sources")
        let places = try #require(FileManager.default.subpaths(atPath: folder.path)).filter { $0.hasSuffix(".swift") }
        let id = "\\s*\"([a-z]+(?:-[a-z]+)*)\""
        let makers = "report|failure|note|finding|Finding|caught|Exclusive|self\\.init"
        let pattern = "(?:\\bid:|\\b(?:\(makers))\\(|\\breturn \\(|(?:Error|default): \\()\(id),?\\s"
        return try places.reduce(into: []) { found, path in
            let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
            found.formUnion(try matches(pattern, text))
        }
    }

    @Test func `every id of the code is in the reference, and no other`() throws {
        let index = try String(contentsOf: Self.catalog.appendingPathComponent("Diagnostics.md"), encoding: .utf8)
        let sections = try Self.sections()
        let elsewhere = try Self.matches("^\\| `([a-z-]+)` \\|", index)
        let described = sections.map(\.id) + elsewhere
        #expect(described.count == Set(described).count)
        let code = try Self.idsOfCode()
        #expect(code.subtracting(described).sorted() == [])
        #expect(Set(described).subtracting(code).sorted() == [])
        let rows = try Self.matches("^(\\| \\[`[a-z-]+`\\]\\([^)]*\\) \\| [a-z]+ \\|)", index)
        #expect(
            rows
                == sections.map {
                    "| [`\($0.id)`](\($0.page).md#\($0.id)) | \($0.isWarning ? "warning" : "error") |"
                })
    }

    @Test func `each wrong example has the finding and no other, and each right one has none`() throws {
        let sections = try Self.sections()
        #expect(sections.filter { $0.examples.isEmpty }.map(\.id).sorted() == Self.made.keys.sorted())
        let folder = try Self.samples()
        defer { try? FileManager.default.removeItem(at: folder) }
        for section in sections where !section.examples.isEmpty {
            let findings = try section.examples.map { language, text in
                section.page.hasSuffix("Tables")
                    ? try Self.findings(ofItems: Data(text.utf8), language, in: folder)
                    : try Self.findings(text, in: folder)
            }
            #expect(findings.count == 2, "\(section.id)")
            #expect(Set(findings[0].map(\.id)) == [section.id], "\(section.id): \(findings[0])")
            #expect(findings[0].allSatisfy { ($0.severity == .warning) == section.isWarning }, "\(section.id)")
            #expect(findings[1].isEmpty, "\(section.id): \(findings[1])")
        }
    }

    @Test(arguments: made.keys.sorted()) func `what a page cannot show has its finding`(id: String) throws {
        let folder = try Self.samples()
        defer { try? FileManager.default.removeItem(at: folder) }
        let make = try #require(Self.made[id])
        let data = try make(folder)
        let findings =
            ["no-columns", "source", "too-many-columns"].contains(id)
            ? try Self.findings(ofItems: data, "csv", in: folder) : try Self.findings(data, in: folder)
        // One says how many findings of other kinds there are, one that another file has findings.
        if ["more-findings", "invalid-workflow"].contains(id) {
            #expect(findings.contains { $0.id == id }, "\(findings)")
        } else {
            #expect(Set(findings.map(\.id)) == [id], "\(findings)")
        }
    }

    /// The samples in a folder of their own: examples name some of them.
    private static func samples() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("reference-\(UUID().uuidString)")
        try FileManager.default.copyItem(at: Repository.folder.appendingPathComponent("workflows"), to: folder)
        return folder
    }

    private static let head = "document: { dsl: 1.0.3, namespace: examples, name: example, version: 1.0.0 }\n"

    /// What is found in an example, which may leave out what every workflow has.
    private static func findings(_ text: String, in folder: URL) throws -> [Diagnostic] {
        let isTest = text.contains("cases:\n")
        let isWhole = isTest || text.hasPrefix("document:") || text.hasPrefix("%")
        return try findings(Data(((isWhole ? "" : head) + text).utf8), in: folder, isTest: isTest)
    }

    private static func findings(_ data: Data?, in folder: URL, isTest: Bool = false) throws -> [Diagnostic] {
        let file = folder.appendingPathComponent(isTest ? "example.test.yaml" : "example.yaml")
        try? FileManager.default.removeItem(at: file)
        try data?.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return isTest ? TestFile.findings(in: file.path) : Workflow.check(contentsOf: file).diagnostics
    }

    /// What is found in the items of a batch, of a workflow whose input has the schema that the page shows.
    private static func findings(ofItems data: Data?, _ language: String, in folder: URL) throws -> [Diagnostic] {
        let page = try String(contentsOf: catalog.appendingPathComponent("DiagnosticsOfTables.md"), encoding: .utf8)
        // The page says which expression names the items.
        let key = try #require(try matches("--key '([^']*)'", page).first)
        let schema = try #require(page.components(separatedBy: "```yaml\n").dropFirst().first)
            .components(separatedBy: "```")[0].split(separator: "\n").map { "      \($0)\n" }.joined()
        try write("\(head)input:\n  schema:\n    document:\n\(schema)do: []\n", "invite.yaml", in: folder)
        let workflow = try Workflow(contentsOf: folder.appendingPathComponent("invite.yaml"))
        let file = folder.appendingPathComponent("items.\(language)")
        try? FileManager.default.removeItem(at: file)
        try data?.write(to: file)
        do {
            _ = try BatchItems(ItemSource(file.path), for: workflow, key: key).check()
            return []
        } catch let error as ReadingError {
            return error.diagnostics
        }
    }

    private static func write(_ text: String, _ name: String, in folder: URL) throws {
        try Data(text.utf8).write(to: folder.appendingPathComponent(name))
    }

    /// Files that have a finding and that a page cannot show; nil for a file that is not there.
    private static let made: [String: @Sendable (_ folder: URL) throws -> Data?] = [
        "alias-expansion": { _ in
            let levels = (1...6).map {
                "a\($0): &a\($0) [\(Array(repeating: "*a\($0 - 1)", count: 10).joined(separator: ", "))]"
            }
            return Data((["a0: &a0 1"] + levels).joined(separator: "\n").utf8)
        },
        "ambiguous-workflow": { folder in
            let greet = try Data(contentsOf: folder.appendingPathComponent("run-workflow-greet.yaml"))
            try greet.write(to: folder.appendingPathComponent("greet-again.yaml"))
            let version = "{ namespace: samples, name: greet, version: 1.0.0 }"
            return Data("\(head)do:\n  - greet: { run: { workflow: \(version) } }\n".utf8)
        },
        "control-character": { _ in Data("\(head)do:\n  - ring: { set: { bell: \u{7} } }\n".utf8) },
        "empty-file": { _ in Data("# nothing\n".utf8) },
        "encoding": { _ in Data("\(head)do: []\n# caf".utf8) + [0xE9, 0x0A] },
        "function": { folder in
            try write("call: nothing\n", "broken.yaml", in: folder)
            return Data("\(head)do:\n  - broken: { call: file://broken.yaml }\n".utf8)
        },
        "invalid-workflow": { folder in
            let other = "document: { dsl: 1.0.3, namespace: examples, name: other, version: 1.0.0 }\n"
            try write("\(other)do: nothing\n", "other.yaml", in: folder)
            let version = "{ namespace: examples, name: other, version: 1.0.0 }"
            return Data("\(head)do:\n  - other: { run: { workflow: \(version) } }\n".utf8)
        },
        "more-findings": { _ in
            Data((head + "do:\n" + (1...102).map { "  - photo\($0): { call: foto }\n" }.joined()).utf8)
        },
        "no-columns": { _ in Data() },
        "no-file": { _ in nil },
        "source": { _ in nil },
        "too-deep": { _ in
            Data((String(repeating: "[", count: 501) + String(repeating: "]", count: 501)).utf8)
        },
        "too-large": { _ in Data(repeating: UInt8(ascii: "#"), count: Document.sizeLimit + 1) },
        "too-many-columns": { _ in Data((1...20_000).map { "c\($0)" }.joined(separator: ",").utf8) },
    ]
}
