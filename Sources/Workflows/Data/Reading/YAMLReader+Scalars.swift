extension YAMLReader {
    /// Throws advice for a character that cannot start a plain scalar.
    func checkPlainStart(isFlow: Bool) throws(ReadingError) {
        let next = position + 1
        let isFollowed = !isBlank(next) && !(isFlow && bytes[next].isFlowIndicator)
        let indicator = Character(Unicode.Scalar(byte))
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "?"), UInt8(ascii: ":"):
            guard !isFollowed else { return }
            throw failure(
                "unexpected-text", "'\(indicator)' cannot start a value here", hint: "put the text in quotes",
                from: position)
        case UInt8(ascii: "@"), UInt8(ascii: "`"):
            throw failure(
                "unexpected-text", "unquoted text cannot start with '\(indicator)'", hint: "put it in quotes",
                from: position)
        case UInt8(ascii: "%"):
            throw failure(
                "unexpected-text", "unquoted text cannot start with '%'", hint: "put it in quotes", from: position)
        case UInt8(ascii: "|"), UInt8(ascii: ">"):
            throw failure(
                "unexpected-text",
                isFlow
                    ? "a text block cannot start inside brackets" : "a text block must be indented more than its key",
                hint: isFlow ? "put the text in quotes" : "put the '\(indicator)' after the key's ':'", from: position)
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            throw failure("unexpected-text", "this '\(indicator)' closes nothing", from: position)
        case UInt8(ascii: ","):
            throw failure(
                "unexpected-text", "unquoted text cannot start with ','", hint: "put it in quotes", from: position)
        case UInt8(ascii: "#"):
            throw failure("unexpected-text", "a comment needs a space before its '#'", from: position)
        default: return
        }
    }

    /// Reads a plain scalar on one or more lines (section 7.3.3).
    mutating func plain(parent: Int, isFlow: Bool) throws(ReadingError) -> String {
        let start = position
        takePlainLine(isFlow: isFlow)
        let end = position
        guard plainContinues(parent: parent, isFlow: isFlow) != nil else {
            if scalar.origins != nil {
                scalar.begin()
                scalar.append(bytes[start..<end])
            }
            return String(decoding: bytes[start..<end], as: UTF8.self)
        }
        scalar.begin()
        scalar.append(bytes[start..<end])
        while let next = plainContinues(parent: parent, isFlow: isFlow) {
            fold(upTo: next)
            if lineIndent <= parent { throw tabFailure() }
            let line = position
            takePlainLine(isFlow: isFlow)
            if !isFlow, byte == UInt8(ascii: ":") { throw longKey(from: start, to: position) }
            scalar.append(bytes[line..<position])
        }
        return scalar.text
    }

    /// Reads a plain scalar's part on the current line, without trailing white space.
    private mutating func takePlainLine(isFlow: Bool) {
        var end = position
        var offset = position
        var isASCII = true
        while offset < count {
            let byte = bytes[offset]
            if byte >= 0x80 { isASCII = false }
            if byte.isWhite {
                offset += 1
                continue
            }
            if byte.isBreak { break }
            if byte == UInt8(ascii: ":") {
                if isBlank(offset + 1) || (isFlow && bytes[offset + 1].isFlowIndicator) { break }
            } else if byte == UInt8(ascii: "#") {
                if offset > position, bytes[offset - 1].isWhite { break }
            } else if isFlow, byte.isFlowIndicator {
                break
            }
            offset += 1
            end = offset
        }
        if !isASCII { noteSpaces(upTo: end) }
        position = end
    }

    /// Warns of characters that look like spaces between this text and what is around it, which are a part of it.
    @inline(never)
    private mutating func noteSpaces(upTo end: Int) {
        let scalars = String(decoding: bytes[position..<end], as: UTF8.self).unicodeScalars
        var offset = position
        var former: Unicode.Scalar?
        for (index, scalar) in zip(scalars.indices, scalars) {
            // After `-` or `?`, a space would make the text an item or a key.
            let isOutside =
                former.map { $0 == ":" || "-?".unicodeScalars.contains($0) && offset == position + 1 } ?? true
                || scalars.index(after: index) == scalars.endIndex
            let next = offset + UTF8.width(scalar)
            if isOutside, PlainText.looksBlank(scalar) {
                note(
                    "foreign-space", "\(PlainText.code(of: scalar)) is no space in YAML",
                    hint: "write a usual space, or put the text in quotes", from: offset, to: next, severity: .warning)
            }
            former = scalar
            offset = next
        }
    }

    /// Where a later line continues the plain scalar that ends at the position; nil if none does.
    private func plainContinues(parent: Int, isFlow: Bool) -> Int? {
        var offset = position
        while bytes[offset].isWhite { offset += 1 }
        guard offset < count, bytes[offset].isBreak else { return nil }
        var line = offset
        while offset < count {
            if bytes[offset].isBreak {
                offset += 1
                line = offset
            } else if bytes[offset].isWhite {
                offset += 1
            } else {
                break
            }
        }
        guard offset < count, bytes[offset] != UInt8(ascii: "#"), !(offset == line && isMarker(at: line)) else {
            return nil
        }
        var indent = line
        while bytes[indent] == UInt8(ascii: " ") { indent += 1 }
        guard indent - line > parent || (offset > indent && !isFlow && offset - line > parent) else { return nil }
        if isFlow {
            if bytes[offset].isFlowIndicator { return nil }
            if bytes[offset] == UInt8(ascii: ":"), isBlank(offset + 1) || bytes[offset + 1].isFlowIndicator {
                return nil
            }
        } else if bytes[offset] == UInt8(ascii: ":"), isBlank(offset + 1) {
            return nil
        }
        return offset
    }

    /// Moves to the offset, and counts the line breaks on the way.
    mutating func takeBreaks(upTo next: Int) -> Int {
        var breaks = 0
        while position < next {
            if byte.isBreak {
                takeBreak()
                breaks += 1
            } else {
                position += 1
            }
        }
        return breaks
    }

    /// Folds line breaks up to the next line's content: one becomes a space, each further one is kept.
    mutating func fold(upTo next: Int) {
        let first = position
        let breaks = takeBreaks(upTo: next)
        if breaks == 1 {
            scalar.append(UInt8(ascii: " "), from: first)
        } else {
            scalar.append(UInt8(ascii: "\n"), from: first, times: breaks - 1)
        }
    }
}
