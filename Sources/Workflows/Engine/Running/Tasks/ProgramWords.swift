extension LiveTaskPerformer {
    /// The kept size of standard error for the error message: secrets in it must be whole.
    static let errorTail = 64_000
    /// The maximum length of standard error in the error message.
    private static let shownError = (lines: 5, characters: 1_000)

    /// The last lines that a program wrote to its standard error, of which at most ``errorTail`` were kept.
    func lastWords(of standardError: Data, _ program: ChildProgram) -> [TextPart] {
        let search = run.secrets.areInUse ? run.secrets.known.search(adding: program.start.all) : SecretSearch()
        // If something before a secret was dropped, the secret may be cut.
        let whole = standardError.count < Self.errorTail ? standardError : standardError.dropFirst(search.longest)
        return search.told(String(decoding: whole, as: UTF8.self))
            .lastLines(Self.shownError.lines).cut(to: Self.shownError.characters)
    }
}

extension WorkflowError {
    /// The error with what a program wrote before it.
    func after(_ words: [TextPart]) -> WorkflowError {
        guard !words.isEmpty else { return self }
        var error = self
        error.members["detail"] = .text([.plain("\(reason): ")] + words)
        return error
    }
}

extension SecretSearch {
    /// The text with its secrets separated, so it can be cut.
    fileprivate func told(_ text: String) -> [TextPart] { parts(of: text) ?? [.plain(text)] }
}

extension [TextPart] {
    /// The last lines that are not blank, joined; a secret is in one line.
    fileprivate func lastLines(_ count: Int) -> [TextPart] {
        var lines: [[TextPart]] = [[]]
        for part in self {
            guard case .plain(let text) = part else {
                lines[lines.count - 1].append(part)
                continue
            }
            for (index, piece) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
            {
                if index > 0 { lines.append([]) }
                if !piece.isEmpty { lines[lines.count - 1].append(.plain(String(piece))) }
            }
        }
        let filled = lines.filter { line in
            !line.allSatisfy { if case .plain(let text) = $0 { text.allSatisfy(\.isWhitespace) } else { false } }
        }
        return Array(filled.suffix(count).joined(separator: [.plain(" | ")]))
    }

    /// The parts without control characters, and with a mark where they were cut; secrets are not cut.
    fileprivate func cut(to limit: Int) -> [TextPart] {
        var left = limit
        var parts: [TextPart] = []
        for part in self {
            guard case .plain(let text) = part else {
                parts.append(part)
                continue
            }
            guard left > 0 else { return parts + [.plain(PlainText.cutMark)] }
            let words = String(String.UnicodeScalarView(text.unicodeScalars.map { PlainText.isControl($0) ? " " : $0 }))
            parts.append(.plain(PlainText.cut(words, to: left)))
            left -= words.unicodeScalars.count
            if left < 0 { return parts }
        }
        return parts
    }
}
