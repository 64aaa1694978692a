/// The colours of a plan's text, if any; coloured text has no other control characters.
struct PlanStyle {
    let hasColour: Bool

    func bold(_ text: String) -> String { coloured(text, "1") }
    func strong(_ text: String) -> String { coloured(text, "36") }
    /// Text that readers can skip.
    func dim(_ text: String) -> String { coloured(text, "2") }
    func mark(_ text: String) -> String { coloured(text, "33") }
    func warning(_ text: String) -> String { coloured(text, "31") }

    private func coloured(_ text: String, _ code: String) -> String {
        let text = PlainText.escaped(text)
        return hasColour ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
