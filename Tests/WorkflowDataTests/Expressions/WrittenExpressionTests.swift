import Testing
import WorkflowData

@Suite struct `An expression that is being written` {
    private let input = DataType(of: ["user": ["mail": "x", "ü": 1], "items": [["name": "x"]]])

    @Test(arguments: [
        (".|", ["user", "items"]), (".us|", ["user", "items"]), (".user.|", ["mail", "ü"]),
        (".items[].|", ["name"]), (".items[0].na|me", ["name"]), (".items | map(.|", ["name"]),
        (".items[] | select(.| == 1)", ["name"]), ("{ to: .user.|", ["mail", "ü"]),
        ("[.user.ma|il, 1]", ["mail", "ü"]),
        ("if .user.| then 1", ["mail", "ü"]), ("if .user then .user.|", ["mail", "ü"]),
        ("\"a \\(.user.|", ["mail", "ü"]), (".user as $u | $u.|", ["mail", "ü"]), ("$context.|", ["seen"]),
        (".user // .|", ["user", "items"]),
    ])
    func `knows the members at the cursor`(text: String, names: [String]) throws {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false)
        // The last mark that is no pipe.
        let marks = parts.indices.dropLast().filter { index in
            !parts[index].hasSuffix(" ") || !parts[index + 1].hasPrefix(" ")
        }
        let mark = try #require(marks.last)
        let before = parts[...mark].joined(separator: "|")
        let expression = WrittenExpression(before + parts[(mark + 1)...].joined(separator: "|"))
        let word = try #require(expression.word(at: before.unicodeScalars.count))
        #expect(word.kind == .member)
        let variables = ["context": DataType(of: ["seen": true])]
        let known = expression.known(at: word, input: input, variables: variables)
        #expect(known?.members?.members.map(\.name) == names)
    }

    @Test func `knows its own variables`() throws {
        let expression = WrittenExpression(".items[] as $one | $")
        let word = try #require(expression.word(at: expression.source.count))
        #expect(word.kind == .variable)
        #expect(expression.known(at: word, input: input, variables: [:])?.variables == ["one"])
    }

    @Test(arguments: [(#""a .b"#, 5), (#""a .b" + .c"#, 4), ("12.5", 4)])
    func `has no word in a text or a number`(source: String, offset: Int) {
        #expect(WrittenExpression(source).word(at: offset) == nil)
    }

    @Test(
        arguments: [
            ("a ${ .b } c ${ .d", 6, " .b "), ("a ${ .b } c ${ .d", 17, " .d"), ("a ${ .b }", 1, nil),
            ("${ {a: \"}\"}.a }", 12, " {a: \"}\"}.a "), ("😀 ${ .", 6, " ."), ("${ . }", 6, nil),
        ] as [(String, Int, String?)])
    func `is found around a character`(text: String, offset: Int, source: String?) {
        #expect(WrittenExpression(around: offset, of: text)?.source == source)
    }

    @Test func `has tokens`() {
        let expression = WrittenExpression(#".a | map($b) // "x\(.c)" # end"#)
        let texts = expression.tokens.map { "\($0.kind) \(expression.text($0.range))" }
        #expect(
            texts == [
                "property a", "operator |", "function map", "variable $b", "operator //", #"string "x\("#, "property c",
                #"string )""#,
            ])
        #expect(WrittenExpression.functions.contains { $0.name == "sub" && $0.signature.hasPrefix("sub(") })
    }
}
