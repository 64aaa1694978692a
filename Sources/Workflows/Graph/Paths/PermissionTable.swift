/// The least-privileged permissions of requests, from Graph's reference.
///
/// Source: permissions.json of microsoftgraph/microsoft-graph-devx-content, and the pages of Graph's reference. The
/// tests' `permissions.tsv` quotes both, and this table is compared with it.
enum PermissionTable {
    private struct Row: Sendable {
        /// The segments before a gap of any length, or all of them; nil stands for any segment.
        let head: [String?]
        /// The segments after the gap; nil without a gap.
        let tail: [String?]?
        let permissions: Permissions

        init(_ path: Substring, _ permissions: Permissions) {
            let segments = path.lowercased().split(separator: "/").map { $0 == "*" ? nil : String($0) }
            let gap = segments.firstIndex(of: "**")
            head = Array(segments[..<(gap ?? segments.count)])
            tail = gap.map { Array(segments[($0 + 1)...]) }
            self.permissions = permissions
        }

        func matches(_ path: [String]) -> Bool {
            guard let tail else { return path.count == head.count && Self.agree(path, from: 0, with: head) }
            return path.count >= head.count + tail.count && Self.agree(path, from: 0, with: head)
                && Self.agree(path, from: path.count - tail.count, with: tail)
        }

        private static func agree(_ path: [String], from start: Int, with segments: [String?]) -> Bool {
            for (index, segment) in segments.enumerated() {
                if let segment, path[start + index] != segment { return false }
            }
            return true
        }
    }

    /// A request's permissions for the signed-in user's objects, or for objects without a user; nil without a row.
    /// - Parameter path: The segments after the service's base, in lower case.
    static func permissions(of method: String, _ path: [String]) -> Permissions? {
        path.first.flatMap { rows[method]?[$0] }?.first { $0.matches(path) }?.permissions
    }

