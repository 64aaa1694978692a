struct ScalarText {
    private(set) var bytes: [UInt8] = []
    /// The source offset of every byte; nil unless requested.
    private(set) var origins: [Int]?

    mutating func begin() {
        bytes.removeAll(keepingCapacity: true)
        origins?.removeAll()
    }

    mutating func keepOrigins() { origins = [] }

    mutating func append(_ source: ArraySlice<UInt8>) {
        bytes.append(contentsOf: source)
        origins?.append(contentsOf: source.indices)
    }

    mutating func append(_ byte: UInt8, from offset: Int, times: Int = 1) {
        for _ in 0..<times {
            bytes.append(byte)
            origins?.append(offset)
        }
    }

    mutating func append(_ character: Unicode.Scalar, from offset: Int) {
        for byte in UTF8.encode(character) ?? UTF8.EncodedScalar() { append(byte, from: offset) }
    }

    mutating func trimEnd(to length: Int) {
        while bytes.count > length, bytes[bytes.count - 1].isWhite {
            bytes.removeLast()
            origins?.removeLast()
        }
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }
}
