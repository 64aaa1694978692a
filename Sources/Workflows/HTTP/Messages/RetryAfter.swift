package import Foundation

/// How long a service asks to wait: the value of a `Retry-After` field, as RFC 9110 section 10.2.3 has it.
///
/// Microsoft Graph also sends fractions of a second. Waiting too short is what gets a client throttled for longer, so
/// everything is rounded up to whole seconds.
package enum RetryAfter {
    /// The longest wait in seconds, a day; whoever asks for more is not waited for.
    package static let longest = 86_400

    /// Reads the value of a `Retry-After` field.
    ///
    /// - Parameters:
    ///   - text: Seconds, with or without a fraction, or an HTTP date.
    ///   - now: The time that a date is compared with: best the answer's own `Date`.
    /// - Returns: Whole seconds, at least 0 and at most one more than ``longest``; nil where the text is neither.
    package static func seconds(_ text: String, now: Date) -> Int? {
        let text = text.trimmingCharacters(in: .whitespaces)
        if let number = number(text) { return bounded(number) }
        guard let date = HTTPDate.parse(text) else { return nil }
        return bounded(date.timeIntervalSince(now))
    }

    private static func number(_ text: String) -> Double? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard !text.isEmpty, text.utf8.count <= 40, parts.count <= 2,
            parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
        else { return nil }
        return Double(text)
    }

    private static func bounded(_ seconds: Double) -> Int {
        Int(min(max(seconds.rounded(.up), 0), Double(longest + 1)))
    }
}

extension Duration {
    /// The length in seconds.
    package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
