extension YAMLReader {
    /// The source offset of each character of a scalar that was already read, and the end of the last one.
    mutating func characters(of node: PositionTree.Node) -> [Int] {
        scalar.keepOrigins()
        position = Int(node.start)
        lineStart = position
        let parent = Int(node.indent)
        do throws(ReadingError) {
            switch node.style {
            case .plain, .flowPlain: _ = try plain(parent: parent, isFlow: node.style == .flowPlain)
            case .quoted where byte == UInt8(ascii: "'"): _ = try singleQuoted(parent: parent)
            case .quoted: _ = try doubleQuoted(parent: parent)
            case .block: _ = try blockScalar(parent: parent)
            case .collection, .empty: return []
            }
        } catch {
            // This text has already been read without an error.
            return []
        }
        guard let origins = scalar.origins else { return [] }
        let starts = scalar.bytes.indices.filter { !scalar.bytes[$0].isUTF8Continuation }.map { origins[$0] }
        let isQuoted = node.style == .quoted
        return starts + [max(Int(node.end) - (isQuoted ? 1 : 0), starts.last ?? 0)]
    }
}
