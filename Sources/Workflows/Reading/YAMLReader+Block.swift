extension YAMLReader {
    /// A node in block style, or whatever stands where one may stand.
    ///
    /// - Parameters:
    ///   - parent: The indentation of the collection around it: only what is indented more belongs to it.
    ///   - mayOpen: Whether a block collection may start on the current line, as it may behind `- ` and `? `.
    ///   - isInMapping: Whether it is a mapping's value, which may be a sequence at the mapping's own indentation.
    mutating func blockNode(parent: Int, mayOpen: Bool, isInMapping: Bool) throws(ReadingError) -> Parsed {
        let origin = position
        var mayOpen = mayOpen
        var hasTab = false
        guard try reachContent(parent, isInMapping, &mayOpen, &hasTab) else { return empty(at: origin) }
        guard byte == UInt8(ascii: "&") || byte == UInt8(ascii: "!") else {
            return try blockContent(
                parent: parent, mayOpen: mayOpen, isInMapping: isInMapping, hasTab: hasTab, Properties())
        }
        let line = lineStart
        let start = position
        let properties = try properties()
        let end = position
        guard try reachContent(parent, isInMapping, &mayOpen, &hasTab) else {
            return try apply(properties, to: empty(at: end))
        }
        if lineStart == line {
            // Properties on the line of a key belong to the key, which only the content's reader finds out.
            return try blockContent(
                parent: parent, mayOpen: mayOpen, isInMapping: isInMapping, hasTab: hasTab, properties, from: start)
        }
        declare(properties)
        let content: Parsed
        if byte == UInt8(ascii: "&") || byte == UInt8(ascii: "!") {
            let start = position
            let line = lineStart
            let inner = try self.properties()
            skipWhite()
            guard lineStart == line, !isAtEnd, !byte.isBreak, byte != UInt8(ascii: "#") else {
                throw secondProperties(at: start)
            }
            content = try blockContent(
                parent: parent, mayOpen: mayOpen, isInMapping: isInMapping, hasTab: hasTab, inner, from: start)
            guard content.node.style == .collection, content.node.start == UInt32(start) else {
                throw secondProperties(at: start)
            }
        } else {
            content = try blockContent(
                parent: parent, mayOpen: mayOpen, isInMapping: isInMapping, hasTab: hasTab, Properties())
        }
        return try apply(properties, to: content)
    }

    /// Goes to the next content; false where it is not indented enough to belong here, so that the node is empty.
    private mutating func reachContent(
        _ parent: Int, _ isInMapping: Bool, _ mayOpen: inout Bool, _ hasTab: inout Bool
    ) throws(ReadingError) -> Bool {
        let skipped = skipToContent()
        guard !isAtEnd else { return false }
        guard skipped.crossed || position == lineStart + lineIndent else {
            hasTab = hasTab || skipped.hasTab
            return true
        }
        if isAtMarker { return false }
        if skipped.crossed { mayOpen = true }
        hasTab = lineHasTab
        if lineIndent > parent { return true }
        if hasTab { throw tabFailure() }
        return isInMapping && lineIndent == parent && isIndicator("-")
    }

    private func secondProperties(at start: Int) -> ReadingError {
        failure("unexpected-text", "a value can have one tag and one anchor only", from: start)
    }

    /// The error for a tab where indentation counts.
    func tabFailure() -> ReadingError {
        failure(
            "tab-indentation", "a tab cannot indent a line", hint: "indent with spaces",
            from: lineStart + lineIndent)
    }

    func empty(at offset: Int) -> Parsed {
        Parsed(value: .null, node: PositionTree.Node(.empty, from: offset, to: offset), text: "")
    }

    /// The content of a node, with the properties on its line.
    private mutating func blockContent(
        parent: Int, mayOpen: Bool, isInMapping: Bool, hasTab: Bool, _ properties: Properties, from start: Int? = nil
    ) throws(ReadingError) -> Parsed {
        let start = start ?? position
        let column = start - lineStart
        if isIndicator("-") {
            try checkOpening(mayOpen && properties.isEmpty, hasTab, "a list")
            return try blockSequence(indent: column, parent: parent)
        }
        if isIndicator("?") || isIndicator(":") {
            try checkOpening(mayOpen && (properties.isEmpty || isIndicator(":")), hasTab, "a mapping")
            if !properties.isEmpty {
                declare(properties)
                let key = try apply(properties, to: empty(at: properties.end))
                return try blockMapping(indent: column, first: Entry(key, from: start, to: properties.end))
            }
            return try blockMapping(indent: column, first: nil)
        }
        if byte == UInt8(ascii: "|") || byte == UInt8(ascii: ">") {
            declare(properties)
            return try apply(properties, to: try blockScalar(parent: parent))
        }
        declare(properties)
        var inline = try blockInline(parent: parent, properties)
        let end = position
        skipWhite()
        if byte == UInt8(ascii: ":"), isBlank(position + 1) {
            guard inline.isOneLine else { throw longKey(from: start, to: position) }
            guard mayOpen else { throw keyFailure(at: position) }
            guard !hasTab else { throw tabFailureHere(before: start) }
            inline.parsed = try apply(properties, to: inline.parsed)
            return try blockMapping(indent: column, first: Entry(inline.parsed, from: start, to: end))
        }
        position = end
        try endLine()
        return try apply(properties, to: inline.parsed)
    }

    /// A scalar, alias or flow collection, and whether it is on one line, as a key must be.
    private mutating func blockInline(
        parent: Int, _ properties: Properties
    ) throws(ReadingError) -> (parsed: Parsed, isOneLine: Bool) {
        let line = lineStart
        if byte == UInt8(ascii: "*") {
            guard properties.isEmpty else {
                throw failure("unexpected-text", "an alias can have neither tag nor anchor", from: position)
            }
            return (try alias(), true)
        }
        let parsed = try inlineContent(parent: parent, isFlow: false, properties)
        return (parsed, lineStart == line)
    }

    private func checkOpening(_ mayOpen: Bool, _ hasTab: Bool, _ what: String) throws(ReadingError) {
        guard mayOpen else {
            throw failure(
                "unexpected-text", "\(what) cannot start on this line", hint: "put it on the next line, indented",
                from: position)
        }
        if hasTab { throw tabFailureHere(before: position) }
    }

    private func tabFailureHere(before start: Int) -> ReadingError {
        let tab = bytes[lineStart..<start].lastIndex(of: UInt8(ascii: "\t")) ?? start
        return failure("tab-indentation", "a tab cannot indent a line", hint: "indent with spaces", from: tab)
    }

    /// The error for `a: b: c`.
    private func keyFailure(at colon: Int) -> ReadingError {
        failure(
            "unexpected-text", "a second ': ' on the line of a key",
            hint: "put the value in quotes, or start a mapping on the next line, indented", from: colon)
    }

    /// The error for `key:value` on a line; nil where there is none.
    func unseparated(after start: Int) -> ReadingError? {
        var colon = start
        while colon < count, !bytes[colon].isBreak, bytes[colon] != UInt8(ascii: ":") { colon += 1 }
        guard bytes[colon] == UInt8(ascii: ":"), colon > start, !isBlank(colon + 1),
            bytes[colon + 1] != UInt8(ascii: "/"),
            bytes[start].isLetterOrDigit
        else { return nil }
        return failure(
            "missing-colon", "a key and its value must be separated by ': '", hint: "put a space behind the ':'",
            from: colon)
    }

    /// The error for a key that runs over several lines.
    func longKey(from start: Int, to colon: Int) -> ReadingError {
        if let colon = unseparated(after: start) { return colon }
        let first = source.position(at: start).line
        return failure(
            "unexpected-text", "this ':' ends a text that starts on line \(first), but a key must be on one line",
            hint: "check how this line and the one above are indented", from: colon)
    }
}

