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
}
