extension YAMLReader {
    struct MappingBuilder {
        let base: Int
        var object = Object()
        var size = 1
        var height = 0
        /// The members merged by `<<`, appended after the mapping's own.
        var merge: (entry: Entry, value: Parsed)?
    }

    @inline(never)
    mutating func add(
        _ entry: Entry, _ value: Parsed, to mapping: inout MappingBuilder
    ) throws(ReadingError) {
        mapping.size += 1 + value.size
        mapping.height = max(mapping.height, value.height)
        guard let text = entry.key.text else {
            note("key-type", "a key must be a string, but this is a collection", from: entry.start, to: entry.end)
            return
        }
        if text == "<<", !entry.key.isTaggedText, entry.key.node.style == .plain || entry.key.node.style == .flowPlain {
            guard mapping.merge == nil else {
                note(
                    "duplicate-key", "'<<' is given twice", hint: "write '<<: [*one, *two]'", from: entry.start,
                    to: entry.end)
                return
            }
            mapping.merge = (entry, value)
            return
        }
        if let position = mapping.object.position(of: text) {
            guard findings.count < Self.findingsLimit else { return }
            let first = source.position(at: Int(pending[mapping.base + position].keyStart)).line
            note(
                "duplicate-key", "the key '\(text)' is given twice", hint: "it is first given on line \(first)",
                from: entry.start, to: entry.end)
            return
        }
        mapping.object.append(text, value.value)
        var node = value.node
        node.keyStart = UInt32(entry.start)
        node.keyEnd = UInt32(entry.end)
        pending.append(node)
    }

    @inline(never)
    mutating func close(
        _ mapping: inout MappingBuilder, from start: Int, to end: Int
    ) throws(ReadingError) -> Parsed {
        if let (entry, value) = mapping.merge { merge(value, entry, into: &mapping) }
        return close(
            .object(mapping.object), from: start, to: end, children: mapping.base, size: mapping.size,
            height: mapping.height + 1)
    }

    /// Adds members of the mappings after `<<` that the mapping lacks; the first mapping wins.
    @inline(never)
    private mutating func merge(_ merged: Parsed, _ entry: Entry, into mapping: inout MappingBuilder) {
        var sources: [(value: Value, node: PositionTree.Node)] = [(merged.value, merged.node)]
        if case .array(let values) = merged.value {
            sources = values.indices.map { (values[$0], tree.child($0, of: merged.node) ?? merged.node) }
        }
        for source in sources {
            guard case .object(let object) = source.value else {
                note(
                    "merge-key", "'<<' takes a mapping or a list of mappings, but this is \(source.value.typeName)",
                    hint: "write \"<<\" in quotes if a key of that name is meant", from: entry.start, to: entry.end)
                continue
            }
            for position in object.indices where !mapping.object.contains(object[position].key) {
                mapping.object.append(object[position].key, object[position].value)
                pending.append(tree.child(position, of: source.node) ?? source.node)
            }
        }
    }
}
