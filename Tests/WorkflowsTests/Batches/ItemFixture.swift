import Foundation
import TestSupport
import Testing

@testable import Workflows

/// A workflow with an input schema, and sources for it.
struct ItemFixture {
    static let workflow = """
        document: { dsl: 1.0.3, namespace: test, name: greet, version: 1.0.0 }
        input:
          schema:
            document:
              type: object
              required: [to]
              additionalProperties: false
              properties:
                to: { type: string, format: email }
                name: { type: string, maxLength: 5 }
                age: { type: integer, minimum: 0 }
                rate: { type: number }
                active: { type: boolean }
                tags: { type: array, items: { type: string } }
                note: { type: [string, "null"] }
                level: { type: [integer, "null"] }
                any: true
        do: [ { done: { set: { a: 1 } } } ]
        """

    let folder: TemporaryFolder
    let workflow: Workflow

    init(_ text: String = Self.workflow) throws {
        folder = try TemporaryFolder()
        workflow = try Workflow(text: text)
    }

    func items(
        _ name: String, _ bytes: [UInt8], common: Value = [:], key: String? = nil, allowsDuplicates: Bool = false,
        shard: Shard? = nil
    ) throws -> BatchItems {
        try folder.write(name, Data(bytes))
        return try BatchItems(
            try ItemSource(path(name)), for: workflow, common: common, key: key, allowsDuplicates: allowsDuplicates,
            shard: shard)
    }

    func path(_ name: String) -> String { folder.url.appending(path: name).path }

    /// The items of a source that is right.
    func read(
        _ name: String, _ text: String, common: Value = [:], key: String? = nil, allowsDuplicates: Bool = false,
        shard: Shard? = nil
    ) throws -> [BatchItem] {
        let items = try items(
            name, Array(text.utf8), common: common, key: key, allowsDuplicates: allowsDuplicates, shard: shard)
        let total = try items.check().total
        var reader = try items.reader()
        var read: [BatchItem] = []
        while let item = try reader.next() { read.append(item) }
        #expect(read.count == total)
        return read
    }

    /// What is wrong with a source, each finding on a line without the folder's path.
    func findings(
        _ name: String, _ bytes: [UInt8], common: Value = [:], key: String? = nil, allowsDuplicates: Bool = false
    ) throws -> String {
        let items = try items(name, bytes, common: common, key: key, allowsDuplicates: allowsDuplicates)
        return findings { try items.check() }
    }

    /// The findings that a closure throws.
    func findings<Result>(_ body: () throws -> Result) -> String {
        do {
            _ = try body()
            return ""
        } catch let error as ReadingError {
            return error.diagnostics.map(\.shortText).joined(separator: "\n")
                .replacing(folder.url.path + "/", with: "")
        } catch {
            return "\(error)"
        }
    }
}

extension Diagnostic {
    /// The finding's first line, and its hint in brackets.
    fileprivate var shortText: String {
        var finding = self
        (finding.hint, finding.sourceLine) = (nil, nil)
        return finding.text() + (hint.map { " (\($0))" } ?? "")
    }
}
