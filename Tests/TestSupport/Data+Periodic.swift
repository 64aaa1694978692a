public import Foundation

extension Data {
    /// Bytes that repeat after 251, a prime, so that ranges of any usual size differ; made without a loop over all.
    public static func periodic(_ count: Int) -> Data {
        let block = Data((0..<251).map { UInt8($0 * 31 % 251) })
        var data = Data(capacity: count + block.count)
        while data.count < count { data.append(block) }
        return data.prefix(count)
    }
}
