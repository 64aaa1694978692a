extension YAMLReader {
    mutating func document() throws(ReadingError) -> Parsed {
        beginLine()
        try checkCharacters()
        let directives = try prologue()
        var isExplicit = false
        if isAtMarker, byte == UInt8(ascii: "-") {
            position += 3
            isExplicit = true
        } else if directives {
            throw failure(
                "directive", "a line with '---' must follow the directives", hint: "directives start with '%'",
                from: position)
        }
        if !isExplicit, isAtEnd || isAtMarker {
            throw failure("empty-file", "the file is empty", from: position)
        }
        let root = try blockNode(parent: -1, mayOpen: !isExplicit, isInMapping: false)
        do throws(ReadingError) { try epilogue() } catch { if !recovers { throw error } }
        return root
    }

    /// Reads the directives; returns whether there were any.
    private mutating func prologue() throws(ReadingError) -> Bool {
        var found = false
        while true {
            _ = skipToContent()
            if position == lineStart, bytes[position...].starts(with: UTF8Text.byteOrderMark) {
                position += 3
                beginLine()
                continue
            }
            if isAtMarker, byte == UInt8(ascii: "."), !found {
                position += 3
                try endLine()
                continue
            }
            guard byte == UInt8(ascii: "%"), position == lineStart else { return found }
            found = true
            try directive()
        }
    }

    private mutating func directive() throws(ReadingError) {
        let start = position
        while !isAtEnd, !byte.isBreak { position += 1 }
        let words = String(decoding: bytes[start..<position], as: UTF8.self)
            .split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
        let operands = words.dropFirst().prefix { !$0.hasPrefix("#") }
        switch words.first {
        case "%YAML":
            let version = operands.first?.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) } ?? []
            guard version.count == 2, let major = version[0], let minor = version[1] else {
                throw failure("directive", "the version must be given as in '%YAML 1.2'", from: start, to: position)
            }
            guard !hasVersion else {
                throw failure("directive", "the version is given twice", from: start, to: position)
            }
            hasVersion = true
            guard major == 1 else {
                throw failure(
                    "directive", "YAML version \(major) is not known", hint: "write '%YAML 1.2'", from: start,
                    to: position)
            }
            if operands.count > 1 || minor > 2 {
                note(
                    "directive",
                    operands.count > 1
                        ? "only the first version counts" : "YAML \(major).\(minor) is read as YAML 1.2",
                    hint: "write '%YAML 1.2'", from: start, to: position, severity: .warning)
            }
        case "%TAG":
            guard operands.count == 2, let handle = operands.first, let prefix = operands.last,
                handle.hasPrefix("!"), handle.hasSuffix("!")
            else {
                throw failure(
                    "directive", "a tag directive needs a handle and a prefix",
                    hint: "write '%TAG !e! tag:example.com,2026:'",
                    from: start, to: position)
            }
            guard tagHandles.updateValue(prefix, forKey: handle) == nil else {
                throw failure("directive", "the tag handle '\(handle)' is given twice", from: start, to: position)
            }
        default: break
        }
    }

    private mutating func epilogue() throws(ReadingError) {
        var isClosed = false
        while true {
            _ = skipToContent()
            guard !isAtEnd else { return }
            if isAtMarker, byte == UInt8(ascii: ".") {
                position += 3
                try endLine()
                isClosed = true
            } else if isClosed || isAtMarker {
                throw failure(
                    "several-documents", "a file must hold one document, but a second one starts here",
                    hint: "move it to its own file", from: position, to: position + 3)
            } else {
                throw misplaced(at: position)
            }
        }
    }

    private func misplaced(at start: Int) -> ReadingError {
        if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") {
            let bracket = Character(Unicode.Scalar(byte))
            return failure("unexpected-text", "this '\(bracket)' closes nothing", from: start)
        }
        if lineHasTab { return tabFailure() }
        return failure(
            "indentation", "the value above is complete, so this line belongs to nothing",
            hint: "indent it like the lines that it belongs to", from: start)
    }

    /// Only a comment may follow.
    mutating func endLine() throws(ReadingError) {
        let before = position
        skipWhite()
        guard !isAtEnd, !byte.isBreak else { return }
        if byte == UInt8(ascii: "#"), position > before { return }
        throw unexpectedText(before: before)
    }

    private func unexpectedText(before: Int) -> ReadingError {
        var end = position
        while end < count, !bytes[end].isBreak { end += 1 }
        switch byte {
        case UInt8(ascii: "#"):
            return failure("unexpected-text", "a comment needs a space before its '#'", from: position, to: end)
        case UInt8(ascii: ":"):
            return failure(
                "unexpected-text", "this ':' does not end a key",
                hint: "put a space after it, or the text in quotes", from: position)
        case UInt8(ascii: ","):
            return failure(
                "unexpected-text", "the value ends before this ','", hint: "remove the ',', or put all of it in quotes",
                from: position)
        default:
            return failure(
                "unexpected-text", "the value ends before this text", hint: "put the whole value in quotes",
                from: position, to: end)
        }
    }

    /// Rejects control characters, which are invalid in YAML and unsafe in a terminal, and records those allowed only
    /// in quotes.
    private mutating func checkCharacters() throws(ReadingError) {
        for offset in 0..<count {
            let byte = bytes[offset]
            if byte < 0x20 {
                guard byte != 0x09, byte != 0x0A, byte != 0x0D, !recovers else { continue }
                throw unprintableFailure(at: offset)
            }
            guard byte >= 0x7F else { continue }
            let next = bytes[offset + 1]
            switch byte {
            case 0x7F: unprintable.append(offset)
            case 0xC2 where next < 0xA0 && next != 0x85: unprintable.append(offset)
            case 0xEF where next == 0xBF && bytes[offset + 2] >= 0xBE: unprintable.append(offset)
            default: break
            }
        }
    }

    func unprintableFailure(at offset: Int) -> ReadingError {
        let character = String(decoding: bytes[offset..<min(offset + 4, count)], as: UTF8.self).unicodeScalars.first
        let code = PlainText.code(of: character ?? "\u{0}")
        return failure(
            "control-character", "the control character \(code) is not allowed in a file",
            hint: "remove it, or write it in double quotes as \"\\u\(code.dropFirst(2))\"", from: offset)
    }
}
