import Foundation
import TestSupport
import Testing

@testable import Workflows

/// The forms in which a secret is found, and where a text was cut.
@Suite struct SecretSearchTests {
    private static let secrets = [
        "s3cr3t-k3y", "pa$$ \"word\" <'&>/+=", "äöü€🙂", "a b\\c%d", "&amp;&#39;", "100% <b>", "‹secrets.key›",
        "-----BEGIN KEY-----\nMIIB+/x\n\tab==\n-----END KEY-----\n", String(repeating: "0123456789abcdef", count: 20),
    ]

    private func known(_ secret: String) -> KnownSecrets {
        let known = KnownSecrets()
        known.add(.string(secret), of: ["key"])
        return known
    }

    private func concealed(_ text: String, _ secret: String) -> String {
        ConcealedBytes.conceal(text, known(secret))
    }

    @Test(arguments: secrets)
    func `escaped characters are found, whichever a service escapes`(secret: String) {
        func each(_ write: (Unicode.Scalar) -> String) -> String { secret.unicodeScalars.map(write).joined() }
        func percent(_ scalar: Unicode.Scalar) -> String {
            String(scalar).utf8.map { "%" + String(UInt32($0) + 0x100, radix: 16, uppercase: true).suffix(2) }.joined()
        }
        let names = ["&": "amp", "<": "lt", ">": "gt", "\"": "quot", "'": "apos", "ä": "auml", "€": "euro", "/": "sol"]
        let special: (Unicode.Scalar) -> Bool = { !$0.isASCII || !$0.properties.isAlphabetic && $0.value > 0x2F }
        let ways: [String] = [
            each { "&#\($0.value);" }, each { "&#000\($0.value);" }, each { "&#x\(String($0.value, radix: 16));" },
            each { "&#X000\(String($0.value, radix: 16, uppercase: true));" },
            each { special($0) || "&<>\"'".unicodeScalars.contains($0) ? "&#\($0.value);" : String($0) },
            each { names[String($0)].map { "&\($0);" } ?? ($0 == "&" ? "&amp;" : String($0)) },
            each { scalar in "&<>\"'".unicodeScalars.contains(scalar) ? "&#0\(scalar.value);" : String(scalar) },
            each { String($0).utf16.map { "\\u" + String(UInt32($0) + 0x10000, radix: 16).suffix(4) }.joined() },
            each { percent($0).lowercased() },
            each { $0 == " " ? "+" : percent($0) },
            String(Value.string(secret).json().dropFirst().dropLast()),
            String(Value.string(secret).json().dropFirst().dropLast()).replacing("/", with: "\\/"),
            secret, secret.htmlEscaped,
        ]
        for way in ways { #expect(concealed("<p>\(way)</p>", secret) == "<p>‹secrets.key›</p>", "\(way)") }
    }

    @Test(arguments: secrets, ["\n", "\r\n", " ", "\n  ", "\\n", "\\r\\n", "%0A", "&#10;"])
    func `base64 is found with line breaks at any place`(secret: String, lineBreak: String) {
        for shift in 0..<3 {
            for alphabet in ["+/", "-_"] {
                let bytes = Data(repeating: 0x78, count: shift) + Data(secret.utf8)
                let encoded = bytes.base64EncodedString().replacing("+", with: alphabet.prefix(1))
                    .replacing("/", with: alphabet.suffix(1))
                let core = encoded.prefix(bytes.count * 8 / 6).dropFirst((shift * 8 + 5) / 6)
                for width in [1, 5, 64, 76] {
                    let lines = stride(from: 0, to: encoded.count, by: width).map {
                        encoded.dropFirst($0).prefix(width)
                    }
                    let shown = concealed("key: " + lines.joined(separator: lineBreak), secret)
                    #expect(shown.contains("‹secrets.key›"))
                    let joined = shown.replacing(lineBreak, with: "")
                    #expect(!joined.contains(core.prefix(9)) && !joined.contains(core.suffix(9)), "\(shown)")
                }
            }
        }
    }

    @Test(arguments: secrets)
    func `a text that was cut shows less than 4 bytes of a secret, wherever the cut is`(secret: String) {
        let percent = secret.utf8.map { "%" + String(UInt32($0) + 0x100, radix: 16).suffix(2) }.joined()
        let line = PlainText.line(secret, limit: .max)
        // The text, and how many bytes of the secret are in so many characters of it.
        let ways: [(text: String, bytes: (Int) -> Int)] = [
            (line, { String(String.UnicodeScalarView(line.unicodeScalars.prefix($0))).utf8.count }),
            (percent, { $0 / 3 }),
        ]
        let known = known(secret)
        for way in ways {
            for length in 0...way.text.unicodeScalars.count where way.bytes(length) >= 4 {
                let line = PlainText.line("It said: " + way.text + " and more", limit: 9 + length)
                let shown = ConcealedBytes.conceal(line, known)
                #expect(shown == "It said: ‹secrets.key›…", "\(length)")
            }
        }
    }

    @Test(arguments: [
        "abcde.f.ghi..jklm", "s3cret-ü-0123456789-abcdefghij", "eyJ0eXAi.eyJhdWQi.c2ln",
    ])
    func `a value that a message of jq has cut shows less than 4 bytes of a secret`(secret: String) throws {
        let known = known(secret)
        for before in ["", "Bearer "] {
            for operation in ["tonumber", "keys", ".[0]", "{ a: . } | .[0]", "[.] | tonumber"] {
                let expression = try Expression(operation)
                let error = #expect(throws: (any Error).self) {
                    try expression.first(.string(before + secret + " and more, much more than a message shows"))
                }
                let shown = ConcealedBytes.conceal("\(error.map { "\($0)" } ?? "")", known)
                #expect(!shown.contains(secret.prefix(4)), "\(shown)")
            }
        }
        for length in 4..<secret.count {
            let cut = secret.prefix(length)
            let shown = ConcealedBytes.conceal("string (\"\(cut)...\") cannot be parsed", known)
            #expect(!shown.contains(secret.prefix(4)), "\(shown)")
        }
    }

