import Foundation
import TestSupport
import Testing

@testable import WorkflowData

/// Arrays in JSON that are read element by element.
@Suite struct JSONArrayReaderTests {
    /// The elements, and the errors as texts, of a text that is loaded in pieces of this size.
    private func read(_ text: String, inPiecesOf size: Int = 7) throws -> ([Value], [String]) {
        let bytes = Array(text.utf8)
        var reader = try JSONArrayReader(name: "a.json") { offset throws(ReadingError) in
            Array(bytes.dropFirst(offset).prefix(size))
        }
        guard try reader.beginsAnArray() else { return ([], ["a.json:no array"]) }
        var values: [Value] = []
        var errors: [String] = []
        while errors.count < 20 {
            do {
                guard let value = try reader.next() else { break }
                values.append(value)
            } catch {
                errors.append(error.description)
            }
        }
        return (values, errors)
    }

    @Test(
        arguments: [
            "[]", " [ ] ", "[1]", "[1,2 , 3]", "\u{FEFF}[true,null,false,-1.5e3]", "[[],[[1],[2]],{}]",
            #"[{"a":"]},{"},{"b":"\\"},{"c":"\\\"]"}]"#, #"["a,b","[","ü\u00fc",""]"#, "[\n  {\n  \"a\": 1\n }\n]\n",
        ], [1, 2, 3, 7, 1_000])
    func `elements are those that a reader of the whole text finds`(text: String, size: Int) throws {
        let (values, errors) = try read(text, inPiecesOf: size)
        #expect(errors == [])
        let bare = text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
        #expect(try Value.array(values) == Value(json: Data(bare.utf8)))
    }

    @Test(
        arguments: [
            ("[1,]", ["1:4: error: expected a value"]), ("[,1]", ["1:2: error: expected a value"]),
            ("[1 2]", ["1:4: error: expected ',' or ']' after an item"]),
            ("[{}{}]", ["1:4: error: expected ',' or ']' after an item"]),
            ("[1", ["1:3: error: expected ',' or ']' after an item"]), ("[", ["1:2: error: expected a value"]),
            ("[1] 2", ["1:5: error: expected the end of the file after the array"]),
            ("[\"a", ["1:2: error: this string is never closed"]),
            (
                "[{\"a\":},\n {\"b\":1},\n  {\"ü\":x}]",
                ["1:7: error: expected a value", "3:8: error: expected a value"]
            ),

            (
                "[{]}]",
                [
                    "1:3: error: expected a name in double quotes", "1:4: error: expected ',' or ']' after an item",
                ]
            ), ("{}", ["no array"]), ("", ["no array"]),
        ] as [(String, [String])])
    func `an error is told at its place, and the next element is read`(text: String, expected: [String]) throws {
        let (_, errors) = try read(text)
        #expect(errors.map { String($0.split(separator: "\n")[0].dropFirst("a.json:".count)) } == expected)
    }

    @Test func `findings about a value have its place in the file`() throws {
        let bytes = Array("[ {\"a\": 1}, {\"a\":\n {\"b\": 2}} ]".utf8)
        var reader = try JSONArrayReader(name: "a.json", TextWindow.whole(bytes))
        #expect(try reader.beginsAnArray())
        _ = try reader.next()
        let shown = reader.diagnostic(id: "x", "m", at: JSONPointer(["a"])).text(colour: false).split(separator: "\n")
        #expect(shown.dropFirst() == ["  {\"a\": 1}", "        ^"])
        #expect(
            reader.diagnostic(id: "x", "m", at: JSONPointer(["a"])).text(colour: false).split(separator: "\n")[0]
                == "a.json:1:9: error: m")
        _ = try reader.next()
        #expect(reader.line == 1)
        #expect(
            reader.diagnostic(id: "x", "m", at: JSONPointer(["a"]), part: .key).text(colour: false).split(
                separator: "\n")[0] == "a.json:1:14: error: m")
        #expect(
            reader.diagnostic(id: "x", "m", at: JSONPointer(["a", "b"])).text(colour: false).split(separator: "\n")[0]
                == "a.json:2:8: error: m")
    }

    @Test func `an element that is too large ends the reading`() throws {
        let text = "[\"" + String(repeating: "x", count: TextWindow.largestRecord) + "\",1]"
        let (values, errors) = try read(text, inPiecesOf: 1 << 20)
        #expect(values.isEmpty)
        #expect(errors.map { $0.split(separator: "\n")[0] } == ["a.json:1:2: error: this item is larger than 10 MB"])
    }
}
