/// A source of changes in Microsoft 365: an entry of `document.metadata.changes`.
package struct ChangeSource: Sendable, Hashable {
    /// What its items are, as Graph names them.
    package enum Item: String, Sendable, Hashable {
        case message, event, driveItem, user, group
    }

    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case created, updated, deleted
    }

    /// Which items of the first round count as changes.
    package enum Beginning: Sendable, Hashable {
        case now, all
        /// Those that arrived or were changed at this time of RFC 3339, or later.
        case time(String)

        package init?(_ text: String) {
            switch text {
            case "now": self = .now
            case "all": self = .all
            default:
                guard SchemaFormat.dateTime.accepts(text) else { return nil }
                self = .time(text)
            }
        }
    }

    /// Where the items are, as the file has it: `/me/mailFolders/inbox/messages`.
    package var resource: String
    package var item: Item
    package var kinds: Set<Kind>
    /// The time between two rounds.
    package var every: Duration
    package var since: Beginning
    /// The properties that are read; empty for those that Graph chooses.
    package var select: [String]
    /// How many changes a round may have; nil for any number.
    package var maximum: Int?
    /// Where the file has it.
    package var place: JSONPointer

    /// The types of its events.
    package var types: [String] { Kind.allCases.filter(kinds.contains).map { Self.type(of: item, $0) } }

    package static func type(of item: Item, _ kind: Kind) -> String {
        "microsoft.graph.\(item.rawValue).\(kind.rawValue)"
    }

    /// The path of the delta query below Graph's base address, with its query.
    package var deltaPath: String {
        let parts = resource.split(separator: "?", maxSplits: 1)
        let path = parts[0].split(separator: "/").map { (String($0).percentDecoded ?? "").percentEncoded() }
        var query = parts.count > 1 ? [String(parts[1])] : []
        if !select.isEmpty {
            query.append("$select=" + readProperties.map { $0.percentEncoded() }.joined(separator: ","))
        }
        return "/" + path.joined(separator: "/") + "/delta" + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    /// The properties that are read: those that were asked for, and what recognises the item.
    private var readProperties: [String] { select + recognised.filter { !select.contains($0) } }

    /// The properties that are read in addition, and are no part of the events.
    package var addedProperties: [String] {
        select.isEmpty ? [] : recognised.filter { $0 != "id" && !select.contains($0) }
    }

    private var recognised: [String] {
        var names: [String] = []
        switch item {
        case .message:
            names = ["internetMessageId", "isDraft", "subject", "from", "toRecipients", "ccRecipients"]
        // A drive returns nothing that was not selected, not even what says that an item was deleted.
        case .driveItem: names = ["id", "eTag", "root", "deleted"]
        case .event, .user, .group: break
        }
        if case .time = since { names.append(item == .message ? "receivedDateTime" : "lastModifiedDateTime") }
        return names
    }
}

extension ChangeSource {
    private static let members = ["resource", "kinds", "every", "since", "select", "maximum"]
    /// A hundred requests a day for each source would be few, one each second too many.
    private static let shortest = Duration.seconds(5)

    init?(_ node: DocumentNode, _ decoding: Decoding) {
        guard
            decoding.check(node, is: "a source of changes", known: Self.members, required: ["resource"]),
            let resource = decoding.string(node["resource"], "'resource'")
        else { return nil }
        if let reason = resource.percentDecoded.flatMap(PlainText.invisible) {
            decoding.report("changes", reason, hint: PlainText.visibly, at: node.pointer.appending("resource"))
            return nil
        }
        guard let item = Self.item(of: resource) else {
            decoding.report(
                "changes", "changes of '\(PlainText.exact(resource, limit: 100))' cannot be followed",
                hint: Self.hint(insteadOf: resource), at: node.pointer.appending("resource"))
            return nil
        }
        var kinds = Set(Kind.allCases)
        if let given = node["kinds"] {
            guard let elements = given.elements, !elements.isEmpty else {
                decoding.report(
                    "changes", "'kinds' must be a list of kinds of changes",
                    hint: "use some of \(Kind.allCases.map(\.rawValue).quoted)",
                    at: given.pointer)
                return nil
            }
            kinds = Set(elements.compactMap { decoding.choice($0, Kind.self, "a kind of change") })
        }
        var every = Duration.seconds(60)
        if let given = node["every"] {
            guard let read = decoding.duration(given) else { return nil }
            guard case .literal(let duration) = read, duration >= Self.shortest else {
                decoding.report(
                    "changes", "'every' needs a time of at least 5 seconds, without expressions",
                    hint: "write PT1M, which is the default", at: given.pointer)
                return nil
            }
            every = duration
        }
        guard let since = Self.beginning(node["since"], of: item, decoding),
            let select = Self.names(node["select"], decoding)
        else { return nil }
        if item == .event, let given = node["select"] {
            decoding.report(
                "changes", "the properties of events cannot be selected", hint: "leave out 'select'", at: given.pointer)
            return nil
        }
        let maximum = node["maximum"]?.value.integer
        guard node["maximum"] == nil || maximum ?? 0 > 0 else {
            decoding.report(
                "changes", "'maximum' must be a number of changes, at least 1",
                at: node.pointer.appending("maximum"))
            return nil
        }
        self.init(
            resource: resource, item: item, kinds: kinds, every: every, since: since, select: select, maximum: maximum,
            place: node.pointer)
    }