    /// The rows of each method, by their first segment.
    ///
    /// Each line of the text has methods, a path in which `*` is any segment and `**` any number of them, the delegated
    /// permission and the application's; `-` for none.
    private static let rows: [String: [String: [Row]]] = {
        var rows: [String: [String: [Row]]] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            let names = words[2...].map { $0 == "-" ? [] : [String($0)] }
            let row = Row(words[1], Permissions(delegated: names[0], application: names[1]))
            for method in words[0].split(separator: ",") {
                rows[String(method), default: [:]][row.head.first.flatMap(\.self) ?? "", default: []].append(row)
            }
        }
        return rows
    }()

    private static let text = """
        GET /me User.Read User.ReadBasic.All
        PATCH /me User.ReadWrite User.ReadWrite.All
        PUT,PATCH /me/photo/$value User.ReadWrite ProfilePhoto.ReadWrite.All
        GET /users User.ReadBasic.All User.ReadBasic.All
        GET /users/$count User.ReadBasic.All User.Read.All
        GET /users/delta User.Read.All User.Read.All
        GET /users/* User.ReadBasic.All User.ReadBasic.All
        POST /users User.ReadWrite.All User.ReadWrite.All
        PATCH /users/* User.ReadWrite.All User.ReadWrite.All
        DELETE /users/* User.DeleteRestore.All User.DeleteRestore.All
        GET /users/*/manager User.Read.All User.Read.All
        PUT /users/*/manager/$ref User.ReadWrite.All User.ReadWrite.All
        GET /users/*/directReports User.Read User.Read.All
        GET /users/*/memberOf User.Read Directory.Read.All
        GET /users/*/licenseDetails LicenseAssignment.Read.All User.Read.All
        POST /users/*/assignLicense LicenseAssignment.ReadWrite.All LicenseAssignment.ReadWrite.All
        POST /users/*/revokeSignInSessions User.RevokeSessions.All User.RevokeSessions.All
        POST /invitations User.Invite.All User.Invite.All
        GET /subscribedSkus LicenseAssignment.Read.All LicenseAssignment.Read.All
        GET /organization User.Read Organization.Read.All
        GET /users/*/photo User.Read ProfilePhoto.Read.All
        GET /users/*/photo/** User.Read ProfilePhoto.Read.All
        GET /users/*/photos/** User.Read ProfilePhoto.Read.All
        PUT,PATCH /users/*/photo/$value ProfilePhoto.ReadWrite.All ProfilePhoto.ReadWrite.All
        GET /groups GroupMember.Read.All GroupMember.Read.All
        GET /groups/* GroupMember.Read.All GroupMember.Read.All
        GET /groups/*/members GroupMember.Read.All GroupMember.Read.All
        GET /groups/*/owners GroupMember.Read.All GroupMember.Read.All
        POST /groups Group.ReadWrite.All Group.Create
        PATCH,DELETE /groups/* Group.ReadWrite.All Group.ReadWrite.All
        POST /groups/*/members/$ref GroupMember.ReadWrite.All GroupMember.ReadWrite.All
        DELETE /groups/*/members/*/$ref GroupMember.ReadWrite.All GroupMember.ReadWrite.All
        POST /groups/*/owners/$ref Group.ReadWrite.All Group.ReadWrite.All
        POST /users/**/sendMail Mail.Send Mail.Send
        POST /users/**/messages/*/send Mail.Send Mail.Send
        POST /users/**/messages/*/reply Mail.Send Mail.Send
        POST /users/**/messages/*/replyAll Mail.Send Mail.Send
        POST /users/**/messages/*/forward Mail.Send Mail.Send
        GET /users/**/messages/*/attachments Mail.Read Mail.Read
        GET /users/**/messages/*/attachments/** Mail.Read Mail.Read
        GET /users/**/messages/*/$value Mail.Read Mail.Read
        GET /users/*/messages Mail.ReadBasic Mail.ReadBasic.All
        GET /users/*/messages/* Mail.ReadBasic Mail.ReadBasic.All
        GET /users/*/mailFolders/** Mail.ReadBasic Mail.ReadBasic.All
        POST,PATCH,DELETE /users/*/messages/** Mail.ReadWrite Mail.ReadWrite
        POST,PATCH,DELETE /users/*/mailFolders/** Mail.ReadWrite Mail.ReadWrite
        GET /users/*/mailboxSettings MailboxSettings.Read MailboxSettings.Read
        PATCH /users/*/mailboxSettings MailboxSettings.ReadWrite MailboxSettings.ReadWrite
        GET /users/*/calendar/** Calendars.ReadBasic Calendars.ReadBasic
        GET /users/*/calendars/** Calendars.ReadBasic Calendars.ReadBasic
        GET /users/*/calendarView/** Calendars.ReadBasic Calendars.ReadBasic
        GET /users/*/events/** Calendars.ReadBasic Calendars.ReadBasic
        POST,PATCH,DELETE /users/*/calendar/** Calendars.ReadWrite Calendars.ReadWrite
        POST,PATCH,DELETE /users/*/calendars/** Calendars.ReadWrite Calendars.ReadWrite
        POST,PATCH,DELETE /users/*/events/** Calendars.ReadWrite Calendars.ReadWrite
        GET /users/*/contacts/** Contacts.Read Contacts.Read
        POST,PATCH,DELETE /users/*/contacts/** Contacts.ReadWrite Contacts.ReadWrite
        GET /users/*/drive/** Files.Read Files.Read.All
        POST /users/*/drive/**/createUploadSession Files.ReadWrite Sites.ReadWrite.All
        POST,PUT,PATCH,DELETE /users/*/drive/** Files.ReadWrite Files.ReadWrite.All
        GET /drives/** Files.Read.All Files.Read.All
        POST /drives/**/createUploadSession Files.ReadWrite.All Sites.ReadWrite.All
        POST,PUT,PATCH,DELETE /drives/** Files.ReadWrite.All Files.ReadWrite.All
        GET /users/*/todo/** Tasks.Read Tasks.Read.All
        POST,PATCH,DELETE /users/*/todo/** Tasks.ReadWrite -
        GET /planner/** Tasks.Read Tasks.Read.All
        POST,PATCH,DELETE /planner/** Tasks.ReadWrite Tasks.ReadWrite.All
        GET /users/*/joinedTeams Team.ReadBasic.All Team.ReadBasic.All
        POST /teams/*/channels Channel.Create Channel.Create
        POST /teams/*/channels/*/messages ChannelMessage.Send -
        POST /teams/*/members TeamMember.ReadWrite.All TeamMember.ReadWrite.All
        POST /chats Chat.Create Chat.Create
        POST /chats/*/messages ChatMessage.Send -
        GET /sites/** Sites.Read.All Sites.Read.All
        POST,PATCH,DELETE /sites/*/lists/*/items/** Sites.ReadWrite.All Sites.ReadWrite.All
        """
}