extension YAMLReader {
    /// A key as it was read: its text, and where it is.
    struct Entry {
        let key: Parsed
        let start: Int
        let end: Int

        init(_ key: Parsed, from start: Int, to end: Int) {
            self.key = key
            self.start = start
            self.end = end
        }
    }

    /// A block sequence whose first `-` is at the position.
    mutating func blockSequence(indent: Int, parent: Int) throws(ReadingError) -> Parsed {
        let start = position
        try enter(at: start)
        indents.append(indent)
        let base = pending.count
        var elements: [Value] = []
        var (size, height, end) = (1, 0, position)
        while true {
            position += 1
            let item = try blockNode(parent: indent, mayOpen: true, isInMapping: false)
            elements.append(item.value)
            pending.append(item.node)
            size += item.size
            height = max(height, item.height)
            end = max(end, Int(item.node.end))
            guard try continues(indent) else { break }
            guard isIndicator("-") else {
                if parent == indent { break }
                throw failure(
                    "indentation", "a list's next element must start with '- '",
                    hint: "indent this line more if it belongs to the element above", from: position)
            }
        }
        indents.removeLast()
        leave()
        return close(.array(elements), from: start, to: end, children: base, size: size, height: height + 1)
    }

    /// A block mapping; the position is behind its first key, or at a `?` or `:` when there is none yet.
    mutating func blockMapping(indent: Int, first: Entry?) throws(ReadingError) -> Parsed {
        let start = first?.start ?? position
        try enter(at: start)
        indents.append(indent)
        var mapping = MappingBuilder(base: pending.count)
        var entry = first
        var end = position
        while true {
            let value: Parsed
            if let key = entry {
                position += 1
                value = try blockNode(parent: indent, mayOpen: false, isInMapping: true)
                try add(key, value, to: &mapping)
            } else if isIndicator("?") {
                value = try explicitEntry(indent: indent, to: &mapping)
            } else if isIndicator(":") {
                let key = Entry(empty(at: position), from: position, to: position)
                position += 1
                value = try blockNode(parent: indent, mayOpen: false, isInMapping: true)
                try add(key, value, to: &mapping)
            } else {
                throw failure("unexpected-text", "a key must come here", from: position)
            }
            end = max(end, Int(value.node.end))
            guard try continues(indent) else { break }
            entry = try nextKey(parent: indent)
        }
        indents.removeLast()
        leave()
        return try close(&mapping, from: start, to: end)
    }

