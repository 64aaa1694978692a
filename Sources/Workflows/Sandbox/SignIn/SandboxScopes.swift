/// The scopes of a request, divided into Graph's permissions and those of OpenID Connect.
struct SandboxScopes {
    static let defaultScope = ".default"
    private static let openIDNames: Set<String> = ["openid", "profile", "email", "offline_access"]

    /// Graph's permissions by their short names.
    var permissions: Set<String> = []
    var openID: Set<String> = []
    /// Whether `.default` requests everything that was consented to.
    var isDefault = false
    /// The prefix of the permissions: the resource if the client writes it, else empty.
    var prefix = ""

    /// - Parameter origin: The sandbox's own address, which counts as Graph's.
    init(_ words: [String], application: String, origin: String) throws(SandboxSignInError) {
        for word in words {
            if Self.openIDNames.contains(word.lowercased()) {
                openID.insert(word.lowercased())
                continue
            }
            let name: String
            if let slash = word.lastIndex(of: "/"), word.contains("://") {
                let resource = String(word[..<slash])
                guard Self.isGraph(resource, origin: origin) else { throw Self.noResource(resource) }
                prefix = resource + "/"
                name = String(word[word.index(after: slash)...])
            } else {
                name = word
            }
            if name == Self.defaultScope {
                isDefault = true
            } else {
                guard Self.isPermission(name) else { throw Self.noPermission(name, application) }
                permissions.insert(name)
            }
        }
        guard !isDefault || permissions.isEmpty else {
            throw SandboxSignInError(
                "invalid_scope", 70_011,
                "The provided request must include a 'scope' input parameter. The provided value for the input"
                    + " parameter 'scope' is not valid. .default scope can't be combined with resource-specific scopes."
            )
        }
    }

    /// The scopes of an answer: everything granted, never `offline_access`.
    func text(granted: Set<String>) -> String {
        var words = granted.sorted().map { prefix + $0 }
        if isDefault { words.append(prefix + Self.defaultScope) }
        return (words + openID.subtracting(["offline_access"]).sorted()).joined(separator: " ")
    }

    static func isGraph(_ resource: String, origin: String) -> Bool {
        let resource = resource.lowercased()
        let name = resource.hasSuffix("/") ? String(resource.dropLast()) : resource
        return hosts.contains(name) || name == origin.lowercased()
    }

    static func noResource(_ name: String) -> SandboxSignInError {
        SandboxSignInError(
            "invalid_resource", 500_011,
            "The resource principal named \(name) was not found in the tenant named Contoso. This can happen if the"
                + " application has not been installed by the administrator of the tenant or consented to by any user in"
                + " the tenant.")
    }

    private static func noPermission(_ name: String, _ application: String) -> SandboxSignInError {
        SandboxSignInError(
            "invalid_client", 650_053,
            "The application '\(application)' asked for scope '\(name)' that doesn't exist on the resource"
                + " '00000003-0000-0000-c000-000000000000'. Contact the app vendor.")
    }

    private static let hosts: Set<String> = [
        "https://graph.microsoft.com", "https://graph.microsoft.us", "https://dod-graph.microsoft.us",
        "https://microsoftgraph.chinacloudapi.cn", "00000003-0000-0000-c000-000000000000",
    ]

    /// Whether the name looks like a permission of Graph: `Mail.Send`, `User.ReadBasic.All`.
    private static func isPermission(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard (2...5).contains(parts.count), let kind = parts.first, kinds.contains(kind.lowercased()) else {
            return false
        }
        return parts.allSatisfy { part in
            part.first?.isLetter == true
                && part.utf8.allSatisfy {
                    (0x61...0x7a).contains($0 | 0x20) || (0x30...0x39).contains($0) || $0 == 0x2d
                }
        }
    }

    /// The resources that Graph's permissions begin with.
    private static let kinds: Set<String> = [
        "accessreview", "administrativeunit", "agreement", "analytics", "application", "appcatalog", "auditlog",
        "bookings", "calendars", "calls", "channel", "channelmember", "channelmessage", "chat", "chatmember",
        "chatmessage", "contacts", "device", "devicemanagementapps", "directory", "domain", "eas", "ews", "files",
        "financials", "group", "groupmember", "identityriskyuser", "imap", "mail", "mailboxfolder", "mailboxitem",
        "mailboxsettings", "member", "notes", "onlinemeetings", "organization", "orgcontact", "people", "place",
        "policy", "pop", "presence", "printer", "profilephoto", "reports", "rolemanagement", "securityevents",
        "shortnotes", "sites", "smtp", "subscription", "tasks", "team", "teammember", "teamsactivity", "teamsapp",
        "teamsettings", "user", "useractivity", "usernotification", "usertimelineactivity",
    ]
}
