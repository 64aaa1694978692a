/// The wait that a service requests with a `Retry-After` field (RFC 9110 section 10.2.3).
///
/// Microsoft Graph also sends fractions of a second. Retrying too early extends the throttling, so waits are rounded up
/// to whole seconds.
package enum RetryAfter {
    /// A day, in seconds.
    package static let longest = 86_400

    /// Parses the value of a `Retry-After` field.
    ///
    /// - Parameters:
    ///   - text: Seconds, with or without a fraction, or an HTTP date.
    ///   - now: The time relative to which a date counts: ideally the response's own `Date`.
    /// - Returns: Whole seconds, from 0 to one more than ``longest``; nil if the text is neither.
    package static func seconds(_ text: String, now: Date) -> Int? {
        let text = text.trimmed
        if let number = number(text) { return bounded(number) }
        guard let date = HTTPDate.parse(text) else { return nil }
        return bounded(date.timeIntervalSince(now))
    }

    private static func number(_ text: String) -> Double? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard !text.isEmpty, text.utf8.count <= 40,
            parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
        else { return nil }
        return Double(text)
    }

    private static func bounded(_ seconds: Double) -> Int {
        Int(min(max(seconds.rounded(.up), 0), Double(longest + 1)))
    }
}

extension HTTPResponse {
    /// The seconds that the service asks to wait; nil if it does not ask.
    /// - Parameter now: The time relative to which a date counts if the response has no `Date`.
    package func retryAfter(now: Date) -> Int? {
        headers["Retry-After"].flatMap { RetryAfter.seconds($0, now: headers.date ?? now) }
    }
}

extension Duration {
    package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