    /// A key behind `? `, with its value behind `: ` where there is one.
    private mutating func explicitEntry(
        indent: Int, to mapping: inout MappingBuilder
    ) throws(ReadingError) -> Parsed {
        let mark = position
        position += 1
        let key = try blockNode(parent: indent, mayOpen: true, isInMapping: true)
        let entry = Entry(key, from: Int(key.node.start), to: max(Int(key.node.end), mark))
        var value = empty(at: Int(key.node.end))
        if try continues(indent), isIndicator(":") {
            position += 1
            value = try blockNode(parent: indent, mayOpen: true, isInMapping: true)
        }
        try add(entry, value, to: &mapping)
        return value
    }

    /// The next key of a block mapping, at the position; nil where a `?` or `:` stands.
    private mutating func nextKey(parent: Int) throws(ReadingError) -> Entry? {
        if isIndicator("?") || isIndicator(":") { return nil }
        if isIndicator("-") {
            throw failure(
                "indentation", "a list's element stands where a key of the mapping must stand",
                hint: "indent it like the other elements, or more than the key that it belongs to", from: position)
        }
        let start = position
        let line = lineStart
        var properties = Properties()
        if byte == UInt8(ascii: "&") || byte == UInt8(ascii: "!") {
            properties = try self.properties()
            skipWhite()
            declare(properties)
        }
        var key: Parsed
        if !properties.isEmpty, isIndicator(":") {
            key = empty(at: position)
        } else {
            guard !isAtEnd, !byte.isBreak else { throw missingColon(after: start) }
            key = try blockInline(parent: parent, properties).parsed
        }
        let end = position
        key = try apply(properties, to: key)
        skipWhite()
        guard byte == UInt8(ascii: ":"), isBlank(position + 1) else {
            throw missingColon(after: start)
        }
        guard lineStart == line else { throw longKey(from: start, to: position) }
        return Entry(key, from: start, to: end)
    }

    private func missingColon(after start: Int) -> ReadingError {
        if let colon = unseparated(after: start) { return colon }
        var end = start
        while end < count, !bytes[end].isBreak { end += 1 }
        return failure(
            "missing-colon", "this line is no 'key: value'",
            hint: "put ':' behind the key, or indent the line if it continues the text above", from: start, to: end)
    }

    /// Goes to the next line with content, and says whether it continues the block collection at that indentation.
    private mutating func continues(_ indent: Int) throws(ReadingError) -> Bool {
        _ = skipToContent()
        guard !isAtEnd, !isAtMarker else { return false }
        if lineHasTab { throw tabFailure() }
        guard lineIndent > indent else {
            if lineIndent < indent {
                if closed.position != position { closed = (position, []) }
                closed.indents.append(indent)
            }
            return lineIndent == indent
        }
        throw misindented()
    }

    /// The error for a line that is indented like none of the open collections.
    private func misindented() -> ReadingError {
        let known = Set(indents + (closed.position == position ? closed.indents : [])).sorted().map(String.init)
        let list =
            known.count > 1 ? known.dropLast().joined(separator: ", ") + " or " + (known.last ?? "") : known.joined()
        return failure(
            "indentation", "this line is indented by \(lineIndent) spaces, which fits nothing above it",
            hint: "indent it by \(list)", from: position)
    }
}
