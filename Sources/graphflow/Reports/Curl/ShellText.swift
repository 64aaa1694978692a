import Workflows

/// A text in which symbols stand for what is known only when a script runs, cut at the symbols.
struct SymbolicText {
    /// A piece of the text.
    enum Piece: Hashable {
        /// What stands there.
        case literal(String)
        /// A symbol with its brackets.
        case symbol(String)
    }

    let pieces: [Piece]

    init(_ text: String) {
        var pieces: [Piece] = []
        var rest = Substring(text)
        while let match = rest.firstMatch(of: #/‹[^‹›]*›/#) {
            if match.range.lowerBound > rest.startIndex {
                pieces.append(.literal(String(rest[..<match.range.lowerBound])))
            }
            pieces.append(.symbol(String(match.output)))
            rest = rest[match.range.upperBound...]
        }
        if !rest.isEmpty { pieces.append(.literal(String(rest))) }
        self.pieces = pieces
    }

    /// The symbols in order.
    var symbols: [String] {
        pieces.compactMap { piece in
            if case .symbol(let symbol) = piece { symbol } else { nil }
        }
    }

    /// The symbol that the text is; nil where there is more to it.
    var onlySymbol: String? {
        guard pieces.count == 1, case .symbol(let symbol)? = pieces.first else { return nil }
        return symbol
    }
}

extension String {
    /// The text as a word of the shell that stands for nothing but itself.
    var shellQuoted: String { "'" + replacing("'", with: "'\\''") + "'" }

    /// The text as the rest of a comment, whatever is in it.
    var shellComment: String { PlainText.line(self, limit: 300) }
}

extension Value {
    /// Every symbol in the data.
    var symbols: [String] {
        switch self {
        case .string(let text): SymbolicText(text).symbols
        case .array(let elements): elements.flatMap(\.symbols)
        case .object(let members): members.flatMap { $0.value.symbols }
        case .null, .bool, .integer, .double: []
        }
    }
}