    @Test func `bytes are cut between two characters`() {
        let bytes = Data("aä€🙂".utf8)
        let beginnings = (0...bytes.count).map { PlainText.beginning(of: bytes, upTo: $0) }
        #expect(
            beginnings == ["…", "a…", "a…", "aä…", "aä…", "aä…", "aä€…", "aä€…", "aä€…", "aä€…", "aä€🙂"])
        #expect(PlainText.beginning(of: Data(bytes.dropFirst()), upTo: 2) == "ä…")
        #expect(PlainText.withoutQuery("https://x/a?b=c#d") == "https://x/a?…")
        #expect(PlainText.withoutQuery("https://x/a#d") == "https://x/a#…")
        #expect(PlainText.withoutQuery("https://x/a") == "https://x/a")
    }

    @Test(arguments: secrets, [1, 2, 7, 100])
    func `a secret that begins in one piece and ends in another is concealed`(secret: String, size: Int) {
        let bytes = Data(("a\u{0}b" + secret + "c" + secret.htmlEscaped + "d").utf8) + Data([0xFF, 0xFE])
        var concealed = ConcealedBytes(known(secret))
        var written = Data()
        for start in stride(from: 0, to: bytes.count, by: size) {
            written += concealed.add(bytes[start..<min(start + size, bytes.count)], isLast: false)
        }
        written += concealed.add(Data(), isLast: true)
        #expect(written == Data("a\u{0}b‹secrets.key›c‹secrets.key›d".utf8) + Data([0xFF, 0xFE]))
    }

    @Test func `ordinary texts are as they were`() {
        let texts = [
            "", "…", "s3c", "s3c…", "&", "&;", "&#;", "&#x;", "&#x110000;", "%", "%4", "\\", "\\u", "\\ud83d", "+",
            "s3cr&…", String(repeating: "&#", count: 10_000), String(repeating: "s3cr", count: 10_000), "s3cr3t-k3x",
        ]
        for text in texts.filter({ $0 != "s3cr&…" }) { #expect(concealed(text, "s3cr3t-k3y") == text) }
        // The beginning of an escaped character is cut with it.
        #expect(concealed("s3cr&…", "s3cr3t-k3y") == "‹secrets.key›…")
        #expect(ConcealedBytes.conceal("s3cr3t-k3y", KnownSecrets()) == "s3cr3t-k3y")
    }
}
