/// Opens the seals of journals up to version 2; it makes none.
///
/// The key is derived from the secrets by PBKDF2 (RFC 8018). The text is combined with a stream of HMAC-SHA-256, and
/// authenticated with its place.
final class FormerSeals: Sendable {
    private static let rounds = 1_000
    private static let nonceSize = 16
    private static let tagSize = 32

    /// The key in the journal's first line.
    private let salt: Data
    /// Derived keys by their secrets, because deriving one is slow on purpose.
    private let made = Locked<[Data: Data]>([:])

    init(salt: Data) { self.salt = salt }

    /// Decrypts a value; nil if the secrets are others, or the seal was changed.
    /// - Parameters:
    ///   - event: The event that the seal is in.
    ///   - secrets: The names and values of the secrets.
    func open(_ seal: Seal, inside event: String, _ secrets: Data) -> Value? {
        let key = made.withLock { $0[secrets] } ?? Self.stretch(secrets, salt)
        made.withLock { $0[secrets] = key }
        func part(_ use: String) -> Data { Data(SHA256.authenticationCode(for: Data(use.utf8), key: key)) }
        let (nonceSize, tagSize) = (Self.nonceSize, Self.tagSize)
        guard seal.box.count > nonceSize + tagSize else { return nil }
        let box = Data(seal.box.dropLast(tagSize))
        let label = Value.array([.string(event), seal.label]).jsonData()
        let tag = Data(SHA256.authenticationCode(for: label + [0] + box, key: part("authenticate")))
        guard tag == Data(seal.box.suffix(tagSize)) else { return nil }
        let nonce = Data(box.prefix(nonceSize))
        return SealKeys.value(in: Self.decrypt(Data(box.dropFirst(nonceSize)), part("encrypt"), nonce))
    }

    private static func stretch(_ secrets: Data, _ salt: Data) -> Data {
        // HMAC hashes a long key; doing it here saves doing it in every round.
        let secrets = secrets.count > 64 ? Data(SHA256.hash(of: secrets)) : secrets
        var last = SHA256.authenticationCode(for: salt + [0, 0, 0, 1], key: secrets)
        var sum = last
        for _ in 1..<rounds {
            last = SHA256.authenticationCode(for: Data(last), key: secrets)
            for index in sum.indices { sum[index] ^= last[index] }
        }
        return Data(sum)
    }

    private static func decrypt(_ bytes: Data, _ key: Data, _ nonce: Data) -> Data {
        var result = Data()
        result.reserveCapacity(bytes.count)
        var counter: UInt64 = 0
        var rest = bytes[...]
        while !rest.isEmpty {
            let number = (0..<8).map { UInt8(truncatingIfNeeded: counter >> (56 - 8 * $0)) }
            let stream = SHA256.authenticationCode(for: nonce + number, key: key)
            result.append(contentsOf: zip(rest, stream).map { $0 ^ $1 })
            rest = rest.dropFirst(stream.count)
            counter += 1
        }
        return result
    }
}
