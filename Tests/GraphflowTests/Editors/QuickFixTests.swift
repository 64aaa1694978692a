import Foundation
import Testing
import WorkflowData
import Workflows

@testable import graphflow

/// Each fix that is offered repairs its finding and nothing else, however the text is quoted.
@Suite struct `Quick fixes` {
    /// How a text is written.
    enum Style: CaseIterable {
        case plain, single, double, escaped, literal, folded, json

        /// The text as a value after `key: `, indented by eight; nil where it cannot be written so.
        func written(_ text: String) -> String? {
            switch self {
            case .plain: text.hasPrefix("$") && !text.contains("\"") && !text.contains(": ") ? text : nil
            case .single: "'\(text.replacing("'", with: "''"))'"
            case .double, .json: Value.string(text).json()
            // All but the characters of names.
            case .escaped:
                "\""
                    + text.unicodeScalars.map { scalar in
                        scalar.isASCII && (scalar.properties.isAlphabetic || " _$".unicodeScalars.contains(scalar))
                            ? String(scalar) : "\\U" + String(format: "%08x", scalar.value)
                    }.joined() + "\""
            case .literal: "|-\n          \(text)"
            case .folded: ">-\n          \(text)"
            }
        }
    }

    private static let head = "document: { dsl: 1.0.3, namespace: t, name: x, version: 1.0.0 }\n"
    private static let before = ["", "\"ü😀 ‹ß›\" as $v | ", "[\"%\", \"a b\"] | "]

    /// The text with a scalar in each style.
    private static func text(_ style: Style, _ scalar: String) -> String? {
        guard let written = style.written(scalar) else { return nil }
        if case .json = style {
            return """
                {"document": {"dsl": "1.0.3", "namespace": "t", "name": "x", "version": "1.0.0"},
                 "do": [{"ü😀": {"set": {"user": {"mail": "x"}}}}, {"b": {"set": {"ü": "😀", "y": \(written)}}}]}
                """
        }
        return head + "do:\n  - ü😀: { set: { user: { mail: x } } }\n  - b:\n      set:\n        y: \(written)\n"
    }

    private func actions(_ text: String, _ path: String) -> [(edited: String, isPreferred: Bool)] {
        let edited = EditedText(EditedText.uri(of: path), version: 1, text)
        let analysis = Analysis(edited, OpenTexts([path: Data(text.utf8)]))
        let whole: Value = [
            "start": ["line": 0, "character": 0], "end": ["line": 10_000, "character": 0],
        ]
        return (QuickFixes(analysis).actions(["range": whole]).array ?? []).map { action in
            let edit = action["edit"]?["changes"]?[edited.uri]?.array?.first
            return (Self.apply(edit ?? .null, to: text), action["isPreferred"] == true)
        }
    }

    /// Applies an edit as an editor does, by lines and UTF-16 units.
    private static func apply(_ edit: Value, to text: String) -> String {
        let units = Array(text.utf16)
        func place(_ name: String) -> Int {
            let position = edit["range"]?[name]
            var rest = position?["line"]?.integer ?? 0
            var start = 0
            while rest > 0, let end = units[start...].firstIndex(of: 10) { (start, rest) = (end + 1, rest - 1) }
            return start + (position?["character"]?.integer ?? 0)
        }
        let new = Array((edit["newText"]?.string ?? "").utf16)
        return String(decoding: units[..<place("start")] + new + units[place("end")...], as: UTF16.self)
    }

    @Test(arguments: [
        ("[1] | lenght", "[1] | length"), ("[.user.mial]", "[.user.mail]"), ("$contxt", "$context"),
        ("[1] | map(tostrng)", "[1] | map(tostring)"), (". | lenght - 1", ". | length - 1"),
    ])
    func `a word in an expression becomes the right one in every quoting`(wrong: String, right: String) throws {
        for style in Style.allCases {
            for before in Self.before {
                guard let text = Self.text(style, "${ \(before)\(wrong) }"),
                    let meant = Self.text(style, "${ \(before)\(right) }")
                else { continue }
                let path = style == .json ? "/nowhere/x.json" : "/nowhere/x.yaml"
                let found = actions(text, path)
                let isFinding = !before.hasPrefix("[") || !wrong.contains("user")
                if isFinding { #expect(!found.isEmpty, "\(style) \(text)") }
                let value = try Document(data: Data(meant.utf8), name: "").value
                for action in found {
                    let now = try Document(data: Data(action.edited.utf8), name: "").value
                    #expect(now == value, "\(style): \(action.edited)")
                }
            }
        }
    }

    @Test func `a word that is written with escapes is never half replaced`() throws {
        for word in ["l\\u0065nght", "\\x6cenght", "leng\\u0068t", "lengh\\\n        t"] {
            let text = Self.head + "do:\n  - b: { set: { y: \"${ [1] | \(word) }\" } }\n"
            for action in actions(text, "/nowhere/x.yaml") {
                let value = try Document(data: Data(action.edited.utf8), name: "").value
                #expect(value["do"]?.array?.first?["b"]?["set"]?["y"] == "${ [1] | length }")
            }
        }
    }

    @Test(arguments: [
        ("- b: { set: { x: 1 }, thn: end }", "- b: { set: { x: 1 }, then: end }"),
        ("- b: { set: { x: 1 }, 'thn': end }", "- b: { set: { x: 1 }, 'then': end }"),
        ("- b: { set: { x: 1 }, \"thn\": end }", "- b: { set: { x: 1 }, \"then\": end }"),
        ("- b: { set: { x: ü😀 }, then: ennd }", "- b: { set: { x: ü😀 }, then: end }"),
        ("- b: { set: { x: ü😀 }, then: 'ennd' }", "- b: { set: { x: ü😀 }, then: 'end' }"),
        ("- b: { set: { x: ü😀 }, then: \"ennd\" }", "- b: { set: { x: ü😀 }, then: \"end\" }"),
        (
            "- ü😀: { call: sendMial, with: { to: a@contoso.com, subject: ü, body: x } }",
            "- ü😀: { call: sendMail, with: { to: a@contoso.com, subject: ü, body: x } }"
        ),
    ])
    func `a name or a value becomes the right one`(wrong: String, right: String) throws {
        let found = actions(Self.head + "do:\n  \(wrong)\n", "/nowhere/x.yaml")
        #expect(found.contains { $0.edited == Self.head + "do:\n  \(right)\n" }, "\(found)")
    }

    @Test func `no fix brings another finding`() throws {
        // The function would miss its arguments.
        let text = Self.head + "do:\n  - a: { call: sendMial, with: {} }\n"
        #expect(actions(text, "/nowhere/x.yaml").isEmpty)
    }
}
