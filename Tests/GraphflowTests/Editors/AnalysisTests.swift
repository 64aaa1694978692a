import Foundation
import Testing
import WorkflowData
import Workflows

@testable import graphflow

@Suite struct `The analysis of a text` {
    private static let head = "document: { dsl: 1.0.3, namespace: t, name: x, version: 1.0.0 }\n"

    /// The analysis of a text with a `‸` at the cursor, and the cursor's offset.
    private func analysis(_ marked: String, path: String = "/nowhere/x.yaml") -> (analysis: Analysis, offset: Int) {
        let parts = marked.split(separator: "‸", omittingEmptySubsequences: false)
        let text = EditedText(EditedText.uri(of: path), version: 1, parts.joined())
        let open = OpenTexts([path: Data(text.bytes)])
        return (Analysis(text, open), parts[0].utf8.count)
    }

    private func labels(_ marked: String) -> Set<String> {
        let (analysis, offset) = analysis(marked)
        return Set(Completions(analysis).items(at: offset).compactMap { $0["label"]?.string })
    }

    @Test func `offers the members of the data, though the expression is not closed`() {
        let task = "do:\n  - a: { set: { user: { mail: x } } }\n  - b:\n      set:\n        to: ${ .user.‸"
        #expect(labels(Self.head + task) == ["mail"])
    }

    @Test(arguments: [
        ("do:\n  - a:\n      call: ‸", "sendMail"), ("do:\n  - a:\n      ‸", "switch"), ("‸", "schedule"),
        ("do:\n  - a:\n      call: sendMail\n      with:\n        ‸", "attachments"),
        ("do:\n  - a:\n      set: { x: 1 }\n      then: ‸\n  - after: { set: { y: 1 } }", "after"),
    ])
    func `offers what fits`(text: String, label: String) { #expect(labels(Self.head + text).contains(label)) }

    @Test func `does not know the names of arguments by itself`() {
        let names = Catalog.default["sendMail"]?.input["properties"]?.object?.keys ?? []
        let offered = labels(Self.head + "do:\n  - a:\n      call: sendMail\n      with:\n        ‸")
        #expect(!names.isEmpty && offered == Set(names))
    }

    @Test func `has the findings of a text that is on no disk`() {
        let (analysis, _) = analysis(Self.head + "do:\n  - a: { set: { x: 1 }, thn: end }\n")
        #expect(analysis.findings.map(\.id) == ["unknown-property"])
        #expect(analysis.findings.first?.hint == "did you mean 'then'?")
    }

    @Test func `is about workflows and tests only`() {
        #expect(analysis("services: {}").analysis.kind == .other)
        #expect(analysis("doo: []\ndo: []").analysis.kind == .workflow)
        #expect(analysis("x", path: "/nowhere/x.test.yaml").analysis.kind == .tests)
        #expect(analysis("<p>", path: "/nowhere/x.html").analysis.kind == .other)
        #expect(analysis("services: {}").analysis.findings.isEmpty)
    }

    @Test func `renames a variable in its own loop only`() throws {
        let loop =
            "{ for: { each: one, in: '${ [1] }' }, do: [ { s: { set: { v: '${ $one, (2 as $one | $one) }' } } } ] }"
        let (analysis, offset) = analysis(
            Self.head
                + "do:\n  - a: \(loop)\n  - b: \(loop)\n".replacing("each: one", with: "each: o‸ne", maxReplacements: 1)
        )
        let names = Names(analysis)
        #expect(names.all.filter { if case .variable = $0.target { true } else { false } }.count == 4)
        let changes = try names.rename(at: offset, to: "two")["changes"]?.object
        #expect(changes?.first?.value.array?.count == 2)
        #expect(throws: RPCError.self) { try names.rename(at: offset, to: "a b") }
        #expect(throws: RPCError.self) { try names.rename(at: offset, to: "input") }
    }

    @Test func `quotes what YAML would read in another way`() {
        for text in ["a: b", "- x", "1.0", "null", "'", "", " x", "#x", "a #b", "true", "{", "*a", "@x"] {
            #expect(text.asScalar == "'\(text.replacing("'", with: "''"))'")
        }
        #expect("plain text".asScalar == "plain text")
    }
}
