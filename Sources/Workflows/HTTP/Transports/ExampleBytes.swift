package import Foundation

/// Example bytes for unknown content in a dry run.
///
/// They are real content, so that later steps work as in a run; the name of the unknown is appended, so that a plan can
/// recognise them anywhere.
package enum ExampleBytes {
    private static let limit = 200

    /// The bytes with the unknown appended.
    package static func marked(_ bytes: Data, as symbol: String) -> Data { bytes + [0] + Data(symbol.utf8) }

    /// The unknown at the end of the bytes; nil for known bytes.
    package static func symbol(of bytes: Data) -> String? {
        let tail = bytes.suffix(limit)
        guard tail.suffix(3) == Data("›".utf8), let start = tail.lastIndex(of: 0) else { return nil }
        let symbol = String(decoding: tail[tail.index(after: start)...], as: UTF8.self)
        return symbol.hasPrefix("‹") ? symbol : nil
    }

    /// The unknown in Base64 text.
    static func symbol(ofBase64 text: String) -> String? {
        guard text.utf8.count.isMultiple(of: 4) else { return nil }
        let tail = String(text.suffix(limit / 3 * 4 + 4 - (limit / 3 * 4) % 4))
        return Data(base64Encoded: tail).flatMap(symbol(of:))
    }
}
