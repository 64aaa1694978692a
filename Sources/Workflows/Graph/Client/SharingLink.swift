/// A link that opens a file for others, as Graph describes one.
public struct SharingLink: Sendable, Hashable {
    /// What a link allows.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Anyone with the link may read.
        case view
        /// Anyone with the link may read and change.
        case edit
        /// A web page may embed the file; personal OneDrive only.
        case embed
    }

    /// Who may use a link.
    public enum Scope: String, Sendable, Hashable, CaseIterable {
        /// Anyone.
        case anonymous
        /// Members of the organisation.
        case organization
        /// Named people.
        case users
    }

    /// The address that opens the file.
    public let webURL: String
    /// The id of the permission that the link grants.
    public let id: String?
    /// Graph's complete description, with the link's `webUrl` also at the top.
    public let value: Value

    init(_ answer: Value) throws(GraphError) {
        guard var members = answer.object, let webURL = answer["link"]?["webUrl"]?.string, !webURL.isEmpty else {
            throw GraphError(.badAnswer, message: "The answer describes no link: it has no 'link.webUrl'.")
        }
        guard Self.isPage(webURL) else {
            let address = PlainText.line(webURL, limit: 100)
            throw GraphError(.badAnswer, message: "The answer's link is not the address of a page: '\(address)'.")
        }
        self.webURL = webURL
        id = answer["id"]?.string
        members["webUrl"] = .string(webURL)
        value = .object(members)
    }

    /// Whether a mail may link to the address: scripts and disguised addresses are refused.
    private static func isPage(_ address: String) -> Bool {
        guard address.unicodeScalars.allSatisfy({ $0.value > 0x20 && !(0x7F...0x9F).contains($0.value) }) else {
            return false
        }
        guard let colon = address.firstIndex(of: ":") else { return true }
        return ["http", "https"].contains(address[..<colon].lowercased())
    }
}
