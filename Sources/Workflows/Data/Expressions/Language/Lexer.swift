struct Lexer {
    static let keywords: Set<String> = [
        "def", "if", "then", "elif", "else", "end", "as", "reduce", "foreach", "try", "catch", "label", "import",
        "include", "and", "or", "__loc__", "module", "break",
    ]
    private static let symbols = [
        "?//", "|=", "+=", "-=", "*=", "/=", "%=", "//=", "==", "!=", "<=", ">=", "//", "..",
    ].sorted { $0.utf8.count > $1.utf8.count }.map { Array($0.unicodeScalars) }

    let scalars: [Unicode.Scalar]
    private(set) var position: Int

    init(_ source: String) {
        scalars = Array(source.unicodeScalars)
        position = 0
    }

    /// From 1.
    func line(of offset: Int) -> Int { scalars.prefix(offset).count { $0 == "\n" } + 1 }

    mutating func next() throws(ExpressionError) -> Token {
        skipSpace()
        let start = position
        guard let scalar = peek() else { return Token(kind: .end, offset: start) }
        switch scalar {
        case "\"":
            position += 1
            return Token(kind: .quote, offset: start)
        case ".":
            if let next = peek(1), Self.startsName(next) {
                position += 1
                return Token(kind: .field(name()), offset: start)
            }
            if let next = peek(1), Self.isDigit(next) { return try number(from: start) }
        case "$":
            position += 1
            skipSpace()
            guard let next = peek(), Self.startsName(next) else {
                throw ExpressionError("a variable's name is missing after '$'", offset: start)
            }
            return Token(kind: .variable(qualifiedName()), offset: start)
        case "@":
            guard let next = peek(1), Self.continuesName(next) else { break }
            position += 1
            return Token(kind: .format(name()), offset: start)
        default:
            if Self.isDigit(scalar) { return try number(from: start) }
            if Self.startsName(scalar) {
                let name = qualifiedName()
                return Token(kind: Self.keywords.contains(name) ? .keyword(name) : .identifier(name), offset: start)
            }
        }
        for symbol in Self.symbols where scalars[position...].starts(with: symbol) {
            position += symbol.count
            if symbol == ["." as Unicode.Scalar, "."], peek() == "." {
                throw ExpressionError("unexpected character '.'", offset: position)
            }
            var text = String.UnicodeScalarView()
            text.append(contentsOf: symbol)
            return Token(kind: .symbol(String(text)), offset: start)
        }
        guard ".?=;,:|+-*/%<>()[]{}".unicodeScalars.contains(scalar) else {
            let shown = PlainText.looksBlank(scalar) ? PlainText.code(of: scalar) : "'\(scalar)'"
            throw ExpressionError("unexpected character \(shown)", offset: start)
        }
        position += 1
        return Token(kind: .symbol(String(Character(scalar))), offset: start)
    }

    /// Reads a string's text up to its closing quote or past the start of an interpolation.
    mutating func stringText() throws(ExpressionError) -> (text: String, interpolates: Bool) {
        var text = String.UnicodeScalarView()
        let start = position
        while let scalar = peek() {
            position += 1
            switch scalar {
            case "\"": return (String(text), false)
            case "\\":
                guard let escaped = peek() else { break }
                position += 1
                switch escaped {
                case "(": return (String(text), true)
                case "\"", "\\", "/": text.append(escaped)
                case "b": text.append("\u{8}")
                case "f": text.append("\u{C}")
                case "n": text.append("\n")
                case "r": text.append("\r")
                case "t": text.append("\t")
                case "u": text.append(try unicodeEscape())
                default: throw ExpressionError("unknown escape '\\\(escaped)' in a string", offset: position - 2)
                }
            default: text.append(scalar)
            }
        }
        throw ExpressionError("the string is not closed", offset: max(start - 1, 0))
    }

    private mutating func unicodeEscape() throws(ExpressionError) -> Unicode.Scalar {
        let first = try fourDigits()
        if (0xD800..<0xDC00).contains(first), peek() == "\\", peek(1) == "u" {
            let before = position
            position += 2
            let second = try fourDigits()
            if (0xDC00..<0xE000).contains(second),
                let pair = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
            {
                return pair
            }
            position = before
        }
        return Unicode.Scalar(first) ?? "\u{FFFD}"
    }

    private mutating func fourDigits() throws(ExpressionError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let scalar = peek(), let digit = Character(scalar).hexDigitValue, scalar.isASCII else {
                throw ExpressionError("'\\u' needs four hexadecimal digits", offset: position)
            }
            code = code << 4 + UInt32(digit)
            position += 1
        }
        return code
    }

    private mutating func number(from start: Int) throws(ExpressionError) -> Token {
        var text = ""
        var isInteger = true
        func takeDigits(_ lexer: inout Lexer) {
            while let scalar = lexer.peek(), Lexer.isDigit(scalar) {
                text.unicodeScalars.append(scalar)
                lexer.position += 1
            }
        }
        takeDigits(&self)
        if peek() == ".", text.isEmpty || peek(1) != "." {
            isInteger = false
            text += text.isEmpty ? "0" : ""
            position += 1
            // Without a digit after the point, the number is whole.
            if let digit = peek(), Self.isDigit(digit) {
                text += "."
                takeDigits(&self)
            }
        }
        if let scalar = peek(), scalar == "e" || scalar == "E" {
            let sign = peek(1) == "+" || peek(1) == "-" ? 1 : 0
            if let digit = peek(1 + sign), Self.isDigit(digit) {
                isInteger = false
                text += "e"
                if sign == 1, peek(1) == "-" { text += "-" }
                position += 1 + sign
                takeDigits(&self)
            }
        }
        if isInteger, let integer = Int(text) { return Token(kind: .number(.integer(integer)), offset: start) }
        guard let double = Double(text) else {
            throw ExpressionError("'\(text)' is not a number", offset: start)
        }
        return Token(kind: .number(.literal(double, written: text.utf8)), offset: start)
    }

    private mutating func name() -> String {
        var name = String.UnicodeScalarView()
        while let scalar = peek(), Self.continuesName(scalar) {
            name.append(scalar)
            position += 1
        }
        return String(name)
    }

    private mutating func qualifiedName() -> String {
        var text = name()
        while peek() == ":", peek(1) == ":", let next = peek(2), Self.startsName(next) {
            position += 2
            text += "::" + name()
        }
        return text
    }

    private mutating func skipSpace() {
        while let scalar = peek() {
            if scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r" {
                position += 1
            } else if scalar == "#" {
                skipComment()
            } else {
                return
            }
        }
    }

    /// A comment ends with its line; an odd number of backslashes there continues it on the next line.
    private mutating func skipComment() {
        var backslashes = 0
        while let scalar = peek() {
            if scalar == "\n" || (scalar == "\r" && peek(1) == "\n") {
                guard backslashes % 2 == 1 else { return }
                if scalar == "\r" { position += 1 }
            }
            backslashes = scalar == "\\" ? backslashes + 1 : 0
            position += 1
        }
    }

    private func peek(_ distance: Int = 0) -> Unicode.Scalar? {
        position + distance < scalars.count ? scalars[position + distance] : nil
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    private static func startsName(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || scalar == "_"
    }

    private static func continuesName(_ scalar: Unicode.Scalar) -> Bool { startsName(scalar) || isDigit(scalar) }
}
