/// What is left of a text that somebody is still writing.
extension YAMLReader {
    /// The state before an entry of a collection.
    struct Mark {
        let position: Int
        let lineStart: Int
        let pending: Int
        let indents: Int
        let depth: Int
    }

    /// Reads what can be read.
    static func recover(_ source: SourceText, name: String) -> Read {
        var reader = YAMLReader(source, name: name, ignoresTags: true)
        reader.recovers = true
        return (try? reader.read()) ?? (.null, PositionTree(), [])
    }

    var mark: Mark {
        Mark(
            position: position, lineStart: lineStart, pending: pending.count, indents: indents.count, depth: depth)
    }

    /// Moves to the next line that can continue a collection; throws the error if nothing may be left out.
    @inline(never)
    mutating func recover(_ error: ReadingError, from mark: Mark, indent: Int) throws(ReadingError) {
        guard recovers, !isTooDeep else { throw error }
        pending.removeSubrange(mark.pending...)
        indents.removeSubrange(mark.indents...)
        depth = mark.depth
        (position, lineStart) = (mark.position, mark.lineStart)
        repeat {
            while !isAtEnd, !byte.isBreak { position += 1 }
            guard !isAtEnd else { return }
            takeBreak()
        } while !isAtEnd && !(lineIndent <= indent && hasContent)
    }

    private var hasContent: Bool {
        let first = bytes[lineStart + lineIndent]
        return !first.isBlank && first != UInt8(ascii: "#")
    }

    /// Closes a flow collection where it cannot be read any further: at the end of a line.
    @inline(never)
    mutating func closeUnread(_ error: ReadingError, from mark: Mark, parent: Int) throws(ReadingError) {
        guard recovers, !isTooDeep else { throw error }
        depth = mark.depth
        if lineStart > mark.lineStart, lineIndent <= parent {
            // This line belongs to the collections around it.
            let end = lineStart - 1
            position = end
            while position > 0, !bytes[position - 1].isBreak { position -= 1 }
            beginLine()
            position = end
        } else {
            while !isAtEnd, !byte.isBreak { position += 1 }
        }
    }

    /// A value that cannot be read, up to the end of its line.
    func unread(from start: Int) -> Parsed {
        let start = min(start, count)
        var end = start
        while end < count, !bytes[end].isBreak { end += 1 }
        return Parsed(value: .null, node: PositionTree.Node(.empty, from: start, to: end), text: "")
    }

    /// A key that is still being written: a line with one word.
    func word(at start: Int) -> Entry? {
        var end = start
        while end < count, bytes[end].isLetterOrDigit || bytes[end] == UInt8(ascii: "-") && end > start { end += 1 }
        guard end > start, isBlank(end) else { return nil }
        let text = String(decoding: bytes[start..<end], as: UTF8.self)
        let node = PositionTree.Node(.plain, from: start, to: end)
        return Entry(Parsed(value: .string(text), node: node, text: text), from: start, to: end)
    }
}
