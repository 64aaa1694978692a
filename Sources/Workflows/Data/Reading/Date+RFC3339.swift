extension Date {
    /// A time of RFC 3339 with or without fractions of a second, as services write it; nil for another text.
    package init?(rfc3339 text: String) {
        for style in [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)] {
            guard let date = try? Date(text, strategy: style) else { continue }
            self = date
            return
        }
        return nil
    }
}
