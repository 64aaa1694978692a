import Workflows

/// A text cut at its unknowns, whose values are only known when a script runs.
struct SymbolicText {
    enum Piece: Hashable {
        /// Text that is known.
        case literal(String)
        /// An unknown with its brackets.
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

    /// The unknowns in order.
    var symbols: [String] {
        pieces.compactMap { piece in
            if case .symbol(let symbol) = piece { symbol } else { nil }
        }
    }

    /// The unknown that makes up the whole text; nil if there is more.
    var onlySymbol: String? {
        guard pieces.count == 1, case .symbol(let symbol)? = pieces.first else { return nil }
        return symbol
    }
}

extension String {
    /// The text as a quoted shell word.
    var shellQuoted: String { "'" + replacing("'", with: "'\\''") + "'" }

    /// The text in one line, safe in a shell comment.
    var shellComment: String { PlainText.line(self, limit: 300) }
}

extension Value {
    /// Every unknown in the data.
    var symbols: [String] {
        switch self {
        case .string(let text): SymbolicText(text).symbols
        case .array(let elements): elements.flatMap(\.symbols)
        case .object(let members): members.flatMap { $0.value.symbols }
        case .null, .bool, .integer, .double, .marked: []
        }
    }
}
