/// The pieces of four characters of a secret, in any case, which no message may show.
public struct SecretPieces: Sendable {
    private let pieces: Set<UInt32>

    /// Needs a secret of ASCII characters.
    public init(_ secret: String) {
        pieces = Set([secret, secret.lowercased(), secret.uppercased()].flatMap(Self.all))
    }

    /// The pieces that a text shows, each once.
    public func found(in text: String) -> [String] {
        let shown = Self.all(text).filter(pieces.contains)
        return Set(shown).map { piece in
            String(decoding: (0..<4).map { UInt8(truncatingIfNeeded: piece >> (24 - 8 * $0)) }, as: UTF8.self)
        }
    }

    private static func all(_ text: String) -> [UInt32] {
        var text = text
        return text.withUTF8 { bytes in
            var all: [UInt32] = []
            all.reserveCapacity(bytes.count)
            var (piece, offset) = (UInt32(0), 0)
            while offset < bytes.count {
                piece = unsafe piece << 8 | UInt32(bytes[offset])
                offset += 1
                if offset >= 4 { all.append(piece) }
            }
            return all
        }
    }
}
