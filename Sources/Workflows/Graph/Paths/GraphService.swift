package enum GraphService: Sendable, Hashable {
    /// Users, groups and the rest: counted per application and tenant.
    case directory
    /// OneDrive and SharePoint: counted per application and tenant.
    case files
    /// Mail, calendars, contacts and photos: counted per application and mailbox, named by its owner's path.
    case mailbox(String)

    init(_ path: GraphPath) {
        self.init(path.description.split(separator: "/", omittingEmptySubsequences: false))
    }

    /// - Parameter segments: The path's segments after the service's base.
    init(_ segments: [Substring]) {
        let isByID = segments.first == "users" && segments.count > 1
        let owner = segments.prefix(isByID ? 2 : 1).joined(separator: "/")
        let rest = segments.dropFirst(isByID ? 2 : 1)
        self =
            switch rest.first {
            case "drive", "drives": .files
            case "photo", "photos", "messages", "sendMail", "mailFolders", "calendar", "calendars", "calendarView",
                "contacts", "contactFolders", "events", "mailboxSettings":
                .mailbox(owner)
            default: ["drives", "shares", "sites"].contains(segments.first) ? .files : .directory
            }
    }

    /// The number of concurrent requests, at first and at most.
    var concurrency: (first: Int, most: Int) {
        switch self {
        case .directory: (20, 40)
        case .files: (8, 16)
        // Outlook refuses a fifth one.
        case .mailbox: (4, 4)
        }
    }

    package func cost(of method: String, _ operation: String) -> Int {
        switch self {
        case .directory: 2
        case .files: operation == "createLink" ? 5 : method == "GET" ? 1 : 2
        case .mailbox: 1
        }
    }
}

extension GraphService: CustomStringConvertible {
    package var description: String {
        switch self {
        case .directory: "the directory"
        case .files: "OneDrive"
        case .mailbox(let owner): owner == "me" ? "the mailbox" : "the mailbox of \(owner.dropFirst("users/".count))"
        }
    }

    package init?(_ description: String) {
        let mailbox = "the mailbox"
        switch description {
        case Self.directory.description: self = .directory
        case Self.files.description: self = .files
        case mailbox: self = .mailbox("me")
        default:
            guard description.hasPrefix("\(mailbox) of ") else { return nil }
            self = .mailbox("users/" + description.dropFirst("\(mailbox) of ".count))
        }
    }
}
