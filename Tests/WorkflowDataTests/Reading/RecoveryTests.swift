import Foundation
import Testing
import WorkflowData

@Suite struct `A half-typed document` {
    private func read(_ text: String) -> Document { Document(incomplete: Data(text.utf8), name: "a.yaml") }

    @Test(
        arguments: [
            ("a: 1\nb: 'open\nc: 3", ["a": 1, "b": nil, "c": 3]),
            ("a: 1\nwor\nc: 3", ["a": 1, "wor": nil, "c": 3]),
            ("a:\n  x: 1\n  y: [1, 2\nc: 3", ["a": ["x": 1, "y": [1, 2]], "c": 3]),
            ("a:\n  x: { k: 1, half\nc: 3", ["a": ["x": ["k": 1, "half": nil]], "c": 3]),
            ("a:\n  x: { k: 1, y: 'open\nc: 3", ["a": ["x": ["k": 1, "y": nil]], "c": 3]),
            ("a:\n  - 1\n  - @\n  - 3\nc: 3", ["a": [1, nil, 3], "c": 3]),
            ("a:\n  - x: 1\n   odd: 2\nc: 3", ["a": [["x": 1]], "c": 3]),
            ("a: 1\n\tb: 2\nc: 3", ["a": nil, "c": 3]),
            ("a: b: c\nd: 1", ["a": nil, "d": 1]),
            ("a: \"\\q\"\nd: 1", ["a": nil, "d": 1]),
            ("a: 1\n---\nb: 2", ["a": 1]), ("{\"a\": 1, \"b\": {\"c\": ", ["a": 1, "b": ["c": nil]]),
            ("a: &x 1\nb: *nothing\nc: *x", ["a": 1, "b": nil, "c": 1]),
            ("a: 1\r\nwor\r\nc: 3", ["a": 1, "wor": nil, "c": 3]), ("", nil), ("@", nil),
        ] as [(String, Value)])
    func `keeps what can be read`(text: String, value: Value) { #expect(read(text).value == value) }

    @Test func `is the same as a whole one, where nothing is missing`() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../../workflows")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".yaml") }
        #expect(files.count > 40)
        for file in files {
            let data = try Data(contentsOf: folder.appending(path: file))
            #expect(Document(incomplete: data, name: file).value == (try Document(data: data, name: file).value))
        }
    }

    @Test(arguments: [
        "a:\n  x: { k: [1, 'ü😀'], m: |\n      text\n  - y\n", "{\"a\": [{\"b\": \"c\\u00e4\"}, true]}",
        "? a\n: - b\n  - 'c\n",
    ])
    func `can be read at every length, and its places are inside`(text: String) {
        let bytes = Array(text.utf8)
        for length in 0...bytes.count {
            let document = Document(incomplete: Data(bytes[..<length]), name: "a.yaml")
            for offset in 0...length {
                guard let place = document.place(at: offset) else { continue }
                #expect(0...length ~= place.bytes.lowerBound && place.bytes.upperBound <= length)
            }
        }
    }

    @Test(arguments: [
        ("do:\n  - a:\n      wi|", "value", "/do/0/a"), ("a: 1\nwi|\nb: 2", "key", "/wi"),
        ("do:\n  - a:\n      call: x\n      |", "inside", "/do/0/a"),
        ("do:\n  - a:\n      with:\n        |\n  - b: 1", "value", "/do/0/a/with"), ("a: |", "value", "/a"),
        ("a: { b: 1, | }", "inside", "/a"), ("a: { b: | }", "value", "/a/b"), ("- |", "value", "/0"),
        ("a: x|y", "value", "/a"), ("a|: x", "key", "/a"), ("do:\n  - a: 1\n  |", "inside", "/do"),
        ("do:\n- a: 1\n|", "inside", ""), ("a: 1\n|", "inside", ""), ("a: 'x|", "value", "/a"),
    ])
    func `says where a cursor is`(text: String, kind: String, pointer: String) throws {
        let offset = try #require(text.utf8.firstIndex(of: UInt8(ascii: "|"))).utf16Offset(in: text)
        let place = try #require(read(text.replacing("|", with: "")).place(at: offset))
        #expect("\(place.kind)" == kind)
        #expect(place.pointer.description == pointer)
    }

    @Test func `has no place in a comment`() { #expect(read("a: 1\n# about b\nb: 2").place(at: 9) == nil) }
}
