import Foundation
import TestSupport
import Testing

@testable import Workflows

/// Names in items that are nearly those of the input's properties.
struct ItemNamesTests {
    private func fixture(
        _ properties: String = "mail: { type: string }, name: { type: string }, firstName: { type: string }",
        _ more: String = "required: [mail]"
    ) throws -> ItemFixture {
        try ItemFixture(
            """
            document: { dsl: 1.0.3, namespace: test, name: greet, version: 1.0.0 }
            input: { schema: { document: { type: object, properties: { \(properties) }, \(more) } } }
            do: [ { done: { set: { a: 1 } } } ]
            """)
    }

    /// One item with these values, in each format.
    private func sources(_ members: Object) -> [(name: String, text: String)] {
        func table(_ separator: String) -> String {
            [members.keys, members.values.compactMap(\.string)].map { row in
                row.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: separator) + "\r\n"
            }.joined()
        }
        let object = Value.object(members).json()
        return [
            ("a.csv", table(",")), ("b.csv", table(";")), ("a.tsv", table("\t")), ("a.jsonl", object + "\n"),
            ("a.json", "[\(object)]"), ("a.yaml", "- \(object)\n"),
        ]
    }

    @Test(arguments: [
        " name", "name ", "Name", "NAME", "\u{A0}name", "name\t", "nAmE", "\u{3000}Name\u{202F}", "\u{FEFF}name",
        "\u{200B}name",
    ])
    func `other blanks and letters' case are read as the property, and said`(column: String) throws {
        let fixture = try fixture()
        for (name, text) in sources(["mail": "m@x.de", column: "Ann"]) {
            let items = try fixture.read(name, text, key: ".mail")
            #expect(items.map(\.input) == [["mail": "m@x.de", "name": "Ann"]], "\(name)")
            #expect(try fixture.read(name, text).map(\.key) == [["mail": "m@x.de", column: "Ann"]], "\(name)")
            let warnings = try fixture.items(name, Array(text.utf8)).check().warnings
            #expect(warnings.count == 1, "\(name)")
            #expect(warnings.first?.text().contains("did you mean 'name'? It is read as that") == true, "\(name)")
            #expect(warnings.first?.text().contains("\n") == false, "\(name)")
            #expect(warnings.first?.severity == .warning)
        }
    }

    @Test(arguments: [
        ("nmae", "name"), ("nam", "name"), ("names", "name"), ("n-a-m-e", "name"), ("first_name", "firstName"),
        ("First Name", "firstName"), ("first-name", "firstName"), ("first.name", "firstName"),
        ("FIRST\u{A0}NAME", "firstName"), ("firstNaem", "firstName"),
    ])
    func `a misspelt name stays as it is, and is said once`(column: String, property: String) throws {
        let fixture = try fixture()
        for (name, text) in sources(["mail": "m@x.de", column: "Ann"]) {
            let items = try fixture.read(name, text, key: ".mail")
            #expect(items.map(\.input) == [["mail": "m@x.de", column: "Ann"]], "\(name)")
            let warnings = try fixture.items(name, Array(text.utf8)).check().warnings
            #expect(warnings.count == 1 && warnings[0].message.hasSuffix("did you mean '\(property)'?"), "\(name)")
        }
        let lines = (1...50).map { "{\"mail\": \"\($0)@x.de\", \"\(column)\": \"x\"}\n" }.joined()
        #expect(try fixture.items("b.jsonl", Array(lines.utf8)).check().warnings.count == 1)
    }

    @Test func `other columns are allowed without a word`() throws {
        let fixture = try fixture()
        for (name, text) in sources([
            "mail": "m@x.de", "department": "Sales", "id": "17", "manager": "x", "é": "", "city": "Köln", "😀": "y",
            String(repeating: "x", count: 900): "z",
        ]) {
            let items = try fixture.items(name, Array(text.utf8))
            #expect(try items.check().warnings.isEmpty, "\(name)")
        }
    }

    @Test func `a name that can mean two properties, or one that is given, is not read as it`() throws {
        let two = try fixture("mail: {}, name: {}, Name: {}", "required: [mail]")
        let one = try fixture()
        let cases: [(fixture: ItemFixture, members: Value)] = [
            (two, ["mail": "m@x.de", "NAME": "A"]), (one, ["mail": "m@x.de", "name": "A", "Name": "B"]),
            (one, ["mail": "m@x.de", " name": "A", "Name": "B"]),
        ]
        for (fixture, item) in cases {
            for (name, text) in sources(item.object ?? [:]) {
                let read = try fixture.read(name, text)
                #expect(read.map(\.input) == [item], "\(name)")
                let warnings = try fixture.items(name, Array(text.utf8)).check().warnings
                #expect(!warnings.isEmpty && warnings.allSatisfy { $0.message.hasSuffix("?") }, "\(name)")
            }
        }
    }

    @Test func `where the schema allows no others, each other name is an error`() throws {
        let closed = try fixture("mail: {}, name: { type: string }", "additionalProperties: false")
        for (name, text) in sources(["mail": "m@x.de", " Name": "A"]) {
            let found = try closed.findings(name, Array(text.utf8))
            #expect(found.contains("error: the input") && found.contains("(did you mean 'name'?)"), "\(name): \(found)")
        }
    }

    @Test func `names of patterns and of parts of the schema are the input's too`() throws {
        let parts = try fixture(
            "mail: {}",
            """
            patternProperties: { '^x-': {} }, $defs: { more: { properties: { desk: {} } } },
            allOf: [ { $ref: '#/$defs/more' }, { properties: { Mail: {} } } ], anyOf: [ { properties: { town: {} } }, {} ]
            """.replacing("\n", with: " "))
        for (name, text) in sources([
            "Mail": "m@x.de", "x-town": "A", "Desk": "1", "Y-TOWNSHIP": "2", "tonw": "3",
        ]) {
            let input = try #require(try parts.read(name, text).first?.input.object)
            #expect(input.keys == ["Mail", "x-town", "desk", "Y-TOWNSHIP", "tonw"], "\(name)")
            let messages = try parts.items(name, Array(text.utf8)).check().warnings.map(\.message)
            #expect(messages.count == 2 && messages[0].contains("'desk'") && messages[1].contains("'town'"), "\(name)")
        }
    }

    @Test(arguments: ["TRUE", "true", "True", "tRuE", " TRUE ", "FALSE", "False", "false\u{A0}"])
    func `spreadsheets write booleans in capitals`(cell: String) throws {
        let fixture = try fixture(
            "on: { type: boolean }, off: { type: [boolean, 'null'] }, word: { type: [boolean, string] }", "")
        let expected = Value.bool(cell.lowercased().contains("true"))
        for (name, text) in sources(["on": .string(cell), "off": .string(cell), "word": "TRUE"]).prefix(3) {
            let items = try fixture.read(name, text)
            #expect(items.map(\.input) == [["on": expected, "off": expected, "word": "TRUE"]], "\(name)")
        }
        for other in ["yes", "1", "TRUEE", "T"] {
            #expect(try fixture.findings("a.csv", Array("on\n\(other)\n".utf8)).contains("must be of type boolean"))
        }
    }

    @Test func `keys that differ by case only are said`() throws {
        let fixture = try fixture()
        let rows = ["a@x.de", "Ann@x.de", "b@x.de", "ann@x.de", "ANN@X.DE", "é@x.de", "É@x.de", "c@x.de"]
        let items = try fixture.items("a.csv", Array(("mail\n" + rows.joined(separator: "\n")).utf8), key: ".mail")
        let check = try items.check()
        #expect(
            check.warnings.map(\.message) == [
                "the key \"ann@x.de\" differs from that on line 3 only in upper and lower case",
                "the key \"ANN@X.DE\" differs from that on line 5 only in upper and lower case",
                "the key \"É@x.de\" differs from that on line 7 only in upper and lower case",
            ])
        #expect(check.total == 8)
        let whole = try fixture.items("a.jsonl", Array("{\"mail\":\"A@x.de\"}\n{\"mail\":\"a@x.de\"}\n".utf8)).check()
        #expect(whole.warnings.count == 1)
    }

    @Test func `an empty row is no item where one needs a column, and is said elsewhere`() throws {
        let text = Array("mail,name\nm@x.de,A\n,\n".utf8)
        let strict = try fixture()
        #expect(try strict.items("a.csv", text).check().total == 1)
        let open = try fixture("mail: {}, name: {}", "")
        let check = try open.items("a.csv", text).check()
        #expect(check.total == 2)
        #expect(check.warnings.map(\.message) == ["this row is empty, and it is an item like any other"])
        #expect(try open.findings("a.csv", text + Array(",\n".utf8)).hasSuffix("(this row is empty: remove it)"))
        withExtendedLifetime(strict) {}
    }

    @Test func `the separator that the user gives is for tables only`() throws {
        let fixture = try fixture()
        try fixture.folder.write("a.csv", "mail;name,note\nm@x.de;A,x\n")
        let given = try ItemSource(fixture.path("a.csv"), separator: SeparatedReader.Separator(";"))
        var reader = try BatchItems(given, for: fixture.workflow).reader()
        #expect(try reader.next()?.input == ["mail": "m@x.de", "name,note": "A,x"])
        try fixture.folder.write("a.json", "[]")
        #expect(
            fixture.findings { try ItemSource(fixture.path("a.json"), separator: .tab) }
                == "a.json:1:1: error: '--separator' is for tables: .csv and .tsv")
    }
}
