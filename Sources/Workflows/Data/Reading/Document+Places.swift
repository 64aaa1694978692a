extension Document {
    /// Where somebody writes in a text.
    package struct Place: Sendable, Hashable {
        package enum Kind: Sendable, Hashable {
            /// In the name of a member.
            case key
            /// In a scalar, or where an empty value can be filled.
            case value
            /// Between the members or elements of a collection, where another one can be added.
            case inside
        }

        package let kind: Kind
        /// The member, the value, or the collection.
        package let pointer: JSONPointer
        /// The bytes of the name or scalar; empty where there is none yet.
        package let bytes: Range<Int>
    }

    /// The place at an offset in bytes; nil where nothing can be written, as in a comment.
    package func place(at offset: Int) -> Place? {
        // Of a text that is too large, only the beginning is read.
        let offset = min(offset, source.count)
        var (node, value, pointer) = (tree.root, value, JSONPointer.root)
        if node.style != .collection {
            return Place(kind: .value, pointer: pointer, bytes: Int(node.start)..<Int(node.end))
        }
        if isComment(offset) { return nil }
        while node.style == .collection {
            let children = members(of: node, value)
            guard
                let found = children.last(where: { child in
                    isInKey(child.node, offset) || Int(child.node.start)...Int(child.node.end) ~= offset
                })
            else { return place(at: offset, between: children, of: node, pointer) }
            pointer = pointer.appending(found.name)
            if isInKey(found.node, offset) {
                return Place(kind: .key, pointer: pointer, bytes: Int(found.node.keyStart)..<Int(found.node.keyEnd))
            }
            (node, value) = (found.node, found.value)
        }
        return Place(kind: .value, pointer: pointer, bytes: Int(node.start)..<Int(node.end))
    }

    /// The offset in bytes of each character of a scalar, and the end of the last one; empty for anything else.
    package func characters(of pointer: JSONPointer) -> [Int] {
        let (node, isExact) = tree.node(at: pointer, in: value)
        guard isExact, node.style != .collection, node.style != .empty else { return [] }
        var reader = YAMLReader(source, name: name)
        return reader.characters(of: node)
    }

    /// The bytes of a member's name; nil if it has none.
    package func keyBytes(of pointer: JSONPointer) -> Range<Int>? {
        let (node, isExact) = tree.node(at: pointer, in: value)
        return isExact && node.keyEnd > 0 ? Int(node.keyStart)..<Int(node.keyEnd) : nil
    }

    private typealias Child = (name: String, node: PositionTree.Node, value: Value)

    private func members(of node: PositionTree.Node, _ value: Value) -> [Child] {
        let named: [(String, Value)] =
            switch value {
            case .object(let object): object.map { ($0.key, $0.value) }
            case .array(let array): array.enumerated().map { ("\($0.offset)", $0.element) }
            default: []
            }
        return named.enumerated().compactMap { position, entry in
            tree.child(position, of: node).map { (entry.0, $0, entry.1) }
        }
    }

    private func isInKey(_ node: PositionTree.Node, _ offset: Int) -> Bool {
        node.keyEnd > 0 && Int(node.keyStart)...Int(node.keyEnd) ~= offset
    }

    /// The place in a collection, but in none of its members.
    private func place(
        at offset: Int, between children: [Child], of node: PositionTree.Node, _ pointer: JSONPointer
    ) -> Place? {
        let isFlow = [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(source.bytes[Int(node.start)])
        let here = Place(kind: .inside, pointer: pointer, bytes: offset..<offset)
        // The collections and the last value above this line, from the outside to the inside.
        var chain: [(pointer: JSONPointer, node: PositionTree.Node, column: Int)] = [
            (pointer, node, Int(node.start) - lineStart(Int(node.start)))
        ]
        var next = children.last { start(of: $0.node) <= offset }
        while let (name, node, value) = next {
            let pointer = chain[chain.count - 1].pointer.appending(name)
            chain.append((pointer, node, Int(node.start) - lineStart(Int(node.start))))
            next = members(of: node, value).last { start(of: $0.node) <= offset }
        }
        let last = chain[chain.count - 1]
        if last.node.style == .empty, hasMark(last.node), Int(last.node.end) <= offset,
            isBlank(Int(last.node.end)..<offset)
        {
            return Place(kind: .value, pointer: last.pointer, bytes: offset..<offset)
        }
        if isFlow, Int(node.start) < offset, offset < Int(node.end) { return here }
        let line = lineStart(offset)
        guard isBlank(line..<offset) else { return nil }
        let column = offset - line
        for index in chain.indices.reversed() {
            let entry = chain[index]
            let outer = index > 0 ? chain[index - 1].column : -1
            if entry.node.style == .empty, column > outer {
                return Place(kind: .value, pointer: entry.pointer, bytes: offset..<offset)
            }
            // A list may be indented like the key that it belongs to.
            guard entry.node.style == .collection, column >= entry.column, entry.column > outer || index == 0 else {
                continue
            }
            return Place(kind: .inside, pointer: entry.pointer, bytes: offset..<offset)
        }
        return nil
    }

    private func start(of node: PositionTree.Node) -> Int { Int(node.keyEnd > 0 ? node.keyStart : node.start) }

    /// Whether an empty value follows its `:` or `-`.
    private func hasMark(_ node: PositionTree.Node) -> Bool {
        let end = Int(node.start)
        return end > 0 && [UInt8(ascii: ":"), UInt8(ascii: "-")].contains(source.bytes[end - 1])
    }

    private func isBlank(_ range: Range<Int>) -> Bool { source.bytes[range].allSatisfy(\.isWhite) }

    private func lineStart(_ offset: Int) -> Int {
        var start = min(offset, source.count)
        while start > 0, !source.bytes[start - 1].isBreak { start -= 1 }
        return start
    }

    private func isComment(_ offset: Int) -> Bool {
        var position = lineStart(offset)
        while source.bytes[position].isWhite { position += 1 }
        return position < offset && source.bytes[position] == UInt8(ascii: "#")
    }
}
