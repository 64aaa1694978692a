import Testing
import Workflows

/// The characters in the classes of regular expressions, as in jq.
struct CharacterClassTests {
    /// A character of each category, and ASCII characters of each kind.
    private let samples =
        "Aa5_ \u{9}$^+.(\u{7F}\u{C1}\u{E1}\u{1C5}\u{2B0}\u{627}\u{301}\u{903}\u{20DD}\u{663}\u{2167}\u{BD}\u{203F}\u{2013}\u{AB}\u{BB}\u{201E}\u{BF}\u{2211}\u{20AC}\u{A8}\u{A9}\u{2003}\u{2028}\u{85}\u{200D}\u{E000}"

    @Test(arguments: [
        ("\\p{L}", "Aa\u{C1}\u{E1}\u{1C5}\u{2B0}\u{627}"),
        ("\\p{Lu}", "A\u{C1}"),
        ("\\p{Ll}", "a\u{E1}"),
        ("\\p{Lt}", "\u{1C5}"),
        ("\\p{Lm}", "\u{2B0}"),
        ("\\p{Lo}", "\u{627}"),
        ("\\p{M}", "\u{301}\u{903}\u{20DD}"),
        ("\\p{Mn}", "\u{301}"),
        ("\\p{Mc}", "\u{903}"),
        ("\\p{Me}", "\u{20DD}"),
        ("\\p{N}", "5\u{663}\u{2167}\u{BD}"),
        ("\\p{Nd}", "5\u{663}"),
        ("\\p{Nl}", "\u{2167}"),
        ("\\p{No}", "\u{BD}"),
        ("\\p{P}", "_.(\u{203F}\u{2013}\u{AB}\u{BB}\u{201E}\u{BF}"),
        ("\\p{S}", "$^+\u{2211}\u{20AC}\u{A8}\u{A9}"),
        ("\\p{Sm}", "+\u{2211}"),
        ("\\p{Sc}", "$\u{20AC}"),
        ("\\p{Sk}", "^\u{A8}"),
        ("\\p{So}", "\u{A9}"),
        ("\\p{Z}", " \u{2003}\u{2028}"),
        ("\\p{Zs}", " \u{2003}"),
        ("\\p{C}", "\u{9}\u{7F}\u{85}\u{200D}\u{E000}"),
        ("\\p{Cc}", "\u{9}\u{7F}\u{85}"),
        ("\\p{Cf}", "\u{200D}"),
        ("[[:alnum:]]", "Aa5\u{C1}\u{E1}\u{1C5}\u{2B0}\u{627}\u{903}\u{663}\u{2167}"),
        ("[[:alpha:]]", "Aa\u{C1}\u{E1}\u{1C5}\u{2B0}\u{627}\u{903}\u{2167}"),
        ("[[:blank:]]", " \u{9}\u{2003}"),
        ("[[:cntrl:]]", "\u{9}\u{7F}\u{85}"),
        ("[[:digit:]]", "5\u{663}"),
        (
            "[[:graph:]]",
            "Aa5_$^+.(\u{C1}\u{E1}\u{1C5}\u{2B0}\u{627}\u{301}\u{903}\u{20DD}\u{663}\u{2167}\u{BD}\u{203F}\u{2013}\u{AB}\u{BB}\u{201E}\u{BF}\u{2211}\u{20AC}\u{A8}\u{A9}\u{200D}\u{E000}"
        ),
        ("[[:lower:]]", "a\u{E1}\u{2B0}"),
        (
            "[[:print:]]",
            "Aa5_ $^+.(\u{C1}\u{E1}\u{1C5}\u{2B0}\u{627}\u{301}\u{903}\u{20DD}\u{663}\u{2167}\u{BD}\u{203F}\u{2013}\u{AB}\u{BB}\u{201E}\u{BF}\u{2211}\u{20AC}\u{A8}\u{A9}\u{2003}\u{2028}\u{200D}\u{E000}"
        ),
        ("[[:punct:]]", "_$^+.(\u{203F}\u{2013}\u{AB}\u{BB}\u{201E}\u{BF}\u{2211}\u{20AC}\u{A8}\u{A9}"),
        ("[[:space:]]", " \u{9}\u{2003}\u{2028}\u{85}"),
        ("[[:upper:]]", "A\u{C1}\u{2167}"),
        ("[[:xdigit:]]", "Aa5"),
        ("[[:word:]]", "Aa5_\u{C1}\u{E1}\u{1C5}\u{2B0}\u{627}\u{301}\u{903}\u{20DD}\u{663}\u{2167}\u{203F}"),
        ("[[:ascii:]]", "Aa5_ \u{9}$^+.(\u{7F}"),
    ])
    func `a class has the characters of its kind and no others`(pattern: String, characters: String) throws {
        let found = try Expression("[match($pattern; \"g\").string] | add").evaluate(
            .string(samples), variables: ["pattern": .string(pattern)])
        #expect(found == [.string(characters)])
    }

    @Test(arguments: [
        ("[[:xdigit:]]", "/09:@AFG`afg", "09AFaf"), ("[[:digit:]]", "/09:", "09"), ("[[:upper:]]", "@AZ[", "AZ"),
        ("[[:lower:]]", "`az{", "az"), ("[[:space:]]", "\u{8}\t\r\u{E} ", "\t\r "),
        ("[[:cntrl:]]", "\u{1F} ", "\u{1F}"),
        ("\\p{Sk}", "]^_`a0", "^`"),
        ("[[:graph:]]", " !~\u{7F}", "!~"), ("[[:print:]]", "\u{1F} ~\u{7F}", " ~"),
    ])
    func `a class of ASCII ends where it ends`(pattern: String, text: String, characters: String) throws {
        let found = try Expression("[match($pattern; \"g\").string] | add").evaluate(
            .string(text), variables: ["pattern": .string(pattern)])
        #expect(found == [.string(characters)])
    }

    @Test(arguments: [
        ("é", "É", true), ("É", "é", true), ("[à-é]", "É", true), ("жук", "ЖУК", true), ("é", "e", false),
        ("[^é]", "É", false), ("é", "È", false),
    ])
    func `without case a letter beyond ASCII is the same in both cases`(pattern: String, text: String, isMatch: Bool)
        throws
    {
        let found = try Expression("test($pattern; \"i\")").evaluate(
            .string(text), variables: ["pattern": .string(pattern)])
        #expect(found == [.bool(isMatch)])
    }

    @Test(arguments: [
        ("(?<=x)b", "ab", false), ("(?<=a)b", "ab", true), ("(?<!a)b", "ab", false), ("(?<!x)b", "ab", true),
        ("a(?=b)", "ac", false), ("a(?=b)", "ab", true), ("a(?!b)", "ab", false), ("a(?!b)", "ac", true),
        ("(a)(b)\\2", "abb", true), ("(a)(b)\\2", "aba", false), ("(?<n>a|bb)c\\k<n>", "bbcbb", true),
        ("(?<n>a|bb)c\\k<n>", "bbcb", false), ("(ab)\\1", "aba", false),
    ])
    func `what is around a match, and what was matched before, counts`(pattern: String, text: String, isMatch: Bool)
        throws
    {
        let found = try Expression("test($pattern)").evaluate(
            .string(text), variables: ["pattern": .string(pattern)])
        #expect(found == [.bool(isMatch)])
    }
}
