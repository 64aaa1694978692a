/// The kept part of one stream of a program while it is read.
struct ProcessOutput {
    private(set) var bytes = Data()
    private(set) var isFlooded = false
    private let amount: ChildProgram.Amount

    init(_ amount: ChildProgram.Amount) { self.amount = amount }

    mutating func append(_ chunk: Data) {
        switch amount {
        case .all(let limit):
            let room = limit - bytes.count
            bytes.append(chunk.prefix(room))
            if chunk.count > room { isFlooded = true }
        case .last(let count):
            bytes.append(chunk)
            // Cut only at twice the size, to avoid moving bytes for each chunk.
            if bytes.count > 2 * count { bytes = Data(bytes.suffix(count)) }
        case .handed(let take): take(chunk)
        }
    }

    var end: Data {
        switch amount {
        case .all, .handed: bytes
        case .last(let count): Data(bytes.suffix(count))
        }
    }
}
