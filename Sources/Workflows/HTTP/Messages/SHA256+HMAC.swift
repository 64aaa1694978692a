public import Foundation

extension SHA256 {
    /// The keyed hash of RFC 2104 over SHA-256: 32 bytes.
    public static func authenticationCode(for message: Data, key: Data) -> [UInt8] {
        var block = key.count > 64 ? hash(of: key) : Array(key)
        block += [UInt8](repeating: 0, count: 64 - block.count)
        let inner = hash(of: Data(block.map { $0 ^ 0x36 }) + message)
        return hash(of: Data(block.map { $0 ^ 0x5C }) + Data(inner))
    }
}
