/// The record being read and the loaded text after it; offsets count from the record, so they stay the same.
package struct TextWindow: Sendable {
    /// Loads as many bytes from an offset as fit well into memory; none at the file's end.
    package typealias Load = @Sendable (_ offset: Int) throws(ReadingError) -> [UInt8]

    /// In bytes; otherwise a quote that is never closed would fill the memory.
    package static let largestRecord = 10_000_000

    let name: String
    /// The record's first line, from 1.
    private(set) var line = 1
    private let load: Load
    private var bytes: [UInt8] = []
    private var start = 0
    private var loaded = 0
    private var isAtEnd = false
    /// Turns UTF-16 into UTF-8; nil for a file that is not UTF-16.
    private var conversion: UTF16Conversion?

    init(name: String, _ load: @escaping Load) throws(ReadingError) {
        self.name = name
        self.load = load
        while bytes.count < UTF8Text.byteOrderMark.count, try loadMore() {}
        if bytes.starts(with: UTF8Text.byteOrderMark) { start = UTF8Text.byteOrderMark.count }
        if let found = UTF16Conversion(markedBy: bytes) {
            conversion = found
            bytes = conversion?.text(of: Array(bytes.dropFirst(2)), isLast: isAtEnd) ?? []
        }
    }

    @inline(__always)
    mutating func byte(at place: Int) throws(ReadingError) -> UInt8? {
        if start + place < bytes.count { return bytes[start + place] }
        return try loadMore() ? bytes[start + place] : nil
    }

    func bytes(_ places: Range<Int>) -> ArraySlice<UInt8> {
        bytes[(start + places.lowerBound)..<(start + places.upperBound)]
    }

    func firstInvalid(in places: Range<Int>) -> Int? {
        UTF8Text.firstInvalid(in: bytes, from: start + places.lowerBound, to: start + places.upperBound)
            .map { $0 - start }
    }

    mutating func begin(at place: Int, line: Int) {
        start += place
        self.line = line
    }

    private mutating func loadMore() throws(ReadingError) -> Bool {
        guard !isAtEnd else { return false }
        // A file that cannot be read ends here.
        isAtEnd = true
        let piece = try load(loaded)
        loaded += piece.count
        isAtEnd = piece.isEmpty
        bytes.removeSubrange(..<start)
        start = 0
        let text = conversion?.text(of: piece, isLast: isAtEnd) ?? piece
        bytes += text
        // A piece can be less than a character.
        if !text.isEmpty { return true }
        return try loadMore()
    }

    func diagnostic(
        id: String, _ message: String, hint: String? = nil, _ places: Range<Int>, recordEnd: Int
    ) -> Diagnostic {
        let source = SourceText(Array(bytes(0..<recordEnd)))
        var diagnostic = source.diagnostic(
            id: id, message, hint: hint, file: name, from: places.lowerBound, to: places.upperBound)
        diagnostic.range?.start.line += line - 1
        diagnostic.range?.end.line += line - 1
        return diagnostic
    }
}

extension TextWindow {
    /// Loads only these bytes.
    static func whole(_ bytes: [UInt8]) -> Load {
        { offset throws(ReadingError) in offset == 0 ? bytes : [] }
    }
}