    private static func beginning(_ node: DocumentNode?, of item: Item, _ decoding: Decoding) -> Beginning? {
        guard let node else { return .now }
        guard let text = decoding.string(node, "'since'") else { return nil }
        guard let beginning = Beginning(text) else {
            decoding.report(
                "changes", "'since' cannot be '\(PlainText.exact(text, limit: 100))'",
                hint: "write now, all, or a time such as 2026-01-31T12:00:00Z", at: node.pointer)
            return nil
        }
        guard beginning == .now || beginning == .all || item != .user && item != .group else {
            decoding.report(
                "changes", "\(item.rawValue)s do not say when they changed, so 'since' cannot be a time",
                hint: "write now or all", at: node.pointer)
            return nil
        }
        return beginning
    }

    private static func names(_ node: DocumentNode?, _ decoding: Decoding) -> [String]? {
        guard let node else { return [] }
        guard let elements = node.elements else {
            decoding.report(
                "changes", "'select' must be a list of properties", hint: "write [subject, from]", at: node.pointer)
            return nil
        }
        let names = elements.compactMap { decoding.string($0, "a property") }
        for (element, name) in zip(elements, names)
        where name.isEmpty || !name.allSatisfy({ $0.isLetter || $0.isNumber }) {
            decoding.report(
                "changes", "'\(PlainText.exact(name, limit: 100))' is not the name of a property",
                hint: "write the names of Graph's properties, such as subject", at: element.pointer)
        }
        return names.count == elements.count ? names : nil
    }

    /// What a resource consists of; nil if it cannot be followed.
    private static func item(of resource: String) -> Item? {
        let parts = resource.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let segments = parts[0].split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        let isPlain = segments.allSatisfy { segment in
            guard let name = String(segment).percentDecoded else { return false }
            return !["", ".", ".."].contains(name) && !segment.contains("${")
                && !name.contains { $0 == "/" || $0.isNewline }
        }
        guard resource.hasPrefix("/"), isPlain,
            parts.count == 1 || parts[1].utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        let query = parts.count > 1 ? parts[1].split(separator: "&").map { $0.prefix { $0 != "=" } } : []
        if segments.elementsEqual(["users"]) { return parts.count == 1 ? .user : nil }
        if segments.elementsEqual(["groups"]) { return parts.count == 1 ? .group : nil }
        let rest = Array(
            segments.dropFirst(segments.first == "me" ? 1 : segments.first == "users" ? 2 : segments.count))
        switch rest.count {
        case 3 where rest[0] == "mailFolders" && rest[2] == "messages": return parts.count == 1 ? .message : nil
        case 2 where rest == ["drive", "root"]: return parts.count == 1 ? .driveItem : nil
        case 1 where rest == ["calendarView"]:
            return Set(query) == ["startDateTime", "endDateTime"] ? .event : nil
        default: return nil
        }
    }

    private static func hint(insteadOf resource: String) -> String {
        let words = resource.lowercased()
        func names(_ parts: String...) -> Bool { parts.contains { words.contains($0) } }
        if names("calendar", "event") {
            return "write /me/calendarView?startDateTime=2026-01-01T00:00:00Z&endDateTime=2027-01-01T00:00:00Z"
        }
        if names("inbox", "message", "mail") {
            return "write /me/mailFolders/inbox/messages, or /users/NAME instead of /me; 'schedule.on' can filter"
        }
        if names("drive") {
            return "write /me/drive/root or /users/NAME/drive/root, which is the whole drive; 'schedule.on' can filter"
        }
        return "write /me or /users/ID with /mailFolders/ID/messages, /calendarView?… or /drive/root after it, "
            + "or /users or /groups"
    }
}

extension Decoding {
    /// The sources in `document.metadata.changes`.
    func changes(_ node: DocumentNode?) -> [ChangeSource] {
        guard let node else { return [] }
        guard let elements = node.elements else {
            report(
                "changes", "'changes' must be a list of sources, but this is \(node.value.described)", at: node.pointer)
            return []
        }
        var sources: [ChangeSource] = []
        for element in elements {
            guard let source = ChangeSource(element, self) else { continue }
            if sources.contains(where: { $0.resource == source.resource }) {
                report(
                    "changes", "the changes of '\(source.resource)' are followed twice", at: element.pointer)
            }
            sources.append(source)
        }
        return sources
    }
}
