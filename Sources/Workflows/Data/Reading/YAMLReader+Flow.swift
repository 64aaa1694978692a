extension YAMLReader {
    mutating func inlineContent(
        parent: Int, isFlow: Bool, _ properties: Properties
    ) throws(ReadingError) -> Parsed {
        let start = position
        switch byte {
        case UInt8(ascii: "["): return try flowSequence(parent: parent)
        case UInt8(ascii: "{"): return try flowMapping(parent: parent)
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            let text = try byte == UInt8(ascii: "'") ? singleQuoted(parent: parent) : doubleQuoted(parent: parent)
            while allowed < unprintable.count, start..<position ~= unprintable[allowed] { allowed += 1 }
            let node = PositionTree.Node(.quoted, from: start, to: position, indent: parent)
            return Parsed(value: .string(text), node: node, text: text, isQuotedLike: true)
        default:
            try checkPlainStart(isFlow: isFlow)
            let text = try plain(parent: parent, isFlow: isFlow)
            let node = PositionTree.Node(isFlow ? .flowPlain : .plain, from: start, to: position, indent: parent)
            let value = properties.tag == nil ? CoreSchema.value(of: text) : .string(text)
            return Parsed(value: value, node: node, text: text)
        }
    }

    private mutating func flowSequence(parent: Int) throws(ReadingError) -> Parsed {
        let start = position
        try enter(at: start)
        position += 1
        let base = pending.count
        var elements: [Value] = []
        var (size, height) = (1, 0)
        let mark = mark
        do throws(ReadingError) {
            while try !closes(UInt8(ascii: "]"), openedAt: start, parent: parent) {
                let element = try flowElement(parent: parent)
                elements.append(element.value)
                pending.append(element.node)
                size += element.size
                height = max(height, element.height)
                guard try separates(UInt8(ascii: "]"), openedAt: start, parent: parent) else { break }
            }
            position += 1
        } catch {
            try closeUnread(error, from: mark, parent: parent)
        }
        leave()
        let parsed = close(
            .array(elements), from: start, to: position, children: base, size: size, height: height + 1)
        parsed.isQuotedLike = true
        return parsed
    }

    /// Reads an element of a flow sequence: a node, or a single `key: value` pair, which is a mapping.
    private mutating func flowElement(parent: Int) throws(ReadingError) -> Parsed {
        let start = position
        let line = lineStart
        let isExplicit = isFlowIndicator("?")
        if !isExplicit, !isFlowIndicator(":") {
            let element = try flowNode(parent: parent)
            let end = position
            try skipAfterEntry(parent: parent)
            guard byte == UInt8(ascii: ":"), element.isQuotedLike || isFlowIndicator(":") else { return element }
            guard lineStart == line else { throw longKey(from: start, to: position) }
            return try flowPair(Entry(element, from: start, to: end), parent: parent)
        }
        if isExplicit {
            position += 1
            try skipFlow(parent: parent)
        }
        let key = try flowKey(parent: parent)
        return try flowPair(key, parent: parent)
    }

    private mutating func flowPair(_ key: Entry, parent: Int) throws(ReadingError) -> Parsed {
        try enter(at: key.start)
        var mapping = MappingBuilder(base: pending.count)
        let value = try flowValue(of: key, parent: parent)
        try add(key, value, to: &mapping)
        leave()
        return try close(&mapping, from: key.start, to: max(key.end, Int(value.node.end)))
    }

    private mutating func flowMapping(parent: Int) throws(ReadingError) -> Parsed {
        let start = position
        try enter(at: start)
        position += 1
        var mapping = MappingBuilder(base: pending.count)
        let mark = mark
        do throws(ReadingError) {
            while try !closes(UInt8(ascii: "}"), openedAt: start, parent: parent) {
                if isFlowIndicator("?") {
                    position += 1
                    try skipFlow(parent: parent)
                }
                let key = try flowKey(parent: parent)
                let value = try flowValueOrUnread(of: key, parent: parent, &mapping)
                try add(key, value, to: &mapping)
                guard try separates(UInt8(ascii: "}"), openedAt: start, parent: parent) else { break }
            }
            position += 1
        } catch {
            try closeUnread(error, from: mark, parent: parent)
        }
        leave()
        let parsed = try close(&mapping, from: start, to: position)
        parsed.isQuotedLike = true
        return parsed
    }

    /// The key may be empty.
    private mutating func flowKey(parent: Int) throws(ReadingError) -> Entry {
        let start = position
        let isEmpty = isFlowIndicator(":") || byte.isFlowEnd
        let key = isEmpty ? empty(at: start) : try flowNode(parent: parent)
        let end = position
        try skipAfterEntry(parent: parent)
        return Entry(key, from: start, to: end)
    }

    /// Moves to what follows a key or an element, which may be the last that is written.
    private mutating func skipAfterEntry(parent: Int) throws(ReadingError) {
        do throws(ReadingError) { try skipFlow(parent: parent) } catch { if !recovers { throw error } }
    }

    private mutating func flowValueOrUnread(
        of key: Entry, parent: Int, _ mapping: inout MappingBuilder
    ) throws(ReadingError) -> Parsed {
        do throws(ReadingError) { return try flowValue(of: key, parent: parent) } catch {
            if recovers { try add(key, unread(from: key.end + 1), to: &mapping) }
            throw error
        }
    }

    private mutating func flowValue(of key: Entry, parent: Int) throws(ReadingError) -> Parsed {
        guard byte == UInt8(ascii: ":"), key.key.isQuotedLike || isFlowIndicator(":") else { return empty(at: key.end) }
        position += 1
        let end = position
        try skipFlow(parent: parent)
        if byte.isFlowEnd { return empty(at: end) }
        return try flowNode(parent: parent)
    }

    private mutating func flowNode(parent: Int) throws(ReadingError) -> Parsed {
        if byte == UInt8(ascii: "*") { return try alias() }
        guard byte == UInt8(ascii: "&") || byte == UInt8(ascii: "!") else {
            return try inlineContent(parent: parent, isFlow: true, Properties())
        }
        let properties = try properties()
        declare(properties)
        let end = position
        try skipFlow(parent: parent)
        switch byte {
        case _ where byte.isFlowEnd: return try apply(properties, to: empty(at: end))
        case UInt8(ascii: ":") where isFlowIndicator(":"): return try apply(properties, to: empty(at: end))
        case UInt8(ascii: "*"):
            throw failure("unexpected-text", "an alias can have neither tag nor anchor", from: position)
        default: return try apply(properties, to: inlineContent(parent: parent, isFlow: true, properties))
        }
    }

    /// Whether the `?` or `:` at the position is an indicator: followed by white space or a flow indicator.
    private func isFlowIndicator(_ indicator: Unicode.Scalar) -> Bool {
        byte == UInt8(ascii: indicator) && (isBlank(position + 1) || bytes[position + 1].isFlowIndicator)
    }

    private mutating func skipFlow(parent: Int) throws(ReadingError) {
        guard skipToContent().crossed, !isAtEnd else { return }
        if isAtMarker { return }
        // A closing bracket indented less than its key is common and unambiguous.
        if lineIndent <= parent, byte != UInt8(ascii: "]"), byte != UInt8(ascii: "}") {
            if lineHasTab { throw tabFailure() }
            throw failure(
                "indentation", "this line must be indented more than the key of the list or mapping it is in",
                hint: "indent it by at least \(parent + 1), or close the bracket above", from: position)
        }
    }

    private mutating func closes(_ bracket: UInt8, openedAt start: Int, parent: Int) throws(ReadingError) -> Bool {
        try skipFlow(parent: parent)
        if byte == bracket, !isAtEnd { return true }
        try checkInside(bracket, openedAt: start)
        if byte == UInt8(ascii: ",") {
            throw failure("unexpected-text", "a value must come before this ','", from: position)
        }
        return false
    }

    /// Reads the `,` after an entry; false if the collection ends instead.
    private mutating func separates(_ bracket: UInt8, openedAt start: Int, parent: Int) throws(ReadingError) -> Bool {
        try skipFlow(parent: parent)
        if byte == bracket { return false }
        try checkInside(bracket, openedAt: start)
        guard byte == UInt8(ascii: ",") else {
            let closing = Character(Unicode.Scalar(bracket))
            throw failure(
                "unexpected-text", "expected ',' or '\(closing)'",
                hint: "put text that contains ',', ':', brackets or quotes in quotes", from: position)
        }
        position += 1
        return true
    }

    private func checkInside(_ bracket: UInt8, openedAt start: Int) throws(ReadingError) {
        let opening = Character(Unicode.Scalar(bytes[start]))
        let closing = Character(Unicode.Scalar(bracket))
        guard !isAtEnd, !isAtMarker else {
            throw failure(
                "unclosed-bracket", "this '\(opening)' is never closed", hint: "put '\(closing)' after the last entry",
                from: start)
        }
        guard byte != UInt8(ascii: "]"), byte != UInt8(ascii: "}") else {
            let line = source.position(at: start).line
            throw failure(
                "unclosed-bracket", "the '\(opening)' on line \(line) must be closed by '\(closing)'", from: position)
        }
    }
}

extension UInt8 {
    var isFlowEnd: Bool {
        self == UInt8(ascii: ",") || self == UInt8(ascii: "]") || self == UInt8(ascii: "}")
    }
}
