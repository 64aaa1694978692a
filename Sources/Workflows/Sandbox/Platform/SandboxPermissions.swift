enum SandboxPermissions {
    private static let people: Set<String> = [
        "User.ReadBasic.All", "User.Read.All", "User.ReadWrite.All", "Directory.Read.All", "Directory.ReadWrite.All",
    ]
    /// Each covers some properties of people.
    private static let parts: Set<String> = [
        "User.EnableDisableAccount.All", "User-PasswordProfile.ReadWrite.All", "User-Phone.ReadWrite.All",
        "User-Mail.ReadWrite.All", "User.ManageIdentities.All",
    ]
    private static let files: Set<String> = ["Files.ReadWrite", "Files.ReadWrite.All", "Sites.ReadWrite.All"]

    /// Permissions of which one suffices; empty if none is needed.
    static func sufficient(for route: SandboxRoute, method: String) -> Set<String> {
        let own = allowing(route, method: method)
        // Shared mailboxes and calendars include the user's own.
        return own.union(own.filter { $0.hasPrefix("Mail.") || $0.hasPrefix("Calendars.") }.map { "\($0).Shared" })
    }

    private static func allowing(_ route: SandboxRoute, method: String) -> Set<String> {
        let isRead = method == "GET"
        switch route.resource {
        case .delta(let collection):
            return allowing(SandboxRoute(route.owner, collection.resource), method: method)
        case .users where !isRead: return ["User.ReadWrite.All", "Directory.ReadWrite.All"]
        case .users, .userCount: return people
        case .user where !isRead:
            var all: Set<String> = ["User.ReadWrite.All", "Directory.ReadWrite.All"]
            all.formUnion(method == "DELETE" ? ["User.DeleteRestore.All"] : parts)
            return route.owner == nil ? all.union(["User.ReadWrite"]) : all
        case .user: return route.owner == nil ? people.union(["User.Read", "User.ReadWrite"]) : people
        case .photos, .photo, .photoContent:
            if !isRead { return ["User.ReadWrite", "User.ReadWrite.All", "ProfilePhoto.ReadWrite.All"] }
            return people.union(["User.Read", "User.ReadWrite", "ProfilePhoto.Read.All", "ProfilePhoto.ReadWrite.All"])
        case .drive, .item, .content, .createLink, .invite, .permissions, .permission, .createUploadSession, .children,
            .copy,
            .search,
            .thumbnails:
            return isRead ? files.union(["Files.Read", "Files.Read.All", "Sites.Read.All"]) : files
        case .reply(_, _, isDraft: true), .move: return ["Mail.ReadWrite"]
        case .sendMail, .send, .reply: return ["Mail.Send"]
        case .messages, .message, .attachments, .attachment, .createAttachmentSession, .mailFolders, .mailFolder:
            return isRead ? ["Mail.Read", "Mail.ReadBasic", "Mail.ReadWrite"] : ["Mail.ReadWrite"]
        case .mime: return ["Mail.Read", "Mail.ReadWrite"]
        case .calendars, .calendar, .events, .event, .cancel:
            return isRead
                ? ["Calendars.ReadBasic", "Calendars.Read", "Calendars.ReadWrite"] : ["Calendars.ReadWrite"]
        case .directory(let part): return Self.sufficient(for: part, isRead: isRead)
        case .upload, .batch, .subscriptions, .unplayed: return []
        }
    }

    private static func sufficient(for part: SandboxRoute.Directory, isRead: Bool) -> Set<String> {
        let all: Set<String> = ["Directory.ReadWrite.All"]
        let read = all.union(["Directory.Read.All"])
        switch part {
        case .groups where isRead, .group where isRead, .members, .memberOf:
            return read.union([
                "GroupMember.ReadBasic.All", "Group.ReadBasic.All",
                "GroupMember.Read.All", "GroupMember.ReadWrite.All", "Group.Read.All", "Group.ReadWrite.All",
            ])
        case .manager, .reports: return read.union(["User.Read.All", "User.ReadWrite.All"])
        case .deletedItem:
            return all.union(["User.DeleteRestore.All", "User.ReadWrite.All", "Group.ReadWrite.All"])
        case .groups, .group: return all.union(["Group.ReadWrite.All"])
        case .memberReferences, .memberReference:
            return all.union(["GroupMember.ReadWrite.All", "Group.ReadWrite.All"])
        case .organization: return read.union(["User.Read", "Organization.Read.All", "Organization.ReadWrite.All"])
        case .skus:
            return read.union([
                "LicenseAssignment.Read.All", "LicenseAssignment.ReadWrite.All", "Organization.Read.All",
            ])
        case .licenceDetails:
            return read.union(["User.Read", "User.Read.All", "User.ReadWrite.All", "LicenseAssignment.Read.All"])
        case .assignLicence: return all.union(["LicenseAssignment.ReadWrite.All", "User.ReadWrite.All"])
        }
    }
}
