import Foundation

/// What is kept of one stream of a program while it is read.
struct ProcessOutput {
    private(set) var bytes = Data()
    /// Whether more came than may be kept.
    private(set) var isFlooded = false
    private let amount: ChildProgram.Amount

    init(_ amount: ChildProgram.Amount) { self.amount = amount }

    /// Takes what was read.
    mutating func append(_ chunk: Data) {
        switch amount {
        case .all(let limit):
            let room = limit - bytes.count
            bytes.append(chunk.prefix(room))
            if chunk.count > room { isFlooded = true }
        case .last(let count):
            bytes.append(chunk)
            // Cut only when twice as much is there, so that a byte is not moved again for each chunk.
            if bytes.count > 2 * count { bytes = Data(bytes.suffix(count)) }
        }
    }

    /// What is left when the stream has ended.
    var end: Data {
        switch amount {
        case .all: bytes
        case .last(let count): Data(bytes.suffix(count))
        }
    }
}
