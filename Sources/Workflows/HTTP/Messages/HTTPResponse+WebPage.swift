extension HTTPResponse {
    /// Names the web page that a proxy or portal sent: `the answer is a web page: Sign in`; nil if it sent none.
    package var webPage: String? {
        let head = PlainText.beginning(of: body, upTo: 4_096)
        guard isHTML || head.lowercased().contains("<html") else { return nil }
        let title =
            head.firstMatch(of: #/(?is)<title[^>]*>(.*?)(?:<\/title|$)/#)
            .map { PlainText.line(String($0.output.1)) } ?? ""
        return title.isEmpty
            ? "the answer is a web page, not an answer of the service" : "the answer is a web page: \(title)"
    }

    package var isHTML: Bool { ContentType.essence(of: headers["Content-Type"] ?? "") == "text/html" }
}
