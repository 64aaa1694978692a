import Workflows

extension String {
    /// The text as a quoted shell word.
    var shellQuoted: String { "'" + replacing("'", with: "'\\''") + "'" }

    /// The text in one line, safe in a shell comment.
    var shellComment: String { PlainText.line(self, limit: 300) }
}

extension [TextPart] {
    /// The unknowns in a text, in order.
    var unknowns: [Unknown] {
        compactMap { part in if case .unknown(let unknown) = part { unknown } else { nil } }
    }
}
