import Foundation
import Testing
import WorkflowData

struct `The table of built-ins` {
    /// A row of the documentation: an expression, and what it does with marked data.
    struct Row: CustomTestStringConvertible {
        let call: String
        let program: String
        let unknown: String
        let secret: String

        var testDescription: String { call }

        private static let words: Set = ["and", "or", "if", "try", "catch", "reduce", "foreach", "def"]

        /// The function's name with its number of arguments; nil for an operator or a form of the syntax.
        var signature: String? {
            let name = call.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            let isCall =
                !name.isEmpty && (name == call || call.hasPrefix("\(name)(")) && !Self.words.contains(String(name))
            guard isCall else { return nil }
            guard let open = call.firstIndex(of: "(") else { return "\(call)/0" }
            var depth = 0
            var count = 1
            for character in call[open...] {
                if "([{".contains(character) { depth += 1 }
                if ")]}".contains(character) { depth -= 1 }
                if character == ";", depth == 1 { count += 1 }
            }
            return "\(call[..<open])/\(count)"
        }
    }

    private static let page = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../../Sources/Workflows/Engine/Documentation.docc/ExpressionsAndMarks.md")

    static let rows: [Row] = {
        let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { line in
            let cells = line.replacing("\\|", with: "\u{0}").split(separator: "|").map { cell in
                cell.replacing("\u{0}", with: "|").trimmingCharacters(in: .whitespaces)
            }
            guard cells.count == 4, cells[1].hasPrefix("`") else { return nil }
            let call = cells[0].hasPrefix("`") ? cells[0].trimmingCharacters(in: ["`"]) : cells[0]
            let program = cells[1].trimmingCharacters(in: ["`"])
            return Row(call: call, program: program, unknown: cells[2], secret: cells[3])
        }
    }()

    private static let texts: [String: String] = [
        "text": "S3cret-Text,b", "any": "S3cret-Text,b", "json": #"{"a":"inner secret"}"#,
        "date": "2015-03-05T23:51:47Z", "base64": "U2VjcmV0", "list": "S3cret-Text,b",
    ]

    /// The data of the examples, made of a marked text, number and boolean by the functions given.
    private static func data(
        text: (String) -> Value, number: (String, Value) -> Value, boolean: Value, any: Value, list: (Value) -> Value
    ) -> Value {
        [
            "text": text("text"), "json": text("json"), "date": text("date"), "base64": text("base64"),
            "number": number("number", 7), "boolean": boolean, "any": any, "list": list(text("list")),
            "numbers": [number("numbers", 7), 1], "codes": [number("codes", 83), 98],
            "time": [2015, 2, 5, 23, 51, number("time", 47), 4, 63],
            "object": ["a": text("text"), "b": 1], "pair": ["b", text("text")], "both": [text("text"), text("json")],
            "table": [[text("text")], [1]],
            "entries": [["key": "a", "value": text("text")]], "records": [["b": 1, "c": text("text")]],
        ]
    }

    private static func unknown(_ row: Row) throws -> String {
        let input = data(
            text: { .unknown(Unknown($0, .text)) }, number: { name, _ in .unknown(Unknown(name, .number)) },
            boolean: .unknown(Unknown("boolean", .boolean)), any: .unknown(Unknown("any")),
            list: { .unknown(Unknown("list", .array($0))) })
        func planned(_ source: String) throws -> Value {
            try WorkflowData.Expression(source).evaluatePlanned(input, variables: ["text": input["text"] ?? nil]) {
                Unknown("new", $1, from: .computed($2))
            }
        }
        guard let result = try? planned("[null, (\(row.program))]") else { return "error" }
        if result.unknown != nil {
            guard case .array(let element) = try planned("[\(row.program)]").unknown?.shape else { return "undecided" }
            return element.unknown?.shape == .any ? "undecided" : "any number"
        }
        let unknowns = result.unknowns
        if unknowns.isEmpty { return "known" }
        return unknowns.contains { $0.origin != .run } ? "derived" : "passed on"
    }

    private static func secret(_ row: Row) throws -> String {
        let input = data(
            text: { .secret(.string(texts[$0] ?? ""), of: [$0]) }, number: { .secret($1, of: [$0]) }, boolean: true,
            any: .secret("S3cret-Text,b", of: ["any"]), list: { [$0] })
        let expression = try WorkflowData.Expression(row.program)
        do {
            let environment = WorkflowData.Expression.Environment(now: { Date(timeIntervalSince1970: 1e9) })
            let result = try expression.evaluate(
                input, variables: ["text": input["text"] ?? nil], environment: environment, marks: true)
            return result.contains(where: \.holdsSecret) ? "secret" : "plain"
        } catch {
            return "error"
        }
    }

    @Test func `has every built-in`() throws {
        let names = try #require(try WorkflowData.Expression("builtins").first(nil).array?.compactMap(\.string))
        let listed = Set(Self.rows.compactMap(\.signature))
        #expect(names.filter { !listed.contains($0) } == [])
        #expect(listed.subtracting(names) == [])
    }

    @Test(arguments: rows)
    func `says what happens`(_ row: Row) throws {
        #expect(try Self.unknown(row) == row.unknown)
        #expect(try Self.secret(row) == row.secret)
    }
}
