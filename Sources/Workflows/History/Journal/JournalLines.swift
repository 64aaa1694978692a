/// The complete lines of a log's file, read in pieces and not checked.
package struct JournalLines {
    /// The unit of disk writes: a block that a power failure kept from the disk reads as zeros.
    private static let blockSize = 512
    /// The size of the next piece: small at first, for readers of the first line only.
    private var pieceSize = 4 << 10

    var size: Int
    /// The end of the lines that were taken, in the file.
    private(set) var offset: Int
    private var pieces: [UInt8] = []
    private var taken = 0
    private var searched = 0

    package init(size: Int, from offset: Int = 0) { (self.size, self.offset) = (size, offset) }

    var isAtEnd: Bool { offset == size }

    /// The next line without its line end; nil at the end.
    package mutating func next(
        number: Int, of file: String = "journal", from read: (Int, Int) throws(JournalError) -> [UInt8]
    ) throws(JournalError) -> Data? {
        while true {
            if let end = pieces[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { (taken, searched, offset) = (end + 1, end + 1, offset + end + 1 - taken) }
                return Data(pieces[taken..<end])
            }
            guard pieces.count - taken <= JournalLine.largest else {
                throw JournalLine.damaged(number, of: file, "it is too long")
            }
            pieces.removeFirst(taken)
            (taken, searched) = (0, pieces.count)
            let start = offset + pieces.count
            let piece = start < size ? try read(start, min(pieceSize, size - start)) : []
            pieceSize = min(pieceSize * 8, 1 << 20)
            guard !piece.isEmpty else { return nil }
            pieces += piece
        }
    }

    static func isUnwritten(_ line: Data) -> Bool {
        var zeros = 0
        for byte in line {
            zeros = byte == 0 ? zeros + 1 : 0
            if zeros == blockSize { return true }
        }
        return false
    }
}
