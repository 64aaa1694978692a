/// The least-privileged permissions of requests that Graph's reference names.
///
/// Source: the "Permissions" of the operations in Graph's reference, as permissions.json of
/// microsoftgraph/microsoft-graph-devx-content has them.
enum PermissionTable {
    private struct Row: Sendable {
        let method: String
        let path: [Substring]
        let permissions: Permissions
    }

    /// The permissions of a request; nil if no row is about it.
    ///
    /// - Parameter segments: Those of the path after the service's base; `me` and `users/ID` have the same rows.
    static func permissions(of method: String, _ segments: [Substring]) -> Permissions? {
        let isOwn = segments.first == "me"
        let path = isOwn ? ["users", "*"] + segments.dropFirst() : segments
        guard let row = rows.first(where: { $0.method == method && matches(path, $0.path) }) else { return nil }
        if isOwn, method == "GET", path.count == 2 { return .me }
        return row.permissions
    }

    /// Whether a path is one of a row: `*` is any segment, a last `**` any rest.
    private static func matches(_ path: [Substring], _ row: [Substring]) -> Bool {
        let isOpen = row.last == "**"
        let fixed = isOpen ? row.dropLast() : row[...]
        guard isOpen ? path.count >= fixed.count : path.count == fixed.count else { return false }
        return zip(path, fixed).allSatisfy { $1 == "*" || $0.lowercased() == $1.lowercased() }
    }

    /// A row for each method: its path, the delegated permission and the application's.
    private static let rows: [Row] = """
        GET /users User.ReadBasic.All User.ReadBasic.All
        GET /users/$count User.ReadBasic.All User.ReadBasic.All
        GET /users/* User.ReadBasic.All User.ReadBasic.All
        GET /users/*/memberOf User.Read User.Read.All
        GET /users/*/licenseDetails User.Read LicenseAssignment.Read.All
        POST /users/*/assignLicense LicenseAssignment.ReadWrite.All LicenseAssignment.ReadWrite.All
        GET /subscribedSkus LicenseAssignment.Read.All LicenseAssignment.Read.All
        GET /organization User.Read Organization.Read.All
        GET /groups GroupMember.Read.All GroupMember.Read.All
        GET /groups/* GroupMember.Read.All GroupMember.Read.All
        GET /groups/*/members GroupMember.Read.All GroupMember.Read.All
        POST /groups Group.ReadWrite.All Group.Create
        DELETE /groups/* Group.ReadWrite.All Group.ReadWrite.All
        POST /groups/*/members/$ref GroupMember.ReadWrite.All GroupMember.ReadWrite.All
        DELETE /groups/*/members/*/$ref GroupMember.ReadWrite.All GroupMember.ReadWrite.All
        GET /users/*/photo User.Read ProfilePhoto.Read.All
        GET /users/*/photo/** User.Read ProfilePhoto.Read.All
        GET /users/*/photos/** User.Read ProfilePhoto.Read.All
        PUT /users/*/photo/$value User.ReadWrite ProfilePhoto.ReadWrite.All
        PATCH /users/*/photo/$value User.ReadWrite ProfilePhoto.ReadWrite.All
        GET /users/*/messages/*/$value Mail.Read Mail.Read
        POST /users/*/messages/*/reply Mail.Send Mail.Send
        POST /users/*/messages/*/replyAll Mail.Send Mail.Send
        POST /users/*/messages/*/forward Mail.Send Mail.Send
        POST /users/*/messages/*/createReply Mail.ReadWrite Mail.ReadWrite
        POST /users/*/messages/*/createReplyAll Mail.ReadWrite Mail.ReadWrite
        POST /users/*/messages/*/createForward Mail.ReadWrite Mail.ReadWrite
        POST /users/*/messages/*/move Mail.ReadWrite Mail.ReadWrite
        POST /users/*/messages/*/copy Mail.ReadWrite Mail.ReadWrite
        GET /users/*/mailFolders/** Mail.ReadBasic Mail.ReadBasic.All
        POST /users/*/mailFolders Mail.ReadWrite Mail.ReadWrite
        POST /users/*/mailFolders/*/childFolders Mail.ReadWrite Mail.ReadWrite
        POST /users/*/mailFolders/*/messages Mail.ReadWrite Mail.ReadWrite
        PATCH /users/*/mailFolders/* Mail.ReadWrite Mail.ReadWrite
        DELETE /users/*/mailFolders/* Mail.ReadWrite Mail.ReadWrite
        GET /users/*/calendars/** Calendars.ReadBasic Calendars.ReadBasic.All
        GET /users/*/calendar Calendars.ReadBasic Calendars.ReadBasic.All
        POST /users/*/calendars/*/events Calendars.ReadWrite Calendars.ReadWrite
        GET /users/*/events/** Calendars.ReadBasic Calendars.ReadBasic.All
        GET /users/*/calendar/events Calendars.ReadBasic Calendars.ReadBasic.All
        POST /users/*/events Calendars.ReadWrite Calendars.ReadWrite
        POST /users/*/calendar/events Calendars.ReadWrite Calendars.ReadWrite
        PATCH /users/*/events/* Calendars.ReadWrite Calendars.ReadWrite
        DELETE /users/*/events/* Calendars.ReadWrite Calendars.ReadWrite
        GET /users/*/messages Mail.ReadBasic Mail.ReadBasic.All
        GET /users/*/messages/* Mail.ReadBasic Mail.ReadBasic.All
        GET /users/*/messages/*/attachments Mail.Read Mail.Read
        GET /users/*/messages/*/attachments/** Mail.Read Mail.Read
        POST /users/*/messages Mail.ReadWrite Mail.ReadWrite
        PATCH /users/*/messages/* Mail.ReadWrite Mail.ReadWrite
        DELETE /users/*/messages/* Mail.ReadWrite Mail.ReadWrite
        POST /users/*/messages/*/attachments Mail.ReadWrite Mail.ReadWrite
        POST /users/*/messages/*/attachments/createUploadSession Mail.ReadWrite Mail.ReadWrite
        POST /users/*/messages/*/send Mail.Send Mail.Send
        POST /users/*/sendMail Mail.Send Mail.Send
        POST /users/*/microsoft.graph.sendMail Mail.Send Mail.Send
        GET /users/*/drive Files.Read Files.Read.All
        GET /users/*/drive/** Files.Read Files.Read.All
        POST /users/*/drive/** Files.ReadWrite Files.ReadWrite.All
        PUT /users/*/drive/** Files.ReadWrite Files.ReadWrite.All
        PATCH /users/*/drive/** Files.ReadWrite Files.ReadWrite.All
        DELETE /users/*/drive/** Files.ReadWrite Files.ReadWrite.All
        GET /drives/** Files.Read Files.Read.All
        POST /drives/** Files.ReadWrite Files.ReadWrite.All
        PUT /drives/** Files.ReadWrite Files.ReadWrite.All
        PATCH /drives/** Files.ReadWrite Files.ReadWrite.All
        DELETE /drives/** Files.ReadWrite Files.ReadWrite.All
        """.split(separator: "\n").map { line in
            let words = line.split(separator: " ")
            return Row(
                method: String(words[0]), path: words[1].split(separator: "/"),
                permissions: Permissions(delegated: [String(words[2])], application: [String(words[3])]))
        }
}
