import Foundation
import Testing
import WorkflowData

@Suite struct `A document` {
    private let text = """
        # A comment
        document:
          dsl: '1.0.3'
          name: share
        do:
          - getPhoto:
              call: photo
              with: { size: 240x240, user: "megan@contoso.com" }
          - mail:
              set:
                text: >-
                  ${ .first
                     + .second }
                quoted: "a\\tb${ .c }"
                plain: one
                  two
        """

    @Test func `knows where a value and its key are`() throws {
        let document = try Document(text: text, name: "a.yaml")
        let size = JSONPointer(["do", "0", "getPhoto", "with", "size"])
        #expect(document.value[size] == "240x240")
        #expect(document.range(of: size) == range(8, 21, 8, 28))
        #expect(document.range(of: size, part: .key) == range(8, 15, 8, 19))
        #expect(document.range(of: JSONPointer(["do", "1", "mail"]), part: .key) == range(9, 5, 9, 9))
        #expect(document.range(of: JSONPointer(["document"])) == range(3, 3, 4, 14))
    }

    @Test func `points at the nearest value around what is not there`() throws {
        let document = try Document(text: text, name: "a.yaml")
        let missing = JSONPointer(["do", "0", "getPhoto", "with", "nothing", "more"])
        #expect(document.range(of: missing) == range(8, 13, 8, 57))
    }

    @Test(arguments: [
        ("text", 0, 12, 11), ("text", 3, 12, 14), ("text", 9, 12, 20), ("text", 13, 13, 14), ("quoted", 3, 14, 22),
        ("quoted", 1, 14, 19),
        ("plain", 4, 16, 11), ("plain", 6, 16, 13),
    ])
    func `finds a character inside a text of any style`(_ name: String, offset: Int, line: Int, column: Int) throws {
        let document = try Document(text: text, name: "a.yaml")
        let pointer = JSONPointer(["do", "1", "mail", "set", name])
        #expect(document.range(of: pointer, offset: offset)?.start == .init(line: line, column: column))
    }

    @Test func `tells a line of its text`() throws {
        let document = try Document(text: "a: 1\r\nb: 2\n", name: "a.yaml")
        #expect(document.line(1) == "a: 1")
        #expect(document.line(2) == "b: 2")
        #expect(document.line(4) == nil)
        #expect(document.line(0) == nil)
    }

    @Test func `makes a finding that shows its place`() throws {
        let document = try Document(text: "do:\n  - a:\n      call: phto\n", name: "dir/a.yaml")
        let pointer = JSONPointer(["do", "0", "a", "call"])
        let finding = document.diagnostic(
            id: "unknown-function", "there is no function 'phto'",
            hint: Diagnostic.didYouMean("phto", among: ["photo"]),
            at: pointer)
        #expect(
            finding.text() == """
                dir/a.yaml:3:13: error: there is no function 'phto'
                      call: phto
                            ^~~~
                hint: did you mean 'photo'?
                """)
    }

    @Test func `says that a file is not there`() {
        let error = #expect(throws: ReadingError.self) {
            try Document(contentsOf: URL(fileURLWithPath: "/nowhere/a.yaml"))
        }
        #expect(error?.description == "/nowhere/a.yaml:1:1: error: there is no such file")
    }

    @Test func `says that a folder is no file`() {
        let error = #expect(throws: ReadingError.self) { try Document(contentsOf: URL(fileURLWithPath: "/tmp")) }
        #expect(error?.diagnostics.first?.id == "no-file")
    }

    @Test func `reads a file`() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).yaml")
        try Data("a: [1, 2]".utf8).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let document = try Document(contentsOf: url)
        #expect(document.value == ["a": [1, 2]])
        #expect(document.name == url.relativePath)
    }

    private func range(_ line: Int, _ column: Int, _ endLine: Int, _ endColumn: Int) -> SourceRange {
        SourceRange(start: .init(line: line, column: column), end: .init(line: endLine, column: endColumn))
    }
}
