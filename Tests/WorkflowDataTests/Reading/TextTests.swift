import Testing
import WorkflowData

/// What texts can do without the large part of Foundation.
struct TextTests {
    @Test(arguments: [
        ("a%20b", "a b"), ("%C3%A9", "é"), ("%c3%a9+", "é+"), ("", ""), ("%", nil), ("%4", nil), ("%zz", nil),
        ("%FF", nil),
        ("a%2", nil), ("%41%42", "AB"),
    ])
    func `percent encoding is decoded, if it is complete and UTF-8`(_ text: String, _ decoded: String?) {
        #expect(text.percentDecoded == decoded)
        #expect(text[...].percentDecoded == decoded)
    }

    @Test(arguments: [(" a b\t", "a b"), ("", ""), (" \t ", ""), ("\n a", "\n a"), ("\u{A0}é", "é")])
    func `white space is trimmed at both ends, but line breaks are not`(_ text: String, _ trimmed: String) {
        #expect(text.trimmed == trimmed)
    }

    @Test(arguments: [
        ("a b ", "a b "), (" ", " "), ("\t", #"\t"#), ("a\n\r\u{0}b", #"a\n\r\u0000b"#), ("\u{A0}", #"\u00a0"#),
        ("\u{200B}a\u{FEFF}", #"\u200ba\ufeff"#), ("a\u{200D}b", #"a\u200db"#), ("\u{3000}x", #"\u3000x"#),
        ("👩‍👩‍👧 ü\u{301}", "👩‍👩‍👧 ü\u{301}"), ("\u{E0041}", #"\udb40\udc41"#),
    ])
    func `a value in a message is shown as it is`(text: String, shown: String) {
        #expect(PlainText.exact(text, limit: 100) == shown)
        #expect(PlainText.exact(shown) == shown)
        #expect(PlainText.exact(String(repeating: text, count: 200), limit: 5).hasSuffix("…"))
    }

    @Test func `a name with an invisible character is told with its code`() {
        #expect(PlainText.invisible(in: "é ü\u{301}ß") == nil)
        #expect(PlainText.invisible(in: "a\u{AD}b") == #"'a\u00adb' has the invisible character U+00AD"#)
        #expect(PlainText.invisible(in: "\u{E0001}")?.hasSuffix("U+E0001") == true)
    }
}
