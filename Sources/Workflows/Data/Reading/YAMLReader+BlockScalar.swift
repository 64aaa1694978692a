extension YAMLReader {
    private struct Header {
        var isFolded = false
        /// Whether the last line break and the empty lines after it are kept; nil keeps only the last line break.
        var keeps: Bool?
        var indentation: Int?
    }

    /// Reads a literal or folded block scalar whose `|` or `>` is at the position (section 8.1).
    mutating func blockScalar(parent: Int) throws(ReadingError) -> Parsed {
        let start = position
        let header = try blockHeader()
        scalar.begin()
        var end = position
        if !isAtEnd { takeBreak() }
        let indent: Int
        if let indentation = header.indentation {
            indent = max(parent, 0) + indentation
        } else {
            indent = try detectIndent(parent: parent, openedAt: start)
        }
        var breaks = takeEmptyLines(indent)
        var pendingBreak: (offset: Int, isFoldable: Bool)?
        while !isAtEnd, lineIndent >= indent, !isMarker(at: lineStart) {
            position = lineStart + indent
            let isPlainLine = !byte.isWhite
            if let last = pendingBreak {
                if header.isFolded, last.isFoldable, isPlainLine {
                    if breaks == 0 { scalar.append(UInt8(ascii: " "), from: last.offset) }
                } else {
                    scalar.append(UInt8(ascii: "\n"), from: last.offset)
                }
            }
            scalar.append(UInt8(ascii: "\n"), from: lineStart, times: breaks)
            let line = position
            while !isAtEnd, !byte.isBreak { position += 1 }
            scalar.append(bytes[line..<position])
            end = position
            pendingBreak = (position, isPlainLine)
            guard !isAtEnd else {
                breaks = 0
                break
            }
            takeBreak()
            breaks = takeEmptyLines(indent)
        }
        if !isAtEnd, lineHasTab, lineIndent < indent, lineIndent <= parent || scalar.bytes.isEmpty {
            throw tabFailure()
        }
        if let last = pendingBreak, header.keeps != false, end < count {
            scalar.append(UInt8(ascii: "\n"), from: last.offset)
        }
        if header.keeps == true { scalar.append(UInt8(ascii: "\n"), from: end, times: breaks) }
        let text = scalar.text
        let node = PositionTree.Node(.block, from: start, to: end, indent: parent)
        return Parsed(value: .string(text), node: node, text: text)
    }

    private mutating func blockHeader() throws(ReadingError) -> Header {
        let start = position
        var header = Header(isFolded: byte == UInt8(ascii: ">"))
        position += 1
        while !isAtEnd, !byte.isBlank {
            switch byte {
            case UInt8(ascii: "+") where header.keeps == nil: header.keeps = true
            case UInt8(ascii: "-") where header.keeps == nil: header.keeps = false
            case UInt8(ascii: "1")...UInt8(ascii: "9") where header.indentation == nil:
                header.indentation = Int(byte - UInt8(ascii: "0"))
            default:
                let mark = Character(Unicode.Scalar(bytes[start]))
                throw failure(
                    "unexpected-text", "after '\(mark)' only '+', '-' and an indentation from 1 to 9 are allowed",
                    hint: "start the text on the next line, or put it in quotes", from: position)
            }
            position += 1
        }
        try endLine()
        while !isAtEnd, !byte.isBreak { position += 1 }
        return header
    }

    /// Skips lines that are empty except for indentation, and counts them.
    private mutating func takeEmptyLines(_ indent: Int) -> Int {
        var breaks = 0
        while !isAtEnd {
            var offset = lineStart
            while offset - lineStart < indent, bytes[offset] == UInt8(ascii: " ") { offset += 1 }
            guard bytes[offset].isBreak else {
                // Trailing spaces without a line break also count as an empty line.
                if offset >= count {
                    position = count
                    if offset > lineStart { breaks += 1 }
                }
                break
            }
            position = offset
            takeBreak()
            breaks += 1
        }
        return breaks
    }

    /// The first non-empty line's indentation; if there is none, that of the longest empty line.
    private func detectIndent(parent: Int, openedAt start: Int) throws(ReadingError) -> Int {
        var line = lineStart
        var longest = (indent: 0, offset: lineStart)
        while true {
            var offset = line
            while bytes[offset] == UInt8(ascii: " ") { offset += 1 }
            let indent = offset - line
            if offset >= count { return max(longest.indent, indent, parent + 1) }
            guard bytes[offset].isBreak else {
                guard indent > parent, !isMarker(at: line) else {
                    return max(longest.indent, parent + 1)
                }
                guard longest.indent <= indent else {
                    throw failure(
                        "indentation", "this empty line has more spaces than the first line of the text",
                        hint: "remove its spaces, or give the indentation after the '|' or '>'", from: longest.offset)
                }
                return indent
            }
            if indent > longest.indent { longest = (indent, line) }
            line = offset + (bytes[offset] == UInt8(ascii: "\r") && bytes[offset + 1] == UInt8(ascii: "\n") ? 2 : 1)
        }
    }
}
