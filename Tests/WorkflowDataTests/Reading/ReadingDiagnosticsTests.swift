import Testing
import WorkflowData

/// The diagnostics of faulty files, word for word.
@Suite struct `A finding about a file` {
    @Test(arguments: [
        (
            "do:\n\t- a: 1",
            """
            a.yaml:2:1: error: a tab cannot indent a line
             - a: 1
            ^
            hint: indent with spaces
            """
        ),
        (
            "do:\n    - a: 1\n  - b: 2",
            """
            a.yaml:3:3: error: this line is indented by 2 spaces, which matches nothing above it
              - b: 2
              ^
            hint: indent it by 0, 4 or 6
            """
        ),
        (
            "a:\n  b: 1\n  c: 2\n  b: 3",
            """
            a.yaml:4:3: error: the key 'b' is given twice
              b: 3
              ^
            hint: it is first given on line 2
            """
        ),
        (
            "subject: it's \"fine\"\nto: 'megan@contoso.com\ncc: x",
            """
            a.yaml:2:5: error: this single quote is never closed
            to: 'megan@contoso.com
                ^
            hint: put "'" after the text; inside single quotes an apostrophe is written twice
            """
        ),
        (
            "if: ${ .a == {b: 1} }",
            """
            a.yaml:1:16: error: a second ': ' on the line of a key
            if: ${ .a == {b: 1} }
                           ^
            hint: put the value in quotes, or start a mapping on the next line, indented
            """
        ),
        (
            "with: { user: me, size: 240x240\ndo: x",
            """
            a.yaml:2:1: error: this line must be indented more than the key of the list or mapping it is in
            do: x
            ^
            hint: indent it by at least 1, or close the bracket above
            """
        ),
        (
            "with: { user: me",
            """
            a.yaml:1:7: error: this '{' is never closed
            with: { user: me
                  ^
            hint: put '}' after the last entry
            """
        ),
        (
            "a: &photo 1\nb: *poto",
            """
            a.yaml:2:4: error: no anchor is named 'poto'
            b: *poto
               ^~~~~
            hint: did you mean 'photo'?
            """
        ),
        (
            "path: \"C:\\photos\"",
            """
            a.yaml:1:10: error: '\\p' is not an escape sequence
            path: "C:\\photos"
                     ^~
            hint: write '\\\\' for a backslash, or use single quotes
            """
        ),
        (
            "name:me\nto: you",
            """
            a.yaml:1:5: error: a key and its value must be separated by ': '
            name:me
                ^
            hint: put a space after the ':'
            """
        ),
        (
            "to: @me",
            """
            a.yaml:1:5: error: unquoted text cannot start with '@'
            to: @me
                ^
            hint: put it in quotes
            """
        ),
        (
            "日本: \"ok\"\n日本語: \"a\" b",
            """
            a.yaml:2:10: error: the value ends before this text
            日本語: "a" b
                        ^
            hint: put the whole value in quotes
            """
        ),
        (
            "a: 1\n---\nb: 2",
            """
            a.yaml:2:1: error: a file must hold one document, but a second one starts here
            ---
            ^~~
            hint: move it to its own file
            """
        ),
    ])
    func `reads like advice`(_ text: String, _ expected: String) throws {
        let error = #expect(throws: ReadingError.self) { try Document(text: text, name: "a.yaml") }
        #expect(error?.description == expected)
    }

    @Test func `is plain text where no colour is wanted`() {
        let finding = Diagnostic(
            .warning, id: "x", "a \u{1B}[31mred\u{1B}[0m text", file: "a.yaml",
            range: SourceRange(start: .init(line: 1, column: 3), end: .init(line: 1, column: 4)),
            sourceLine: "\tx\u{7}y")
        #expect(finding.text() == "a.yaml:1:3: warning: a \\u001b[31mred\\u001b[0m text\n x\u{FFFD}y\n  ^")
        #expect(finding.text(colour: true).contains("\u{1B}[1;35mwarning:\u{1B}[0m"))
    }

    @Test func `shows the part of a long line that matters`() {
        let line = String(repeating: "x", count: 500) + "HERE" + String(repeating: "y", count: 500)
        let finding = Diagnostic(
            id: "x", "m", file: "a.yaml",
            range: SourceRange(start: .init(line: 1, column: 501), end: .init(line: 1, column: 505)), sourceLine: line)
        let lines = finding.text().split(separator: "\n")
        #expect(lines[1].count <= 122)
        #expect(lines[1].hasPrefix("…x") && lines[1].hasSuffix("y…") && lines[1].contains("HERE"))
        let caret = lines[2].firstIndex(of: "^").map { lines[2].distance(from: lines[2].startIndex, to: $0) } ?? 0
        #expect(lines[1].dropFirst(caret).hasPrefix("HERE"))
        #expect(lines[2].hasSuffix("^~~~"))
    }

    @Test func `without a place points at the beginning of the file, without a file says what is wrong`() {
        #expect(Diagnostic(id: "x", "m", hint: "h", file: "a.yaml").text() == "a.yaml:1:1: error: m\nhint: h")
        #expect(Diagnostic(id: "x", "m").text() == "error: m")
    }

    @Test(
        arguments: [
            ("uplaod", "upload"), ("Upload", "upload"), ("photos", "photo"), ("cretaeLink", "createLink"), ("xyz", nil),
            ("em", "me"),
            ("", nil),
        ] as [(String, String?)])
    func `finds the word that was meant`(_ word: String, _ meant: String?) {
        #expect(Diagnostic.nearest(to: word, among: ["me", "photo", "upload", "createLink", "sendMail"]) == meant)
    }
}
