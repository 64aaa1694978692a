/// Parses one YAML 1.2.2 document, of which JSON is a subset, into a value and the positions of its nodes.
///
/// The parser descends through the specification's productions: indentation ends block collections, and a node on one
/// line becomes a mapping's key if a `:` follows. A syntax error stops the parser; diagnostics that do not affect the
/// rest, such as a duplicate key, are collected.
struct YAMLReader {
    static let depthLimit = 500
    /// Every thread's stack suffices for this many levels.
    static let shallow = 200
    /// The maximum number of nodes that all aliases together may expand to.
    static let expansionLimit = 100_000
    static let findingsLimit = 100

    /// A parsed node with its scalar's text, for keys; a class, so the recursive descent needs little stack.
    final class Parsed {
        var value: Value
        var node: PositionTree.Node
        var text: String?
        var size: Int
        var height: Int
        /// Whether a `:` may directly follow it inside a flow collection.
        var isQuotedLike: Bool
        /// Whether a tag makes it a string, so it is not a merge key.
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

    /// Nil while the anchored node is still being read.
    typealias Anchor = Parsed?

    let source: SourceText
    let bytes: [UInt8]
    let count: Int
    let name: String?
    /// Whether unknown tags are ignored; otherwise they are errors.
    let ignoresTags: Bool
    /// The maximum depth, and whether the document exceeds it.
    let depthLimit: Int
    private(set) var isTooDeep = false
    /// Whether what cannot be read is left out, because somebody is still writing it.
    var recovers = false

    var position = 0
    var lineStart = 0
    var lineIndent = 0
    var lineHasTab = false

    var tree = PositionTree()
    var pending: [PositionTree.Node] = []
    var anchors: [String: Anchor] = [:]
    var tagHandles: [String: String] = [:]
    var hasVersion = false
    var depth = 0
    var expanded = 0
    var indents: [Int] = []
    /// The columns of the collections that ended before the content at this position.
    var closed: (position: Int, indents: [Int]) = (-1, [])
    var scalar = ScalarText()
    var findings: [Diagnostic] = []
    /// The positions of characters that are allowed only in quotes, and their number.
    var unprintable: [Int] = []
    var allowed = 0

    init(_ source: SourceText, name: String?, ignoresTags: Bool = false, depthLimit: Int = shallow) {
        self.source = source
        bytes = source.bytes
        count = source.count
        self.name = name
        self.ignoresTags = ignoresTags
        self.depthLimit = depthLimit
    }

    typealias Read = (value: Value, tree: PositionTree, warnings: [Diagnostic])

    /// Reads on a larger stack if the collections may be nested too deeply for this one.
    static func read(
        _ source: SourceText, name: String, ignoresTags: Bool
    ) throws(ReadingError) -> Read {
        var reader = YAMLReader(source, name: name, ignoresTags: ignoresTags)
        do {
            return try reader.read()
        } catch {
            guard reader.isTooDeep else { throw error }
            let read = StackMark.onLargeStack { _ -> Result<Read, ReadingError> in
                var reader = YAMLReader(source, name: name, ignoresTags: ignoresTags, depthLimit: depthLimit)
                return Result { () throws(ReadingError) in try reader.read() }
            }
            guard let read else { throw error }
            return try read.get()
        }
    }

    mutating func read() throws(ReadingError) -> Read {
        let parsed = try document()
        if !recovers, allowed < unprintable.count { throw unprintableFailure(at: unprintable[allowed]) }
        guard recovers || findings.allSatisfy({ $0.severity == .warning }) else {
            throw ReadingError(diagnostics: findings)
        }
        tree.root = parsed.node
        return (parsed.value, tree, findings)
    }

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

    /// Records a diagnostic after which parsing can continue.
    mutating func note(
        _ id: String, _ message: String, hint: String? = nil, from start: Int, to end: Int,
        severity: Diagnostic.Severity = .error
    ) {
        guard findings.count < Self.findingsLimit else { return }
        var finding = source.diagnostic(id: id, message, hint: hint, file: name, from: start, to: end)
        finding.severity = severity
        findings.append(finding)
    }

    mutating func enter(at start: Int) throws(ReadingError) {
        depth += 1
        guard depth <= depthLimit else { throw tooDeep(at: start) }
    }

    mutating func leave() { depth -= 1 }

    @inline(never)
    mutating func tooDeep(at start: Int) -> ReadingError {
        isTooDeep = true
        return failure("too-deep", "collections are nested more than \(Self.depthLimit) levels deep", from: start)
    }

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
    var byte: UInt8 { bytes[position] }

    /// Zero at the end.
    var nextByte: UInt8 { position < count ? bytes[position + 1] : 0 }

    var isAtEnd: Bool { position >= count }

    /// Whether the byte ends a word: white space, a line break or the end of the text.
    func isBlank(_ offset: Int) -> Bool {
        guard offset < count else { return true }
        return bytes[offset].isBlank
    }

    /// Whether this indicator is at the position, followed by white space.
    func isIndicator(_ indicator: Unicode.Scalar) -> Bool {
        byte == UInt8(ascii: indicator) && isBlank(position + 1)
    }

    func isMarker(at offset: Int) -> Bool {
        guard offset + 3 <= count, isBlank(offset + 3) else { return false }
        let first = bytes[offset]
        return (first == UInt8(ascii: "-") || first == UInt8(ascii: "."))
            && bytes[offset + 1] == first && bytes[offset + 2] == first
    }

    var isAtMarker: Bool { position == lineStart && isMarker(at: position) }

    mutating func takeBreak() {
        position += byte == UInt8(ascii: "\r") && nextByte == UInt8(ascii: "\n") ? 2 : 1
        beginLine()
    }

    mutating func beginLine() {
        lineStart = position
        var offset = position
        while bytes[offset] == UInt8(ascii: " ") { offset += 1 }
        lineIndent = offset - position
        lineHasTab = bytes[offset] == UInt8(ascii: "\t")
    }

    @discardableResult
    mutating func skipWhite() -> Bool {
        var hasTab = false
        while byte.isWhite {
            if byte == UInt8(ascii: "\t") { hasTab = true }
            position += 1
        }
        return hasTab
    }

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
    var isFlowIndicator: Bool {
        switch self {
        case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"): true
        default: false
        }
    }
}
