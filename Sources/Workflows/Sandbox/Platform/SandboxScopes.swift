struct SandboxScopes {
    static let defaultScope = ".default"
    private static let openIDNames: Set<String> = ["openid", "profile", "email", "offline_access"]

    var permissions: Set<String> = []
    /// The application that provides the permissions; nil for Graph.
    var resource: String?
    var openID: Set<String> = []
    /// Whether `.default` requests everything that was consented to.
    var isDefault = false
    /// The permissions' prefix: the resource if the client writes it, else empty.
    var prefix = ""

    init(
        _ words: [String], application: String, _ call: SandboxSignInCall, _ rules: Sandbox.SignInRules
    ) throws(SandboxSignInError) {
        var resources: Set<String?> = []
        for word in words {
            if Self.openIDNames.contains(word.lowercased()) {
                openID.insert(word.lowercased())
                continue
            }
            let name: String
            if let slash = word.lastIndex(of: "/") {
                let resource = String(word[..<slash])
                self.resource = Self.application(resource, rules)
                guard self.resource != nil || Self.isGraph(resource, origin: call.origin) else {
                    throw Self.noResource(resource)
                }
                prefix = resource + "/"
                name = String(word[word.index(after: slash)...])
                resources.insert(self.resource)
            } else {
                name = word
                resources.insert(nil)
            }
            if name == Self.defaultScope {
                isDefault = true
            } else {
                guard Self.isPermission(name, of: resource) else {
                    throw Self.noPermission(name, application, resource)
                }
                permissions.insert(name)
            }
        }
        guard resources.count < 2 else {
            throw SandboxSignInError(
                "invalid_request", 28_000,
                "Provided value for the input parameter scope is not valid because it contains more than one resource.")
        }
        guard !isDefault || permissions.isEmpty else {
            throw SandboxSignInError(
                "invalid_scope", 70_011,
                "The provided request must include a 'scope' input parameter. The provided value for the input"
                    + " parameter 'scope' is not valid. .default scope can't be combined with resource-specific scopes."
            )
        }
    }

    /// An answer's scopes: everything granted, never `offline_access`.
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

    private static func application(_ resource: String, _ rules: Sandbox.SignInRules) -> String? {
        let id = resource.lowercased().trimmingPrefix("api://")
        return rules.applications[String(id)] == nil ? nil : String(id)
    }

    private static func noPermission(
        _ name: String, _ application: String, _ resource: String?
    ) -> SandboxSignInError {
        SandboxSignInError(
            "invalid_client", 650_053,
            "The application '\(application)' asked for scope '\(name)' that doesn't exist on the resource"
                + " '\(resource ?? "00000003-0000-0000-c000-000000000000")'. Contact the app vendor.")
    }

    private static let hosts: Set<String> = [
        "https://graph.microsoft.com", "https://graph.microsoft.us", "https://dod-graph.microsoft.us",
        "https://microsoftgraph.chinacloudapi.cn", "00000003-0000-0000-c000-000000000000",
    ]

    /// Whether the name looks like a Graph permission, `Mail.Send`, `User.ReadBasic.All`, or may be a resource's.
    private static func isPermission(_ name: String, of resource: String?) -> Bool {
        guard resource == nil else { return name.wholeMatch(of: /[A-Za-z0-9._-]{1,120}/) != nil }
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

    private static let kinds: Set<String> = [
        "accessreview", "administrativeunit", "agreement", "analytics", "appcatalog", "application", "auditlog",
        "bookings", "calendars", "calls", "channel", "channelmember", "channelmessage", "chat", "chatmember",
        "chatmessage", "contacts", "customsecattributeassignment", "device", "devicemanagementapps", "directory",
        "domain", "eas", "ews", "files", "financials", "group", "groupmember", "identityriskyuser", "imap",
        "licenseassignment", "mail", "mailboxfolder", "mailboxitem", "mailboxsettings", "member", "notes",
        "onlinemeetings", "organization", "orgcontact", "people", "place", "policy", "pop", "presence", "printer",
        "profilephoto", "reports", "rolemanagement", "securityevents", "shortnotes", "sites", "smtp", "subscription",
        "tasks", "team", "teammember", "teamsactivity", "teamsapp", "teamsettings", "user", "user-lifecycleinfo",
        "user-mail", "user-passwordprofile", "user-phone", "useractivity", "usernotification", "usertimelineactivity",
    ]
}
