/// An expression that somebody is writing, and so may be incomplete.
package struct WrittenExpression: Sendable {
    /// A part of the source, in Unicode scalars.
    package struct Token: Sendable, Hashable {
        package enum Kind: Sendable, Hashable {
            case variable, property, function, keyword, string, number, `operator`
        }

        package let kind: Kind
        package let range: Range<Int>
    }

    /// The word at an offset: the name of a member, a variable, or a function.
    package struct Word: Sendable, Hashable {
        package enum Kind: Sendable, Hashable { case member, variable, function, format }

        package let kind: Kind
        package let text: String
        /// Without the sign before it.
        package let range: Range<Int>
    }

    package let source: String
    /// The number of Unicode scalars before it in its text.
    package let offset: Int
    private let scalars: [Unicode.Scalar]

    package init(_ source: String, offset: Int = 0) {
        (self.source, self.offset) = (source, offset)
        scalars = Array(source.unicodeScalars)
    }

    /// The expression in `${ }` around a character of a text; nil if there is none.
    package init?(around character: Int, of text: String) {
        guard let inside = Interpolation.inside(text, at: character) else { return nil }
        self.init(inside.source, offset: inside.offset)
    }

    /// The expressions in the text, in order.
    package static func all(in text: String) -> [WrittenExpression] {
        ((try? Interpolation.pieces(of: text)) ?? []).compactMap { piece in
            if case .expression(let inside) = piece { Self(inside.source, offset: inside.offset) } else { nil }
        }
    }

    /// The functions of the language, each with the names of its arguments.
    package static let functions: [(name: String, signature: String)] = Builtin.names.map { entry in
        let parts = entry.split(separator: "/")
        let (name, count) = (String(parts[0]), parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
        if let source = Prelude.sources[entry], let end = source.firstIndex(of: ":") {
            return (name, String(source[..<end].dropFirst("def ".count)))
        }
        let letters = ["f", "g", "h", "i", "j", "k"].prefix(count).joined(separator: "; ")
        return (name, letters.isEmpty ? name : "\(name)(\(letters))")
    }

    package static var keywords: [String] { Lexer.keywords.filter { !$0.hasPrefix("_") }.sorted() }

    package static var formats: [String] { Format.allCases.map(\.rawValue) }

    /// The tokens up to the first that cannot be read.
    package var tokens: [Token] {
        var tokens: [Token] = []
        _ = scan(source, count: scalars.count) { tokens.append(Token(kind: $0, range: $1)) }
        return tokens
    }

    package func text(_ range: Range<Int>) -> String { String(String.UnicodeScalarView(scalars[range])) }

    /// The word that contains an offset in the source, or ends there.
    package func word(at offset: Int) -> Word? {
        guard 0...scalars.count ~= offset, !isInString(offset) else { return nil }
        func isPart(_ scalar: Unicode.Scalar) -> Bool {
            scalar == "_" || scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        }
        var (start, end) = (offset, offset)
        while start > 0, isPart(scalars[start - 1]) { start -= 1 }
        while end < scalars.count, isPart(scalars[end]) { end += 1 }
        let text = text(start..<end)
        if text.unicodeScalars.first?.properties.numericType != nil { return nil }
        let kind: Word.Kind =
            switch start > 0 ? scalars[start - 1] : " " {
            case ".": .member
            case "$": .variable
            case "@": .format
            default: .function
            }
        return Word(kind: kind, text: text, range: start..<end)
    }

    /// What can stand in place of a word: the type whose member it names, and the variables that have a value there.
    package func known(
        at word: Word, input: DataType, variables: [String: DataType]
    ) -> (members: DataType?, variables: Set<String>)? {
        let name = "graphflow__asked"
        let before = text(0..<word.range.lowerBound)
        let after = text(word.range.upperBound..<scalars.count)
        var candidates = [before + name + after]
        if let closing = closing(upTo: word.range.lowerBound) { candidates.append(before + name + closing) }
        for candidate in candidates {
            guard var parser = try? Parser(candidate, stack: StackMark()), let syntax = try? parser.expression(),
                !parser.isDeep
            else { continue }
            var inference = TypeInference(variables: variables, demandsTexts: false)
            inference.asked = name
            _ = inference.outputs(syntax, input)
            if let answer = inference.answer { return answer }
        }
        return nil
    }

    private func isInString(_ offset: Int) -> Bool {
        var isInString = false
        _ = scan(text(0..<offset), count: offset) { kind, range in isInString = kind == .string && range.isEmpty }
        return isInString
    }

    /// What closes everything that is open before an offset; nil if that cannot be read.
    private func closing(upTo offset: Int) -> String? {
        scan(text(0..<offset) + " ", count: offset + 1) { _, _ in }
            .map { $0.reversed().joined() }
    }

    /// Reads the tokens.
    /// - Parameter take: Receives each; a string that is not closed is the last one, and empty.
    /// - Returns: What closes everything that is open, from the outside; nil after an error.
    private func scan(_ source: String, count: Int, _ take: (Token.Kind, Range<Int>) -> Void) -> [String]? {
        var lexer = Lexer(source)
        var open: [String] = []
        let text = ")\""
        while true {
            // Nothing but a comment or a sign that begins a name can follow.
            guard let token = try? lexer.next() else {
                return count - lexer.position <= 1 && lexer.position > 0 ? open : nil
            }
            let end = lexer.position
            var isText = false
            switch token.kind {
            case .end: return open
            case .identifier: take(.function, token.offset..<end)
            case .field: take(.property, token.offset + 1..<end)
            case .variable: take(.variable, token.offset..<end)
            case .format: take(.function, token.offset..<end)
            case .number: take(.number, token.offset..<end)
            case .quote: isText = true
            case .keyword(let word):
                take(.keyword, token.offset..<end)
                switch word {
                case "if": open.append(" then . end")
                case "then", "else":
                    if open.popLast() != nil { open.append(" end") }
                case "elif":
                    if open.popLast() != nil { open.append(" then . end") }
                case "end": _ = open.popLast()
                default: break
                }
            case .symbol(let symbol):
                switch symbol {
                case "(": open.append(")")
                case "[": open.append("]")
                case "{": open.append("}")
                case ")", "]", "}": isText = open.popLast() == text
                default: take(.operator, token.offset..<end)
                }
            }
            guard isText else { continue }
            guard let part = try? lexer.stringText() else {
                take(.string, count..<count)
                return nil
            }
            take(.string, token.offset..<lexer.position)
            if part.interpolates { open.append(text) }
        }
    }
}
