extension RequestEffects {
    var permissions: Permissions? {
        if last == "$batch", method == "POST" { return permissionsOfBatch }
        var path = names
        if !path.isEmpty { path[path.count - 1] = last }
        let whole = isOwn && path.count > 1 ? ["me"] + path.dropFirst(2) : nil
        guard
            let row = whole.flatMap({ PermissionTable.permissions(of: method, $0) })
                ?? PermissionTable.permissions(of: method, path)
        else { return nil }
        let own = refined(row)
        return isAboutAnother ? own.forAnother : own
    }

    private var isAboutAnother: Bool { names.first == "users" && names.count > 1 && !isOwn }

    private var permissionsOfBatch: Permissions? {
        guard let requests = body?["requests"]?.array else { return nil }
        var all = Permissions()
        for inner in requests {
            guard let method = inner["method"]?.string, let path = inner["url"]?.string,
                let needed = RequestEffects(method, path, host: host, inner["body"]).permissions
            else { return nil }
            all.formUnion(needed)
        }
        return all
    }

    /// A row's permissions, plus those for the properties that are read, compared or changed.
    private func refined(_ row: Permissions) -> Permissions {
        let isPerson = names.first == "users" && names.count <= 2
        switch (method, names.first) {
        case ("GET", "users") where isPerson: return readingPeople(row)
        case ("PATCH", "users") where isPerson && !isOwn: return changingPerson(row)
        case ("GET", "users") where row.delegated == ["Mail.ReadBasic"]:
            let isOfMessages =
                names.count > 2 && ["messages", "delta"].contains(last) || names.dropLast().last == "messages"
            return isOfMessages && readsContent
                ? Permissions(delegated: ["Mail.Read"], application: ["Mail.Read"]) : row
        case ("GET", "users") where row.delegated == ["Calendars.ReadBasic"]:
            let isOfEvents =
                ["events", "calendarview"].contains(last) || names.dropLast().last == "events" || last == "instances"
            return isOfEvents && readsContent
                ? Permissions(delegated: ["Calendars.Read"], application: ["Calendars.Read"]) : row
        default: return row
        }
    }

    // MARK: People

    private static let basicProfile: Set<String> = [
        "id", "displayname", "givenname", "surname", "mail", "userprincipalname", "photo", "securityidentifier",
    ]

    private static let guarded = [
        "signinactivity": "AuditLog.Read.All", "employeeleavedatetime": "User-LifeCycleInfo.Read.All",
        "customsecurityattributes": "CustomSecAttributeAssignment.Read.All",
    ]

    private func readingPeople(_ row: Permissions) -> Permissions {
        let properties = Self.properties(in: queryItems)
        var needed = row
        let isBasic = properties.allSatisfy(Self.basicProfile.contains)
        if !isBasic {
            let full = ["User.Read.All"]
            // Users may read their own profile; linked people are others.
            let isOfOthers = !isOwn || properties.contains("manager")
            needed = Permissions(delegated: isOfOthers ? full : row.delegated, application: full)
        }
        for permission in properties.compactMap({ Self.guarded[$0] }) {
            needed.formUnion(Permissions(delegated: [permission], application: [permission]))
        }
        return needed
    }

    private static let separate = [
        "accountenabled": ["User.EnableDisableAccount.All", "User.Read.All"],
        "passwordprofile": ["User-PasswordProfile.ReadWrite.All"],
        "businessphones": ["User-Phone.ReadWrite.All"], "mobilephone": ["User-Phone.ReadWrite.All"],
        "othermails": ["User-Mail.ReadWrite.All"], "identities": ["User.ManageIdentities.All"],
    ]

    private func changingPerson(_ row: Permissions) -> Permissions {
        guard let changed = body?.object?.keys, !changed.isEmpty else { return row }
        var needed = Permissions()
        for property in changed {
            let permissions = Self.separate[property.lowercased()]
            needed.formUnion(permissions.map { Permissions(delegated: $0, application: $0) } ?? row)
        }
        return needed
    }

    // MARK: Messages and events

    private static let content: Set<String> = [
        "body", "bodypreview", "uniquebody", "attachments", "extensions", "singlevalueextendedproperties",
        "multivalueextendedproperties",
    ]

    /// Whether a message's or event's content is read, as it is without a selection.
    private var readsContent: Bool {
        let items = queryItems
        guard items["$select"] != nil, items["$search"] == nil else { return true }
        return Self.properties(in: items).contains { Self.content.contains($0) }
    }

    // MARK: Queries

    private var queryItems: [String: String] {
        var items: [String: String] = [:]
        for item in query.split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1)
            guard let name = parts.first.map({ Self.decoded(String($0)) }), parts.count == 2 else { continue }
            // Graph also accepts them without the dollar sign.
            items[(name.hasPrefix("$") ? name : "$" + name).lowercased()] = Self.decoded(String(parts[1]))
        }
        return items
    }

    private static func decoded(_ text: String) -> String {
        let text = text.replacing("+", with: " ")
        return text.percentDecoded ?? text
    }

    private static func properties(in items: [String: String]) -> [String] {
        var names: [String] = []
        for option in ["$select", "$expand", "$orderby"] {
            let given = items[option] ?? ""
            names += given.split(separator: ",").map { word in
                String(word.drop(while: \.isWhitespace).prefix { !" (/".contains($0) })
            }
            if UnknownTokens.isIn(given) { names.append("*") }
        }
        if let filter = items["$filter"] { names += identifiers(inFilter: filter) }
        if let search = items["$search"] {
            names += search.split(separator: "\"").compactMap { clause in
                clause.contains(":") ? String(clause.prefix { $0 != ":" }) : nil
            }
        }
        return names.map { $0.lowercased() }.filter { !$0.isEmpty }
    }

    private static func identifiers(inFilter filter: String) -> [String] {
        // Texts are in single quotes, and a quote inside is doubled.
        let plain = filter.split(separator: "'", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset.isMultiple(of: 2) }.map(\.element).joined(separator: " ")
        // A value that is only known at run time can be any property.
        if UnknownTokens.isIn(plain) { return ["*"] }
        let words = plain.replacing("(", with: "( ").split { $0.isWhitespace || $0 == ")" || $0 == "," }
        return words.compactMap { word in
            // Numbers, dates and function names are not properties.
            guard word.first?.isNumber == false, word.first != "-", word != "(" else { return nil }
            guard !word.hasSuffix("(") || word.contains("/"), !operators.contains(word.lowercased()) else { return nil }
            return String(word.prefix { !"/:(".contains($0) })
        }
    }

    private static let operators: Set<String> = [
        "and", "or", "not", "eq", "ne", "gt", "ge", "lt", "le", "in", "has", "true", "false", "null",
    ]
}

extension Permissions {
    package mutating func formUnion(_ others: Permissions) {
        delegated += others.delegated.filter { !delegated.contains($0) }
        application += others.application.filter { !application.contains($0) }
    }

    /// The request's permissions for another person's mailbox, calendar, contacts or files; nil if unknown.
    var forAnother: Permissions? {
        var delegated: [String] = []
        for permission in self.delegated {
            let words = permission.split(separator: ".")
            switch words.first {
            case "Mail", "Calendars", "Contacts":
                delegated.append("\(words[0]).\(words[1] == "ReadBasic" ? "Read" : words[1]).Shared")
            case "Files" where words.count == 2: delegated.append("\(permission).All")
            case "Tasks", "MailboxSettings": return nil
            default: delegated.append(permission)
            }
        }
        return Permissions(delegated: delegated, application: application)
    }
}
