/// A character as services write it: `%2F`, `+`, `\u002f`, `\/`, `&#47;`, `&#x2f;`, `&sol;`.
struct EscapedCharacter {
    /// The bytes of the character in UTF-8, the first in the lowest place.
    private let packed: UInt32
    let count: Int
    let end: Int

    /// The maximum length, which limits leading zeros.
    private static let longest = 24

    /// Reads the escaped character that begins at an index; nil if there is none.
    init?(_ bytes: [UInt8], at start: Int) {
        let rest = bytes[start..<min(bytes.count, start + Self.longest)]
        switch rest.first {
        case UInt8(ascii: "%"): self.init(percent: rest)
        case UInt8(ascii: "\\"): self.init(json: rest)
        case UInt8(ascii: "&"): self.init(html: rest)
        case UInt8(ascii: "+"): self.init(byte: UInt8(ascii: " "), end: start + 1)
        default: return nil
        }
    }

    static func canBegin(with byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "%"), UInt8(ascii: "\\"), UInt8(ascii: "&"), UInt8(ascii: "+"): true
        default: false
        }
    }

    subscript(index: Int) -> UInt8 { UInt8(truncatingIfNeeded: packed >> UInt32(8 * index)) }

    var isBreak: Bool { count == 1 && self[0].isBreak }

    private init(byte: UInt8, end: Int) { (packed, count, self.end) = (UInt32(byte), 1, end) }

    private init?(_ code: UInt32, end: Int) {
        guard let scalar = Unicode.Scalar(code) else { return nil }
        var (packed, count) = (UInt32(0), 0)
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
            packed |= UInt32(byte) << UInt32(8 * count)
            count += 1
        }
        (self.packed, self.count, self.end) = (packed, count, end)
    }

    private init?(percent rest: ArraySlice<UInt8>) {
        guard let byte = Self.number(rest.dropFirst().prefix(2), digits: 2) else { return nil }
        self.init(byte: UInt8(byte), end: rest.startIndex + 3)
    }

    private init?(json rest: ArraySlice<UInt8>) {
        let end = rest.startIndex + 2
        switch rest.dropFirst().first {
        case UInt8(ascii: "u"):
            guard let unit = Self.number(rest.dropFirst(2).prefix(4), digits: 4) else { return nil }
            guard (0xD800..<0xDC00).contains(unit) else {
                self.init(unit, end: end + 4)
                return
            }
            let second = rest.dropFirst(6)
            guard second.prefix(2).elementsEqual("\\u".utf8),
                let low = Self.number(second.dropFirst(2).prefix(4), digits: 4), (0xDC00..<0xE000).contains(low)
            else { return nil }
            self.init(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00), end: end + 10)
        case UInt8(ascii: "n"): self.init(byte: 0x0A, end: end)
        case UInt8(ascii: "r"): self.init(byte: 0x0D, end: end)
        case UInt8(ascii: "t"): self.init(byte: 0x09, end: end)
        case UInt8(ascii: "b"): self.init(byte: 0x08, end: end)
        case UInt8(ascii: "f"): self.init(byte: 0x0C, end: end)
        case let byte? where "\"\\/'".utf8.contains(byte): self.init(byte: byte, end: end)
        default: return nil
        }
    }

    private init?(html rest: ArraySlice<UInt8>) {
        guard let semicolon = rest.firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let inside = rest[(rest.startIndex + 1)..<semicolon]
        let code =
            if inside.first != UInt8(ascii: "#") {
                HTMLEntity.codes[String(decoding: inside, as: UTF8.self)]
            } else if inside.dropFirst().first.map({ $0 | 0x20 }) == UInt8(ascii: "x") {
                Self.number(inside.dropFirst(2))
            } else {
                UInt32(String(decoding: inside.dropFirst(), as: UTF8.self))
            }
        guard let code else { return nil }
        self.init(code, end: semicolon + 1)
    }

    private static func number(_ bytes: ArraySlice<UInt8>, digits: Int? = nil) -> UInt32? {
        guard bytes.allSatisfy({ $0.hexadecimalDigit != nil }), digits ?? bytes.count == bytes.count else { return nil }
        return UInt32(String(decoding: bytes, as: UTF8.self), radix: 16)
    }
}

extension UInt8 {
    /// Whether it is a line break or a blank, as between lines of base64.
    var isBreak: Bool { self == 0x0A || self == 0x0D || self == 0x20 || self == 0x09 }
}

/// The named characters of HTML that programs write.
///
/// Specification: https://html.spec.whatwg.org/multipage/named-characters.html
private enum HTMLEntity {
    /// Those of Latin-1 from 0xA0 on, in order.
    private static let latin = """
        nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute \
        micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig \
        Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash \
        Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute \
        ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc \
        uuml yacute thorn yuml
        """
    /// Those of ASCII, and a few beyond Latin-1.
    private static let others: [String: Unicode.Scalar] = [
        "amp": "&", "AMP": "&", "lt": "<", "LT": "<", "gt": ">", "GT": ">", "quot": "\"", "QUOT": "\"", "apos": "'",
        "Tab": "\t", "NewLine": "\n", "excl": "!", "num": "#", "dollar": "$", "percnt": "%", "lpar": "(", "rpar": ")",
        "ast": "*", "plus": "+", "comma": ",", "period": ".", "sol": "/", "colon": ":", "semi": ";", "equals": "=",
        "quest": "?", "commat": "@", "lsqb": "[", "lbrack": "[", "bsol": "\\", "rsqb": "]", "rbrack": "]", "Hat": "^",
        "lowbar": "_", "grave": "`", "lcub": "{", "lbrace": "{", "vert": "|", "verbar": "|", "rcub": "}", "rbrace": "}",
        "euro": "€", "hellip": "…", "ndash": "–", "mdash": "—", "lsquo": "‘", "rsquo": "’", "ldquo": "“", "rdquo": "”",
        "bdquo": "„", "lsaquo": "‹", "rsaquo": "›", "trade": "™", "bull": "•",
    ]

    static let codes: [String: UInt32] = {
        var codes = others.mapValues(\.value)
        for (offset, name) in latin.split(separator: " ").enumerated() { codes[String(name)] = UInt32(0xA0 + offset) }
        return codes
    }()
}
