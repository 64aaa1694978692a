/// A part of Microsoft Graph that counts its requests by itself, and slows down whoever asks too often.
package enum GraphService: Sendable, Hashable {
    /// Users: counted for a program in a tenant.
    case directory
    /// OneDrive: counted for a program in a tenant.
    case files
    /// Mail and photos: counted for a program and a mailbox, by the path of its owner.
    case mailbox(String)

    /// The service that an address behind the service's base belongs to.
    init(_ path: GraphPath) {
        let segments = path.description.split(separator: "/", omittingEmptySubsequences: false)
        let isByID = segments.first == "users" && segments.count > 1
        let owner = segments.prefix(isByID ? 2 : 1).joined(separator: "/")
        let rest = segments.dropFirst(isByID ? 2 : 1)
        self =
            switch rest.first {
            case "drive", "drives": .files
            case "photo", "photos", "messages", "sendMail", "mailFolders": .mailbox(owner)
            default: .directory
            }
    }

    /// How many requests may be under way at first, and at most.
    var concurrency: (first: Int, most: Int) {
        switch self {
        case .directory: (20, 40)
        case .files: (8, 16)
        // Outlook's own limit: a fifth one is refused.
        case .mailbox: (4, 4)
        }
    }

    /// What a request of that method costs, in the units in which the service counts.
    func cost(of method: String, _ operation: String) -> Int {
        switch self {
        case .directory: 2
        case .files: operation == "createLink" ? 5 : method == "GET" ? 1 : 2
        case .mailbox: 1
        }
    }
}

extension GraphService: CustomStringConvertible {
    /// The service as people call it.
    package var description: String {
        switch self {
        case .directory: "the directory"
        case .files: "OneDrive"
        case .mailbox(let owner): owner == "me" ? "the mailbox" : "the mailbox of \(owner.dropFirst("users/".count))"
        }
    }
}
