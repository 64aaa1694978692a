package import Foundation

/// Bytes that stand for those that only the service knows, in a dry run.
///
/// They are real ones, so that all that follows takes the way that it takes in a run; behind them their symbol is written,
/// so that a plan can tell wherever they flow.
package enum ExampleBytes {
    private static let limit = 200

    /// The bytes with the symbol behind them.
    package static func marked(_ bytes: Data, as symbol: String) -> Data { bytes + [0] + Data(symbol.utf8) }

    /// The symbol of the bytes; nil for bytes that stand for nothing but themselves.
    package static func symbol(of bytes: Data) -> String? {
        let tail = bytes.suffix(limit)
        guard tail.suffix(3) == Data("›".utf8), let start = tail.lastIndex(of: 0) else { return nil }
        let symbol = String(decoding: tail[tail.index(after: start)...], as: UTF8.self)
        return symbol.hasPrefix("‹") ? symbol : nil
    }

    /// The symbol of the bytes that a text has in base64.
    static func symbol(ofBase64 text: String) -> String? {
        let digits = text.utf8
        guard digits.count > 8, digits.count.isMultiple(of: 4) else { return nil }
        let tail = String(text.suffix(limit / 3 * 4 + 4 - (limit / 3 * 4) % 4))
        return Data(base64Encoded: tail).flatMap(symbol(of:))
    }
}
