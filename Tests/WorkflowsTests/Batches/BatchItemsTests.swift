import Foundation
import TestSupport
import Testing

@testable import Workflows

struct BatchItemsTests {
    private let fixture: ItemFixture

    init() throws { fixture = try ItemFixture() }

    @Test func `a column has the type that the input's schema gives it`() throws {
        let items = try fixture.read(
            "a.csv",
            """
            to,name,age,rate,active,tags,note,level,any
            m@x.de,Megan,30,1.5,true,"[""a"",""b""]",null,7,1
            a@x.de,17,0,2,false,[],x,null,true
            b@x.de,,,,,,,,
            """)
        #expect(
            items.map(\.input) == [
                [
                    "to": "m@x.de", "name": "Megan", "age": 30, "rate": 1.5, "active": true, "tags": ["a", "b"],
                    "note": nil, "level": 7, "any": "1",
                ],
                [
                    "to": "a@x.de", "name": "17", "age": 0, "rate": 2, "active": false, "tags": [], "note": "x",
                    "level": nil, "any": "true",
                ],
                // An empty field is left out, unless it may be text.
                ["to": "b@x.de", "name": "", "note": "", "any": ""],
            ])
        #expect(items.map(\.line) == [2, 3, 4])
    }

    @Test func `without a schema every column is text`() throws {
        let fixture = try ItemFixture(
            """
            document: { dsl: 1.0.3, namespace: test, name: greet, version: 1.0.0 }
            do: [ { done: { set: { a: 1 } } } ]
            """)
        #expect(try fixture.read("a.tsv", "a\tb\n1\t\n").map(\.input) == [["a": "1", "b": ""]])
    }

    @Test(
        arguments: [
            ("a.csv", "\u{FEFF}to,name\r\na@x.de,\"A\nB\"\r\n\r\nb@x.de,=1\r\n", [2, 5]),
            ("a.tsv", "to\tname\na@x.de\t\"A\nB\"\nb@x.de\t=1", [2, 4]),
            ("a.JSONL", "{\"to\":\"a@x.de\",\"name\":\"A\\nB\"}\n \n{\"to\":\"b@x.de\",\"name\":\"=1\"}", [1, 3]),
            (
                "a.ndjson", "\u{FEFF}{\"to\":\"a@x.de\",\"name\":\"A\\nB\"}\r\n{\"to\":\"b@x.de\",\"name\":\"=1\"}\r\n",
                [1, 2]
            ),
            ("a.json", "[{\"to\":\"a@x.de\",\"name\":\"A\\nB\"},\n{\"to\":\"b@x.de\",\"name\":\"=1\"}]", [1, 2]),
            ("a.yaml", "- to: a@x.de\n  name: \"A\\nB\"\n- to: b@x.de\n  name: =1\n", [1, 3]),
            ("a.yml", "- &a { to: a@x.de, name: \"A\\nB\" }\n- { to: b@x.de, name: =1 }\n", [1, 2]),
        ])
    func `every format has the same items`(name: String, text: String, lines: [Int]) throws {
        let items = try fixture.read(name, text)
        #expect(items.map(\.input) == [["to": "a@x.de", "name": "A\nB"], ["to": "b@x.de", "name": "=1"]])
        #expect(items.map(\.key) == items.map(\.input))
        #expect(items.map(\.line) == lines)
        #expect(Set(items.map(\.name)).count == 2)
    }

    @Test(arguments: [("a.csv", "to\n"), ("a.jsonl", "\n\n"), ("a.jsonl", ""), ("a.json", "[]"), ("a.yaml", "[]")])
    func `a source may have no items`(name: String, text: String) throws {
        #expect(try fixture.read(name, text).isEmpty)
    }

    @Test func `what came from standard input is JSON Lines`() throws {
        try fixture.folder.write("items", "{\"to\":\"a@x.de\"}\n{\"to\":1}\n")
        let source = try ItemSource(spooled: fixture.path("items"))
        let items = try BatchItems(source, for: fixture.workflow)
        #expect(
            fixture.findings { try items.check() }
                == "standard input:2:7: error: the input's 'to' must be a string, but is a number")
    }

    @Test func `an item is laid over the common input, and keeps its key`() throws {
        let common: Value = ["to": "all@x.de", "age": 5, "level": 1]
        let items = try fixture.read("a.csv", "age,name\n,A\n7,\n", common: common)
        #expect(
            items.map(\.input) == [
                ["to": "all@x.de", "age": 5, "level": 1, "name": "A"],
                ["to": "all@x.de", "age": 7, "level": 1, "name": ""],
            ])
        #expect(items.map(\.key) == [["age": "", "name": "A"], ["age": "7", "name": ""]])
    }

    @Test func `without a common input an item may be anything that the schema allows`() throws {
        let fixture = try ItemFixture(
            """
            document: { dsl: 1.0.3, namespace: test, name: greet, version: 1.0.0 }
            input: { schema: { document: { type: [string, integer] } } }
            do: [ { done: { set: { a: 1 } } } ]
            """)
        #expect(try fixture.read("a.jsonl", "\"x\"\n1\n").map(\.input) == ["x", 1])
        #expect(
            try fixture.findings("a.jsonl", Array("\"x\"\n".utf8), common: ["a": 1])
                == "a.jsonl:1:1: error: this item is a string, but only an object can be combined with '-p' and '--input'"
        )
        #expect(
            fixture.findings { try fixture.items("a.jsonl", [], common: [1]) }
                == "--input:1:1: error: the input that all items have in common must be an object, but is an array")
    }

    @Test func `a key is made of the item as it was read`() throws {
        let items = try fixture.read(
            "a.csv", "to,age\na@x.de,07\nb@x.de,7\n".replacing("07", with: "17"), key: "${ .age }")
        #expect(items.map(\.key) == ["17", "7"])
        #expect(items.map(\.name) == [ItemKey("17").name, ItemKey("7").name])
        #expect(throws: ExpressionError.self) { try fixture.items("a.csv", [], key: ".a[") }
        let error = #expect(throws: ExpressionError.self) { try fixture.items("a.csv", [], key: ".a + $input.b") }
        #expect(error?.message == "$input is not defined: a key can only use its item")
    }

    @Test func `further items of the same key have names of their own where that is allowed`() throws {
        let text = "to\na@x.de\nb@x.de\na@x.de\na@x.de\n"
        let items = try fixture.read("a.csv", text, key: ".to", allowsDuplicates: true)
        let (first, second) = (ItemKey("a@x.de").name, ItemKey("b@x.de").name)
        #expect(items.map(\.name) == [first, second, first + "-2", first + "-3"])
    }

    @Test(arguments: [1, 2, 7, 40])
    func `shards are disjoint, and together they are all items`(count: Int) throws {
        let rows = (1...100).map { "user\($0)@x.de" }
        let text = "to\n" + rows.joined(separator: "\n")
        let shards = try (1...count).map { try fixture.read("a.csv", text, key: ".to", shard: Shard($0, of: count)) }
        #expect(shards.flatMap { $0 }.compactMap { $0.key.string }.sorted() == rows.sorted())
        let check = try fixture.items("a.csv", Array(text.utf8), key: ".to", shard: Shard(1, of: count)).check()
        #expect((check.total, check.all) == (shards[0].count, 100))
    }

    @Test(arguments: ["a.csv", "a.jsonl", "a.json", "a.yaml"])
    func `the digest is that of the file`(name: String) throws {
        let text =
            name == "a.csv"
            ? "to\na@x.de\n\n" : name == "a.jsonl" ? "{\"to\":\"a@x.de\"}\n\n" : "[{\"to\":\"a@x.de\"}]\n\n"
        let digest = try fixture.items(name, Array(text.utf8)).check().digest
        #expect(digest == Journal.Header.digest(of: Data(text.utf8)))
    }

    @Test func `a source that changes after the check is not read`() throws {
        let items = try fixture.items("a.csv", Array("to\na@x.de\n".utf8))
        _ = try items.check()
        try fixture.folder.write("a.csv", "to\nbb@x.de\n")
        let changed = "a.csv:1:1: error: the file cannot be read: it has changed in the meantime"
        #expect(fixture.findings { try items.reader() } == changed)
        #expect(fixture.findings { try items.check() } == changed)
    }

    @Test func `a table of keys holds many`() {
        var table = ItemKey.Table()
        for number in 1...5000 { table[ItemKey(.integer(number)).digest] = number }
        table[ItemKey(17).digest] = 99
        #expect((1...5000).allSatisfy { table[ItemKey(.integer($0)).digest] == ($0 == 17 ? 99 : $0) })
        #expect(table[ItemKey(5001).digest] == 0)
    }
}
