extension YAMLReader {
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

    @inline(never)
    mutating func blockSequence(indent: Int, parent: Int) throws(ReadingError) -> Parsed {
        let start = position
        try enter(at: start)
        indents.append(indent)
        let base = pending.count
        var elements: [Value] = []
        var (size, height, end) = (1, 0, position)
        while true {
            let item = try element(of: indent)
            elements.append(item.value)
            pending.append(item.node)
            size += item.size
            height = max(height, item.height)
            end = max(end, Int(item.node.end))
            guard try continues(indent) else { break }
            while !isIndicator("-") {
                if parent == indent { break }
                let error = failure(
                    "indentation", "the next list element must start with '- '",
                    hint: "indent this line more if it belongs to the element above", from: position)
                try recover(error, from: mark, indent: indent)
                guard try continues(indent) else { break }
            }
            guard !isAtEnd, lineIndent == indent, isIndicator("-") else { break }
        }
        indents.removeLast()
        leave()
        return close(.array(elements), from: start, to: end, children: base, size: size, height: height + 1)
    }

    @inline(never)
    private mutating func element(of indent: Int) throws(ReadingError) -> Parsed {
        let mark = mark
        do throws(ReadingError) {
            position += 1
            return try blockNode(parent: indent, mayOpen: true, isInMapping: false)
        } catch {
            try recover(error, from: mark, indent: indent)
            return unread(from: mark.position + 1)
        }
    }

    /// Reads a block mapping; the position is after its first key, or at a `?` or `:` if there is none yet.
    @inline(never)
    mutating func blockMapping(indent: Int, first: Entry?) throws(ReadingError) -> Parsed {
        let start = first?.start ?? position
        try enter(at: start)
        indents.append(indent)
        var mapping = MappingBuilder(base: pending.count)
        var entry = first
        var end = position
        while true {
            let mark = mark
            do throws(ReadingError) {
                let value = try self.entry(entry, indent: indent, to: &mapping)
                end = max(end, Int(value.node.end))
            } catch {
                try recover(error, from: mark, indent: indent)
                let value = unread(from: mark.position + 1)
                if let entry { try add(entry, value, to: &mapping) }
                end = max(end, Int(value.node.end))
            }
            guard try continues(indent), try reachKey(&entry, indent, &mapping, &end) else { break }
        }
        indents.removeLast()
        leave()
        return try close(&mapping, from: start, to: end)
    }

    /// Reads the value of a key, or a whole entry that starts with a `?` or `:`.
    @inline(never)
    private mutating func entry(
        _ entry: Entry?, indent: Int, to mapping: inout MappingBuilder
    ) throws(ReadingError) -> Parsed {
        if entry == nil, isIndicator("?") { return try explicitEntry(indent: indent, to: &mapping) }
        guard entry != nil || isIndicator(":") else {
            throw failure("unexpected-text", "expected a key", from: position)
        }
        let key = entry ?? Entry(empty(at: position), from: position, to: position)
        position += 1
        let value = try blockNode(parent: indent, mayOpen: false, isInMapping: true)
        try add(key, value, to: &mapping)
        return value
    }

    /// Reads the next key; false if only lines that cannot be read were left.
    @inline(never)
    private mutating func reachKey(
        _ entry: inout Entry?, _ indent: Int, _ mapping: inout MappingBuilder, _ end: inout Int
    ) throws(ReadingError) -> Bool {
        while true {
            let mark = mark
            do throws(ReadingError) {
                entry = try nextKey(parent: indent)
                return true
            } catch {
                try recover(error, from: mark, indent: indent)
                if let word = word(at: mark.position) {
                    try add(word, empty(at: word.end), to: &mapping)
                    end = max(end, word.end)
                }
                guard try continues(indent) else { return false }
            }
        }
    }

    /// Reads a key after a `?`, and its value after a `:` if there is one.
    @inline(never)
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

    /// Nil at a `?` or `:`.
    @inline(never)
    private mutating func nextKey(parent: Int) throws(ReadingError) -> Entry? {
        if isIndicator("?") || isIndicator(":") { return nil }
        if isIndicator("-") {
            throw failure(
                "indentation", "expected a key of the mapping, not a list element",
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

    @inline(never)
    private func missingColon(after start: Int) -> ReadingError {
        if let colon = unseparated(after: start) { return colon }
        var end = start
        while end < count, !bytes[end].isBreak { end += 1 }
        return failure(
            "missing-colon", "this line is not 'key: value'",
            hint: "put ':' after the key, or indent the line if it continues the text above", from: start, to: end)
    }

    /// Moves to the next line with content; returns whether it continues the collection at this indentation.
    @inline(never)
    private mutating func continues(_ indent: Int) throws(ReadingError) -> Bool {
        while true {
            _ = skipToContent()
            guard !isAtEnd, !isAtMarker else { return false }
            guard lineHasTab || lineIndent > indent else { break }
            let error = lineHasTab ? tabFailure() : misindented()
            try recover(error, from: mark, indent: indent)
        }
        if lineIndent < indent {
            if closed.position != position { closed = (position, []) }
            closed.indents.append(indent)
        }
        return lineIndent == indent
    }

    /// The error for a line whose indentation matches no open collection.
    @inline(never)
    private func misindented() -> ReadingError {
        let known = Set(indents + (closed.position == position ? closed.indents : [])).sorted().map(String.init)
        let list =
            known.count > 1 ? known.dropLast().joined(separator: ", ") + " or " + (known.last ?? "") : known.joined()
        return failure(
            "indentation", "this line is indented by \(lineIndent) spaces, which matches nothing above it",
            hint: "indent it by \(list)", from: position)
    }
}
