import Foundation
import Testing
import Workflows

@testable import graphflow

/// The pages of the documentation that are made from the program's own descriptions; `UPDATE_SNAPSHOTS=1` writes them.
@Suite struct ReferencePagesTests {
    private static func expect(_ page: String, toBe text: String) throws {
        let file = Repository.folder.appendingPathComponent("Sources/Workflows/Engine/Documentation.docc/\(page).md")
        if ProcessInfo.processInfo.environment["UPDATE_SNAPSHOTS"] == "1" { try Data(text.utf8).write(to: file) }
        let written = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let expected = text.split(separator: "\n")
        // Where they part; all that follows differs as well.
        let difference = zip(written, expected).first { $0 != $1 }
        #expect(difference == nil, "\(page).md: write it anew with UPDATE_SNAPSHOTS=1")
        #expect(written.count == expected.count)
    }

    @Test func `the page of the commands says what their help says`() throws {
        let sections = CommandLineTool.commands.map { command in
            """
            ## \(command.name)

            \(Self.marked(command.summary))

            ```
            \(Help.usage(of: command))
            ```

            \(command.discussion.isEmpty ? "" : Self.paragraphs(command.discussion) + "\n\n")\
            | option | what it does |
            |---|---|
            \(Help.options(of: command).map { option in
                "| \(Self.code(Help.signature(of: option))) | \(Self.cell(option.help)) |"
            }.joined(separator: "\n"))

            Examples:

            ```
            \(command.examples.map { "graphflow \($0)" }.joined(separator: "\n"))
            ```
            """
        }
        try Self.expect(
            "Commands",
            toBe: """
                # Commands

                Every command with all its options, as `graphflow help COMMAND` explains them.

                ## Overview

                [At the command line](CommandLine.md) is the guide to what they are for.

                | command | what it does |
                |---|---|
                \(CommandLineTool.commands.map { command in
                    "| [`\(command.name)`](Commands.md#\(command.name)) | \(Self.cell(command.summary)) |"
                }.joined(separator: "\n"))

                \(sections.joined(separator: "\n\n"))

                ## The exit status

                | status | meaning |
                |---|---|
                \(Help.exitStatuses.map { "| \($0.0) | \(Self.cell($0.1)) |" }.joined(separator: "\n"))

                """)
    }

    @Test func `the page of the functions says what their schemas say`() throws {
        let functions = Catalog.default.functions
        try Self.expect(
            "Functions",
            toBe: """
                # Functions

                Every function that a workflow can call, with its arguments, its result and its permissions.

                ## Overview

                A task calls one by `call: NAME`, or by `call: NAME:VERSION@default`, and gives its arguments under `with`;
                what has a question mark may be left out.
                [Functions of Microsoft Graph](GraphFunctions.md) says what is promised when an answer is lost.

                | function | effect | what it does |
                |---|---|---|
                \(functions.map { function in
                    let link = "[`\(function.name)`](Functions.md#\(function.name.lowercased()))"
                    return "| \(link) | \(function.effect.rawValue) | \(Self.cell(function.summary)) |"
                }.joined(separator: "\n"))

                A function that is `read` changes nothing; what is `idempotent` has the same effect if it is done twice; what is
                `once` must not happen twice, and is never repeated by itself.

                \(functions.map(Self.section).joined(separator: "\n\n"))

                """)
    }

    private static func section(of function: Function) -> String {
        """
        ## \(function.name)

        \(marked(function.summary))

        Version \(function.version), effect `\(function.effect.rawValue)`. \(permissions(function.permissions))

        \(table("argument", function.input) ?? "It takes no arguments.")

        \(table("in the result", function.output) ?? "The result is \(type(of: function.output)).")
        """
    }

    private static func permissions(_ permissions: Permissions) -> String {
        guard !permissions.delegated.isEmpty || !permissions.application.isEmpty else { return "Needs no permissions." }
        func list(_ scopes: [String]) -> String { scopes.map { "`\($0)`" }.joined(separator: ", ") }
        if permissions.delegated == permissions.application { return "Needs \(list(permissions.delegated))." }
        let none = "no permission"
        let delegated = permissions.delegated.isEmpty ? none : list(permissions.delegated)
        let application = permissions.application.isEmpty ? none : list(permissions.application)
        return "Needs \(delegated) for a user, \(application) for an application."
    }

    /// The members of an object and of what is in it; nil if its schema names none.
    private static func table(_ title: String, _ schema: Value) -> String? {
        let rows = members(schema, inside: "", depth: 2)
        guard !rows.isEmpty else { return nil }
        return "| \(title) | type | what it is |\n|---|---|---|\n" + rows.joined(separator: "\n")
    }

    private static func members(_ schema: Value, inside place: String, depth: Int) -> [String] {
        if let elements = schema["items"], schema["properties"] == nil {
            return depth == 0 ? [] : members(elements, inside: "\(place)[]", depth: depth)
        }
        guard depth > 0, let properties = schema["properties"]?.object else { return [] }
        let required = schema["required"]?.array?.compactMap(\.string) ?? []
        return properties.flatMap { name, property in
            let path = place.isEmpty ? name : "\(place).\(name)"
            let mark = required.contains(name) ? "" : "?"
            let text = cell(property["description"]?.string ?? "")
            return ["| `\(path)\(mark)` | \(type(of: property)) | \(text) |"]
                + members(property, inside: path, depth: depth - 1)
        }
    }

    private static func type(of schema: Value) -> String {
        if let values = schema["enum"]?.array {
            return values.map { "`\($0.string ?? $0.json())`" }.joined(separator: ", ")
        }
        let types = schema["type"]?.array?.compactMap(\.string) ?? schema["type"]?.string.map { [$0] } ?? ["any value"]
        let standard = schema["default"].map { "; by default `\($0.string ?? $0.json())`" } ?? ""
        return types.joined(separator: " or ") + standard
    }

    /// The paragraphs of a help text; lines that begin with spaces are code.
    private static func paragraphs(_ text: String) -> String {
        var parts: [String] = []
        var code: [String] = []
        for block in Help.blocks(of: text) + [(text: "end", isVerbatim: false)] {
            if block.isVerbatim, !block.text.isEmpty {
                code.append(block.text)
            } else if !block.isVerbatim {
                if !code.isEmpty { parts.append("```\n\(code.joined(separator: "\n"))\n```") }
                code = []
                parts.append(marked(block.text))
            }
        }
        return parts.dropLast().joined(separator: "\n\n")
    }

    private static func cell(_ text: String) -> String {
        marked(text.replacing("\n", with: " ")).replacing("|", with: "\\|")
    }

    private static func code(_ text: String) -> String { "`\(text.replacing("|", with: "\\|"))`" }

    /// Plain text as Markdown: what it has in single quotes is code, and no character of it means anything else.
    private static func marked(_ text: String) -> String {
        let quoted = text.replacingOccurrences(
            of: "(?<![A-Za-z])'([^']+)'(?![A-Za-z])", with: "`$1`", options: .regularExpression)
        return quoted.components(separatedBy: "`").enumerated().map { number, part in
            let isCode = number % 2 == 1
            return isCode ? "`\(part)`" : part.replacing("*", with: "\\*").replacing("<", with: "\\<")
        }.joined()
    }
}
