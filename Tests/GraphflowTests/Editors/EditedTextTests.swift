import Foundation
import Testing
import WorkflowData
import Workflows

@testable import graphflow

@Suite struct `A text in an editor` {
    private func text(_ content: String) -> EditedText { EditedText("file:///a%20b/%C3%BC.yaml", version: 1, content) }

    @Test func `has a path`() {
        #expect(text("").path == "/a b/ü.yaml")
        #expect(EditedText.uri(of: "/a b/ü.yaml") == "file:///a%20b/%C3%BC.yaml")
        #expect(EditedText.path(of: "untitled:1") == "/untitled:1")
    }

    @Test(arguments: ["a😀b\nüx\r\n\r\n😀", "\r\r\n\n\r", "", "x", "😀", "\u{FEFF}a\n"])
    func `counts in UTF-16, and back`(content: String) {
        let text = text(content)
        var offset = 0
        for scalar in content.unicodeScalars {
            let position = text.position(at: offset)
            if scalar != "\n" || !text[0..<offset].hasSuffix("\r") { #expect(text.offset(position) == offset) }
            offset += scalar.utf8.count
        }
        #expect(text.offset(["line": 9, "character": 9]) == offset)
        #expect(text.offset(["line": 0, "character": -1]) == 0)
    }

    @Test func `never splits a character`() {
        #expect(text("😀").offset(["line": 0, "character": 1]) == 0)
        #expect(text("a😀\n").position(at: 5) == ["line": 0, "character": 3])
        #expect(text("a").offset(["line": 0, "character": 99]) == 1)
    }

    @Test func `takes changes one after the other`() {
        let range: Value = ["start": ["line": 0, "character": 2], "end": ["line": 1, "character": 0]]
        let changed = text("😀a\nb").changed(
            by: [["range": range, "text": "x"], ["range": range, "text": "y"], ["range": nil, "text": ""]], version: 2)
        #expect(changed.text.isEmpty && changed.version == 2)
        #expect(text("😀a\nb").changed(by: [["range": range, "text": "x"]], version: 2).text == "😀xb")
    }

    @Test func `counts findings' columns in characters, without a mark at the beginning`() {
        let place = SourceRange.Position(line: 1, column: 3)
        let range = SourceRange(start: place, end: SourceRange.Position(line: 2, column: 1))
        #expect(text("\u{FEFF}a😀b\nc").bytes(of: range) == 8..<10)
    }
}
