/// Reads one YAML 1.2.2 document, of which JSON is a part, into a value and the positions of its nodes.
///
/// A descent through the productions of the specification: block collections end where the indentation says so, and a
/// node on one line turns into a mapping's key when a `:` follows it. What makes no sense stops the reading; findings
/// that do not confuse what follows, such as a name given twice, are gathered.
struct YAMLReader {
    /// How deep collections may be nested.
    static let depthLimit = 200
    /// How many nodes aliases may stand for in sum.
    static let expansionLimit = 100_000
    /// How many errors are gathered: more of them tell nobody more.
    static let findingsLimit = 100

    /// A node as far as its reading has come: a scalar keeps its text, because a key is a text.
    ///
    /// It is a reference so that the reader's descent, which hands nodes up, needs little of the stack.
    final class Parsed {
        var value: Value
        var node: PositionTree.Node
        var text: String?
        /// The number of nodes it stands for, and how deep they are nested.
        var size: Int
        var height: Int
        /// Whether a `:` may touch it inside a flow collection.
        var isQuotedLike: Bool
        /// Whether a tag says that it is a text, so that it is no merge key.
        var isTaggedText = false

        init(
            value: Value, node: PositionTree.Node, text: String? = nil, size: Int = 1, height: Int = 0,
            isQuotedLike: Bool = false
        ) {
            self.value = value
            self.node = node
            self.text = text
            self.size = size
            self.height = height
            self.isQuotedLike = isQuotedLike
        }
    }

    /// What an anchor names; nil while the anchored node is still being read.
    typealias Anchor = Parsed?

    let source: SourceText
    let bytes: [UInt8]
    let count: Int
    let name: String?

    var position = 0
    /// The offset at which the current line starts.
    var lineStart = 0
    /// The spaces at the start of the current line.
    var lineIndent = 0
    /// Whether a tab stands between those spaces and the line's content.
    var lineHasTab = false

    var tree = PositionTree()
    /// The nodes of collections that are still open.
    var pending: [PositionTree.Node] = []
    var anchors: [String: Anchor] = [:]
    var tagHandles: [String: String] = [:]
    var depth = 0
    var expanded = 0
    /// The columns of the open block collections, to name them when a line fits none.
    var indents: [Int] = []
    /// The columns of those that ended before the content at that position.
    var closed: (position: Int, indents: [Int]) = (-1, [])
    var scalar = ScalarText()
    var findings: [Diagnostic] = []
    /// Where characters are that may stand in quotes only, and how many of them do.
    var unprintable: [Int] = []
    var allowed = 0

    init(_ source: SourceText, name: String?) {
        self.source = source
        bytes = source.bytes
        count = source.count
        self.name = name
    }

    /// Reads the whole text, which must hold exactly one document.
    mutating func read() throws(ReadingError) -> (value: Value, tree: PositionTree) {
        let parsed = try document()
        if allowed < unprintable.count { throw unprintableFailure(at: unprintable[allowed]) }
        guard findings.isEmpty else { throw ReadingError(diagnostics: findings) }
        tree.root = parsed.node
        return (parsed.value, tree)
    }

    /// The error that ends the reading, behind whatever else was found.
    @inline(never)
    func failure(
        _ id: String, _ message: String, hint: String? = nil, from start: Int, to end: Int? = nil
    ) -> ReadingError {
        let end = end ?? min(start + 1, count)
        return ReadingError(
            diagnostics: findings + [
                source.diagnostic(id: id, message, hint: hint, file: name, from: start, to: end)
            ])
    }

    /// Notes an error after which reading can go on.
    mutating func note(_ id: String, _ message: String, hint: String? = nil, from start: Int, to end: Int) {
        guard findings.count < Self.findingsLimit else { return }
        findings.append(source.diagnostic(id: id, message, hint: hint, file: name, from: start, to: end))
    }

    /// Goes one level deeper.
    mutating func enter(at start: Int) throws(ReadingError) {
        depth += 1
        guard depth <= Self.depthLimit else { throw tooDeep(at: start) }
    }

    mutating func leave() { depth -= 1 }

    @inline(never)
    func tooDeep(at start: Int) -> ReadingError {
        failure("too-deep", "collections are nested more than \(Self.depthLimit) levels deep", from: start)
    }

    /// Closes a collection whose children are pending from that place on.
    @inline(never)
    mutating func close(
        _ value: Value, from start: Int, to end: Int, children base: Int, size: Int, height: Int
    ) -> Parsed {
        var node = PositionTree.Node(.collection, from: start, to: end)
        tree.append(pending[base...], to: &node)
        pending.removeSubrange(base...)
        return Parsed(value: value, node: node, size: size, height: height)
    }
}

extension YAMLReader {
    /// The byte at the position; zero at the end.
    var byte: UInt8 { bytes[position] }

    /// The byte behind that at the position; zero at the end.
    var nextByte: UInt8 { position < count ? bytes[position + 1] : 0 }

    var isAtEnd: Bool { position >= count }

    /// Whether the byte at that offset ends a word: white space, a line break or the end of the text.
    func isBlank(_ offset: Int) -> Bool {
        guard offset < count else { return true }
        return bytes[offset].isBlank
    }

    /// Whether an indicator stands at the position: that byte, followed by white space.
    func isIndicator(_ indicator: Unicode.Scalar) -> Bool {
        byte == UInt8(ascii: indicator) && isBlank(position + 1)
    }

    /// Whether a line that starts at that offset is `---` or `...`.
    func isMarker(at offset: Int) -> Bool {
        guard offset + 3 <= count, isBlank(offset + 3) else { return false }
        let first = bytes[offset]
        return (first == UInt8(ascii: "-") || first == UInt8(ascii: "."))
            && bytes[offset + 1] == first && bytes[offset + 2] == first
    }

    /// Whether the position is at the start of a line that is `---` or `...`.
    var isAtMarker: Bool { position == lineStart && isMarker(at: position) }

    /// Takes the line break at the position and looks at how the next line is indented.
    mutating func takeBreak() {
        position += byte == UInt8(ascii: "\r") && nextByte == UInt8(ascii: "\n") ? 2 : 1
        beginLine()
    }

    /// Looks at how the line that starts at the position is indented.
    mutating func beginLine() {
        lineStart = position
        var offset = position
        while bytes[offset] == UInt8(ascii: " ") { offset += 1 }
        lineIndent = offset - position
        lineHasTab = bytes[offset] == UInt8(ascii: "\t")
    }

    /// Skips spaces and tabs, and says whether there was a tab.
    @discardableResult
    mutating func skipWhite() -> Bool {
        var hasTab = false
        while byte.isWhite {
            if byte == UInt8(ascii: "\t") { hasTab = true }
            position += 1
        }
        return hasTab
    }

    /// Skips white space, comments and line breaks up to the next content or the end.
    mutating func skipToContent() -> (crossed: Bool, hasTab: Bool) {
        var crossed = false
        while true {
            let before = position
            let hasTab = skipWhite()
            if byte == UInt8(ascii: "#"), position == lineStart || position > before || bytes[position - 1].isBlank {
                while !isAtEnd, !byte.isBreak { position += 1 }
            }
            guard !isAtEnd, byte.isBreak else { return (crossed, crossed ? lineHasTab : hasTab) }
            takeBreak()
            crossed = true
        }
    }
}

extension UInt8 {
    var isWhite: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
    var isBreak: Bool { self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }
    var isBlank: Bool { isWhite || isBreak }
    /// Whether this is one of `,[]{}`.
    var isFlowIndicator: Bool {
        switch self {
        case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"): true
        default: false
        }
    }
}
