extension YAMLReader {
    // Rare paths are kept out of the mutually recursive functions: a file may have 200 levels, and a thread's stack may
    // be small.

    /// Reads a node in block style, which may be empty.
    ///
    /// - Parameters:
    ///   - parent: The enclosing collection's indentation: the node must be indented more.
    ///   - mayOpen: Whether a block collection may start on the current line, as after `- ` and `? `.
    ///   - isInMapping: Whether it is a mapping's value, which may be a sequence at the mapping's indentation.
    mutating func blockNode(parent: Int, mayOpen: Bool, isInMapping: Bool) throws(ReadingError) -> Parsed {
        let origin = position
        var mayOpen = mayOpen
        var hasTab = false
        guard try reachContent(parent, isInMapping, &mayOpen, &hasTab) else { return empty(at: origin) }
        guard byte == UInt8(ascii: "&") || byte == UInt8(ascii: "!") else {
            return try blockContent(
                parent: parent, mayOpen: mayOpen, isInMapping: isInMapping, hasTab: hasTab, Properties())
        }
        return try nodeWithProperties(parent: parent, mayOpen: mayOpen, isInMapping: isInMapping, hasTab: hasTab)
    }

    @inline(never)
    private mutating func nodeWithProperties(
        parent: Int, mayOpen: Bool, isInMapping: Bool, hasTab: Bool
    ) throws(ReadingError) -> Parsed {
        var mayOpen = mayOpen
        var hasTab = hasTab
        let line = lineStart
        let start = position
        var properties = try properties()
        let end = position
        guard try reachContent(parent, isInMapping, &mayOpen, &hasTab) else {
            return try apply(properties, to: empty(at: end))
        }
        if lineStart == line {
            // Properties on a key's line belong to the key, which only becomes clear when the content is read.
            return try blockContent(
                parent: parent, mayOpen: mayOpen, isInMapping: isInMapping, hasTab: hasTab, properties, from: start)
        }
        // The tag and the anchor may be on separate lines.
        while isLineOfProperties {
            let start = position
            let more = try self.properties()
            guard properties.add(more) else { throw secondProperties(at: start) }
            guard try reachContent(parent, isInMapping, &mayOpen, &hasTab) else {
                return try apply(properties, to: empty(at: more.end))
            }
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

    private var isLineOfProperties: Bool {
        var offset = position
        while bytes[offset] == UInt8(ascii: "&") || bytes[offset] == UInt8(ascii: "!") {
            while !isBlank(offset) { offset += 1 }
            while offset < count, bytes[offset].isWhite { offset += 1 }
        }
        return offset > position && (offset >= count || bytes[offset].isBreak || bytes[offset] == UInt8(ascii: "#"))
    }

    /// Moves to the next content; false if it is not indented enough, so the node is empty.
    @inline(never)
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

    @inline(never)
    private func secondProperties(at start: Int) -> ReadingError {
        failure("unexpected-text", "a value can have one tag and one anchor only", from: start)
    }

    @inline(never)
    func tabFailure() -> ReadingError {
        failure(
            "tab-indentation", "a tab cannot indent a line", hint: "indent with spaces",
            from: lineStart + lineIndent)
    }

    func empty(at offset: Int) -> Parsed {
        Parsed(value: .null, node: PositionTree.Node(.empty, from: offset, to: offset), text: "")
    }

    /// Reads a node's content, with the properties on its line.
    @inline(never)
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

    /// Reads a scalar, alias or flow collection; returns whether it is on one line, as a key must be.
    @inline(never)
    mutating func blockInline(
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

    @inline(never)
    private func checkOpening(_ mayOpen: Bool, _ hasTab: Bool, _ what: String) throws(ReadingError) {
        guard mayOpen else {
            throw failure(
                "unexpected-text", "\(what) cannot start on this line", hint: "put it on the next line, indented",
                from: position)
        }
        if hasTab { throw tabFailureHere(before: position) }
    }

    @inline(never)
    private func tabFailureHere(before start: Int) -> ReadingError {
        let tab = bytes[lineStart..<start].lastIndex(of: UInt8(ascii: "\t")) ?? start
        return failure("tab-indentation", "a tab cannot indent a line", hint: "indent with spaces", from: tab)
    }

    @inline(never)
    private func keyFailure(at colon: Int) -> ReadingError {
        failure(
            "unexpected-text", "a second ': ' on the line of a key",
            hint: "put the value in quotes, or start a mapping on the next line, indented", from: colon)
    }

    /// The error for `key:value` on a line; nil if the line has none.
    @inline(never)
    func unseparated(after start: Int) -> ReadingError? {
        var colon = start
        while colon < count, !bytes[colon].isBreak, bytes[colon] != UInt8(ascii: ":") { colon += 1 }
        guard bytes[colon] == UInt8(ascii: ":"), colon > start, !isBlank(colon + 1),
            bytes[colon + 1] != UInt8(ascii: "/"),
            bytes[start].isLetterOrDigit
        else { return nil }
        return failure(
            "missing-colon", "a key and its value must be separated by ': '", hint: "put a space after the ':'",
            from: colon)
    }

    @inline(never)
    func longKey(from start: Int, to colon: Int) -> ReadingError {
        if let colon = unseparated(after: start) { return colon }
        let first = source.position(at: start).line
        return failure(
            "unexpected-text", "this ':' ends a text that starts on line \(first), but a key must be on one line",
            hint: "check how this line and the one above are indented", from: colon)
    }
}
