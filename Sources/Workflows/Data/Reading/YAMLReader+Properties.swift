extension YAMLReader {
    struct Properties {
        var tag: String?
        var anchor: String?
        var start = 0
        var end = 0

        var isEmpty: Bool { tag == nil && anchor == nil }

        /// Adds the properties of a later line; false if there are two tags or two anchors.
        mutating func add(_ more: Properties) -> Bool {
            guard tag == nil || more.tag == nil, anchor == nil || more.anchor == nil else { return false }
            tag = tag ?? more.tag
            anchor = anchor ?? more.anchor
            end = more.end
            return true
        }
    }

    @inline(never)
    mutating func properties() throws(ReadingError) -> Properties {
        var properties = Properties(start: position)
        while true {
            let start = position
            if byte == UInt8(ascii: "&") {
                guard properties.anchor == nil else {
                    throw failure("unexpected-text", "a value can have one anchor only", from: start)
                }
                properties.anchor = try anchorName("anchor")
            } else if byte == UInt8(ascii: "!") {
                guard properties.tag == nil else {
                    throw failure("unexpected-text", "a value can have one tag only", from: start)
                }
                properties.tag = try tag()
            } else {
                throw failure("unexpected-text", "expected a tag, an anchor or a value", from: start)
            }
            properties.end = position
            let end = position
            skipWhite()
            if position > end, byte == UInt8(ascii: "&") || byte == UInt8(ascii: "!") { continue }
            position = end
            guard isAtEnd || byte.isBlank || byte.isFlowEnd else {
                throw failure("unexpected-text", "a space must follow a tag", from: position)
            }
            return properties
        }
    }

    private mutating func anchorName(_ what: String) throws(ReadingError) -> String {
        let start = position
        position += 1
        while !isAtEnd, !byte.isBlank, !byte.isFlowIndicator { position += 1 }
        guard position > start + 1 else {
            throw failure(
                "unexpected-text", "an \(what) needs a name",
                hint: "put the text in quotes if no \(what) is meant", from: start)
        }
        return String(decoding: bytes[(start + 1)..<position], as: UTF8.self)
    }

    @inline(never)
    mutating func alias() throws(ReadingError) -> Parsed {
        let start = position
        let name = try anchorName("alias")
        let node = PositionTree.Node(.empty, from: start, to: position)
        guard let anchor = anchors[name] else {
            let hint = anchors.count <= 1000 ? Diagnostic.didYouMean(name, among: anchors.keys) : nil
            note(
                "unknown-alias", "no anchor is named '\(name)'",
                hint: hint ?? "put the text in quotes if no alias is meant", from: start, to: position)
            return Parsed(value: .null, node: node, text: "")
        }
        guard let parsed = anchor else {
            throw failure(
                "unknown-alias", "the alias '\(name)' is inside the value that it refers to", from: start, to: position)
        }
        expanded += parsed.size
        guard expanded <= Self.expansionLimit else {
            throw failure(
                "alias-expansion", "the aliases of this file expand to more than \(Self.expansionLimit) values",
                from: start, to: position)
        }
        guard depth + parsed.height <= depthLimit else { throw tooDeep(at: start) }
        var place = parsed.node
        place.start = node.start
        place.end = node.end
        place.keyStart = 0
        place.keyEnd = 0
        // A position inside the anchored text cannot be shown at the alias.
        if place.style != .collection { place.style = .empty }
        return Parsed(value: parsed.value, node: place, text: parsed.text, size: parsed.size, height: parsed.height)
    }

    mutating func declare(_ properties: Properties) {
        if let anchor = properties.anchor { anchors.updateValue(.none, forKey: anchor) }
    }

    @inline(never)
    mutating func apply(_ properties: Properties, to parsed: Parsed) throws(ReadingError) -> Parsed {
        if let tag = properties.tag { tagged(parsed, tag, properties) }
        if let anchor = properties.anchor { anchors.updateValue(parsed, forKey: anchor) }
        return parsed
    }

    private mutating func tagged(_ parsed: Parsed, _ tag: String, _ properties: Properties) {
        if tag == "!" || tag == CoreSchema.prefix + "str", let text = parsed.text {
            parsed.value = .string(text)
            if parsed.node.style == .plain || parsed.node.style == .flowPlain { parsed.isTaggedText = true }
            return
        }
        if tag == "!" { return }
        guard let type = CoreSchema.Tag(tag) else {
            if ignoresTags {
                let isPlain = parsed.node.style == .plain || parsed.node.style == .flowPlain
                if isPlain, let text = parsed.text { parsed.value = CoreSchema.value(of: text) }
                return
            }
            let shown = tag.hasPrefix(CoreSchema.prefix) ? "!!" + tag.dropFirst(CoreSchema.prefix.count) : tag
            note(
                "unknown-tag", "the tag '\(shown)' is not known",
                hint: "the tags are !!null, !!bool, !!int, !!float, !!str, !!seq and !!map",
                from: properties.start, to: properties.end)
            return
        }
        if let text = parsed.text, let value = type.value(of: text) {
            parsed.value = value
            return
        }
        switch (type, parsed.value) {
        case (.seq, .array), (.map, .object): return
        default:
            note(
                "tag-mismatch", "this value is not of its tag's type \(type.rawValue)", from: properties.start,
                to: properties.end)
        }
    }

    private mutating func tag() throws(ReadingError) -> String {
        let start = position
        position += 1
        if byte == UInt8(ascii: "<") {
            position += 1
            let first = position
            while !isAtEnd, !byte.isBlank, byte != UInt8(ascii: ">") { position += 1 }
            guard byte == UInt8(ascii: ">"), position > first else {
                throw failure(
                    "unexpected-text", "a tag that starts with '!<' must end with '>'", from: start, to: position)
            }
            position += 1
            return String(decoding: bytes[first..<(position - 1)], as: UTF8.self)
        }
        while !isAtEnd, !byte.isBlank, !byte.isFlowIndicator { position += 1 }
        let word = String(decoding: bytes[start..<position], as: UTF8.self)
        guard word != "!" else { return word }
        guard let mark = word.dropFirst().firstIndex(of: "!") else {
            return (tagHandles["!"] ?? "!") + Self.unescape(word.dropFirst())
        }
        let handle = String(word[...mark])
        let suffix = word[word.index(after: mark)...]
        let known = tagHandles[handle] ?? (handle == "!!" ? CoreSchema.prefix : nil)
        guard !suffix.isEmpty, let known else {
            throw failure(
                "unknown-tag",
                suffix.isEmpty ? "the tag '\(word)' has no name" : "the tag handle '\(handle)' is not declared",
                hint: suffix.isEmpty ? nil : "declare it with '%TAG \(handle) …' above '---'", from: start, to: position
            )
        }
        return known + Self.unescape(suffix)
    }

    private static func unescape(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let first = rest.popFirst() {
            if first == UInt8(ascii: "%"), rest.count >= 2,
                let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(code)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(first)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
