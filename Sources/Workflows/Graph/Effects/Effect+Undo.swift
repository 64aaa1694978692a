extension Effect {
    /// Whether it can be undone.
    public var undo: Undo {
        switch details {
        case .mail(let mail): mail.sent == false ? .exact : .no
        case .file(let file): file.replaces == false || isFormerKept ? .exact : .partly
        case .event(let event): event.attendees == [] ? .exact : .partly
        case .change: isFormerKept ? .exact : .partly
        case .create(let object): object.what.map(Self.undeletable.contains) ?? true ? .no : .exact
        case .delete(let object): ["user", "group"].contains(object.what) ? .partly : .no
        case .license: .partly
        case .grant(let grant):
            switch grant.what {
            case _ where grant.added != true: .no
            case "role", "owner", "appRole": .exact
            case "delegatedPermission", "calendar", "site", "share": .partly
            default: .no
            }
        case .folder, .link, .member: .exact
        case .forward, .autoReply: .partly
        case .post, .action, .program, .localFile, .notification, .request, .tool: .no
        }
    }

    /// What is made elsewhere, or later, or cannot be deleted.
    private static let undeletable: Set<String> = [
        "chat", "driveItem", "fileAttachment", "itemAttachment", "attachment", "team",
    ]

    /// Properties that the service takes and does not tell, in lower case.
    static let unreadable: Set<String> = ["passwordprofile"]
}
