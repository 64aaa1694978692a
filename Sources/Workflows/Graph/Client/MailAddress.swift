/// The addresses of people who get messages or are invited to events.
package enum MailAddress {
    /// Checks one address.
    package static func check(_ address: String) throws(GraphError) {
        // A dry run's unknowns, such as `‹me.mail›`, are checked by the run.
        guard !UnknownTokens.isIn(address) else { return }
        if let reason = PlainText.invisible(in: address) { throw GraphError(invisible: reason) }
        guard isAddress(address.unicodeScalars) else {
            throw GraphError(
                .invalidInput, message: "'\(PlainText.exact(address, limit: 100))' is not a mail address.",
                hint: "Write each address by itself, without a name: megan@contoso.com.")
        }
    }

    /// Whether a text looks like one address: two parts, whose characters are of any script.
    private static func isAddress(_ text: String.UnicodeScalarView) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        let words = parts.flatMap { $0.split(separator: ".", omittingEmptySubsequences: false) }
        return parts.count == 2 && !words.contains(where: \.isEmpty) && String(text).utf8.count <= 320
            && !text.contains { scalar in
                scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
                    || "<>()[],;:\\\"".unicodeScalars.contains(scalar)
            }
    }
}
