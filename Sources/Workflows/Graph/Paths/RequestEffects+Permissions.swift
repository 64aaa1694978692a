internal import GraphModel

extension RequestEffects {
    var permissions: Permissions? {
        if last == "$batch", method == "POST" { return permissionsOfBatch }
        // Who follows changes of something needs what reading it needs.
        if names == ["subscriptions"], method == "POST" {
            return (body?.member("resource")?.string).flatMap { RequestEffects("GET", $0, host: host, nil).permissions }
        }
        guard var published = published(at: path) else { return nil }
        // What is published for one's own things is not possible for an application, which must name the user.
        if isOwn, let others = self.published(at: "users/x" + path.drop { $0 == "/" }.dropFirst("me".count)) {
            published.application = others.application
        }
        guard let row = Permissions(published) else { return nil }
        let own = refined(row)
        return isAboutAnother ? own.forAnother : own
    }

    private func published(at path: String) -> GraphPermissions? {
        (try? GraphAddress(path)).flatMap { GraphPermissions(method, $0) }
    }

    /// Whether it is about somebody else's mailbox, calendar or files, as far as the address says; a drive by its id may be.
    private var isAboutAnother: Bool { names.first == "drives" || names.first == "users" && names.count > 1 && !isOwn }

    private var permissionsOfBatch: Permissions? {
        guard let requests = body?.member("requests")?.array else { return nil }
        var all = Permissions()
        for inner in requests {
            guard let method = inner.member("method")?.string, let path = inner.member("url")?.string,
                let needed = RequestEffects(method, path, host: host, inner.member("body")).permissions
            else { return nil }
            all.formUnion(needed)
        }
        return all
    }

    /// A row's permissions, plus those for the properties that are read, compared or changed.
    private func refined(_ row: Permissions) -> Permissions {
        let isPerson = names.first == "users" && names.count <= 2
        switch (method, names.first) {
        case ("POST", "search") where last == "query": return searching(row)
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

    private static let searched = [
        "message": "Mail.Read", "event": "Calendars.Read", "drive": "Files.Read.All", "driveItem": "Files.Read.All",
        "list": "Sites.Read.All", "listItem": "Sites.Read.All", "site": "Sites.Read.All", "person": "People.Read",
        "chatMessage": "Chat.Read", "externalItem": "ExternalItem.Read.All", "acronym": "Acronym.Read.All",
        "bookmark": "Bookmark.Read.All", "qna": "QnA.Read.All",
    ]

    /// A search needs what reading the things that it searches for needs.
    private func searching(_ row: Permissions) -> Permissions {
        let requests = body?.member("requests")?.array ?? []
        let types = requests.flatMap { $0["entityTypes"]?.array ?? [] }.compactMap(\.string)
        let names = types.compactMap { Self.searched[$0] }
        guard !names.isEmpty, names.count == types.count else { return row }
        var needed = Permissions()
        for name in names { needed.formUnion(Permissions(delegated: [name], application: [])) }
        needed.application = row.application
        return needed
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
        let properties = namedProperties
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
        let items = GraphQuery(query)
        guard items["$select"] != nil, items["$search"] == nil else { return true }
        return namedProperties.contains { Self.content.contains($0) }
    }

    // MARK: Queries

    /// The properties that a query names, in lower case; one that is only known at run time is none of the known ones.
    private var namedProperties: [String] {
        let query = GraphQuery(query)
        let paths = (query.selected ?? []) + query.ordered + query.filtered
        let names = paths.map { $0[0] } + query.expanded.map { Substring($0.name) } + query.searched
        return names.map { $0.lowercased() }.filter { !$0.isEmpty }
    }
}

extension Permissions {
    /// Published permissions; nil where those of one kind of sign-in are not known.
    fileprivate init?(_ published: GraphPermissions) {
        func names(_ need: GraphPermissions.Need) -> [String]? {
            switch need {
            case .names(let names): names
            case .impossible: []
            case .unknown: nil
            }
        }
        guard let delegated = names(published.delegated), let application = names(published.application) else {
            return nil
        }
        self.init(delegated: delegated, application: application)
    }

    package mutating func formUnion(_ others: Permissions) {
        delegated += others.delegated.filter { !delegated.contains($0) }
        application += others.application.filter { !application.contains($0) }
    }

    /// The request's permissions for another person's mailbox, calendar, contacts or files.
    var forAnother: Permissions {
        var delegated: [String] = []
        for permission in self.delegated {
            let words = permission.split(separator: ".")
            switch words.first {
            case "Mail", "Calendars", "Contacts":
                delegated.append("\(words[0]).\(words[1] == "ReadBasic" ? "Read" : words[1]).Shared")
            case "Files" where words.count == 2: delegated.append("\(permission).All")
            default: delegated.append(permission)
            }
        }
        return Permissions(delegated: delegated, application: application)
    }
}
