struct SandboxRoute {
    enum Item: Equatable {
        case root
        case id(String)
        /// Names below a folder: the root, or the item with an id.
        case path([String], below: String?)
    }

    /// Groups, licences and the organisation.
    enum Directory: Equatable {
        case groups
        case group(String)
        case members(String)
        case memberReferences(String)
        case memberReference(String, member: String)
        case memberOf(group: String?)
        case manager
        case reports
        case organization
        /// An object that was deleted, which is restored.
        case deletedItem(String)
        case skus
        case licenceDetails
        case assignLicence
    }

    enum Reply: Equatable {
        case reply, replyAll, forward
    }

    enum Resource: Equatable {
        case user
        case users
        case userCount
        case photos
        case photo(size: String?)
        case photoContent(size: String?)
        case drive
        case item(Item)
        case content(Item)
        case createLink(Item)
        case invite(Item)
        case permissions(Item)
        case permission(Item, String)
        case createUploadSession(Item)
        case children(Item)
        case copy(Item)
        /// A file's thumbnails; the one of a size, or its bytes.
        case thumbnails(Item, size: String?, isContent: Bool)
        case search(Item, String)
        case upload(String)
        case sendMail
        case messages(folder: String?)
        case message(String)
        case send(String)
        case reply(Reply, String, isDraft: Bool)
        case move(String, copies: Bool)
        case mime(String)
        case attachments(message: String)
        case attachment(String, message: String, isContent: Bool)
        case createAttachmentSession(message: String)
        case mailFolders(parent: String?)
        case mailFolder(String)
        case directory(Directory)
        case calendars
        /// By id; nil for the default calendar.
        case calendar(String?)
        case events(calendar: String?)
        case event(String)
        case cancel(String)
        case batch
        case delta(Collection)
        /// All, or the one with an id.
        case subscriptions(String?, isReauthorization: Bool)
        /// Part of Graph's description, but not simulated.
        case unplayed
    }

    /// An id or user principal name; nil for the signed-in user.
    var owner: String?
    var resource: Resource

    var needsUser: Bool {
        switch resource {
        case .users, .userCount, .directory, .subscriptions: false
        case .delta(let collection): !collection.isOfDirectory
        default: true
        }
    }

    init(_ segments: [String]) throws(SandboxError) {
        if segments.count == 2, segments[0].lowercased() == "uploadsession" {
            self.init(nil, .upload(segments[1]))
            return
        }
        guard ["v1.0", "beta"].contains(segments.first) else {
            throw segments.isEmpty ? .notPlayed("") : .badRequest("Invalid version: \(segments[0])")
        }
        var rest = segments.dropFirst()
        guard let first = rest.popFirst() else { throw .notPlayed("v1.0") }
        switch first.lowercased() {
        case "me": self.init(nil, try Self.resource(rest))
        case "users":
            guard let name = rest.popFirst() else {
                self.init(nil, .users)
                return
            }
            if Collection.isDelta(name), rest.isEmpty {
                self.init(nil, .delta(.users))
                return
            }
            self.init(name == "$count" ? nil : name, name == "$count" ? .userCount : try Self.resource(rest))
        case "drives":
            guard let name = rest.popFirst() else { throw .notPlayed("drives") }
            self.init(name, try Self.drive(rest))
        case "subscriptions" where rest.count < 2:
            self.init(nil, .subscriptions(rest.first, isReauthorization: false))
        case "subscriptions" where rest.count == 2 && rest.last?.lowercased() == "reauthorize":
            self.init(nil, .subscriptions(rest.first, isReauthorization: true))
        case "$batch" where rest.isEmpty: self.init(nil, .batch)
        case "directory" where rest.count == 3 && rest.first?.lowercased() == "deleteditems" && rest.last == "restore":
            self.init(nil, .directory(.deletedItem(rest[rest.startIndex + 1])))
        case "organization" where rest.isEmpty: self.init(nil, .directory(.organization))
        case "subscribedskus" where rest.isEmpty: self.init(nil, .directory(.skus))
        case "groups" where rest.count == 1 && Collection.isDelta(rest.first ?? ""): self.init(nil, .delta(.groups))
        case "groups": self.init(nil, .directory(try Self.group(rest)))
        default: throw .notPlayed(first)
        }
    }

    init(_ owner: String?, _ resource: Resource) {
        self.owner = owner
        self.resource = resource
    }

    private static func resource(_ segments: ArraySlice<String>) throws(SandboxError) -> Resource {
        let words = segments.map { $0.lowercased() }
        switch words.first {
        case nil: return .user
        case "photo" where words.count == 1: return .photo(size: nil)
        case "photo" where words == ["photo", "$value"]: return .photoContent(size: nil)
        case "photos" where words.count == 1: return .photos
        case "photos" where words.count == 2: return .photo(size: words[1])
        case "photos" where words.count == 3 && words[2] == "$value": return .photoContent(size: words[1])
        case "sendmail" where words.count == 1, "microsoft.graph.sendmail" where words.count == 1: return .sendMail
        case "messages":
            return words.count == 1 ? .messages(folder: nil) : try message(segments.dropFirst(), words.dropFirst())
        case "mailfolders": return try folder(segments.dropFirst(), words.dropFirst())
        case "drive": return try Self.drive(segments.dropFirst())
        case "events" where words.count == 1: return .events(calendar: nil)
        case "events" where words.count == 2: return .event(segments.last ?? "")
        case "events" where words.count == 3 && ["cancel", "microsoft.graph.cancel"].contains(words.last):
            return .cancel(segments[segments.index(after: segments.startIndex)])
        case "calendarview": return try calendar(nil, segments)
        case "calendar": return try calendar(nil, segments.dropFirst())
        case "calendars":
            guard let id = segments.dropFirst().first else { return .calendars }
            return try calendar(id, segments.dropFirst(2))
        case "memberof" where words.count < 3:
            return .directory(.memberOf(group: words.count == 2 ? words.last : nil))
        case "manager" where words.count == 1: return .directory(.manager)
        case "directreports" where words.count == 1: return .directory(.reports)
        case "licensedetails" where words.count == 1: return .directory(.licenceDetails)
        case "assignlicense" where words.count == 1, "microsoft.graph.assignlicense" where words.count == 1:
            return .directory(.assignLicence)
        default: throw .notPlayed(segments.last ?? "")
        }
    }

    private static func calendar(_ id: String?, _ segments: ArraySlice<String>) throws(SandboxError) -> Resource {
        guard let first = segments.first else { return .calendar(id) }
        if first.lowercased() == "calendarview", segments.count == 2, Collection.isDelta(segments.last ?? "") {
            return .delta(.calendarView(calendar: id))
        }
        guard first.lowercased() == "events", segments.count < 3 else { throw .notPlayed(segments.last ?? "") }
        return segments.count == 1 ? .events(calendar: id) : .event(segments.last ?? "")
    }

    private static func group(_ segments: ArraySlice<String>) throws(SandboxError) -> Directory {
        guard let id = segments.first else { return .groups }
        switch segments.dropFirst().map({ $0.lowercased() }) {
        case []: return .group(id)
        case ["members"]: return .members(id)
        case ["members", "$ref"]: return .memberReferences(id)
        case let rest where rest.count == 3 && rest[0] == "members" && rest[2] == "$ref":
            return .memberReference(id, member: rest[1])
        default: throw .notPlayed(segments.last ?? "")
        }
    }

    private static func folder(
        _ segments: ArraySlice<String>, _ words: ArraySlice<String>
    ) throws(SandboxError) -> Resource {
        guard let name = segments.first else { return .mailFolders(parent: nil) }
        if segments.count == 1, Collection.isDelta(name) { return .delta(.folders) }
        switch Array(words.dropFirst()) {
        case []: return .mailFolder(name)
        case ["childfolders"]: return .mailFolders(parent: name)
        case let rest where rest.count == 2 && rest[0] == "childfolders": return .mailFolder(segments.last ?? "")
        case ["messages"]: return .messages(folder: name)
        case let rest where rest.count == 2 && rest[0] == "messages" && Collection.isDelta(rest[1]):
            return .delta(.messages(folder: name))
        case let rest where rest.first == "messages":
            return try message(segments.dropFirst(2), words.dropFirst(2))
        default: throw .notPlayed(segments.last ?? "")
        }
    }

    /// Ids keep their case.
    private static func message(
        _ segments: ArraySlice<String>, _ words: ArraySlice<String>
    ) throws(SandboxError) -> Resource {
        let id = segments.first ?? ""
        let last = segments.last ?? ""
        switch Array(words.dropFirst()) {
        case []: return .message(id)
        case ["send"], ["microsoft.graph.send"]: return .send(id)
        case ["$value"]: return .mime(id)
        case ["reply"], ["microsoft.graph.reply"]: return .reply(.reply, id, isDraft: false)
        case ["replyall"], ["microsoft.graph.replyall"]: return .reply(.replyAll, id, isDraft: false)
        case ["forward"], ["microsoft.graph.forward"]: return .reply(.forward, id, isDraft: false)
        case ["createreply"], ["microsoft.graph.createreply"]: return .reply(.reply, id, isDraft: true)
        case ["createreplyall"], ["microsoft.graph.createreplyall"]: return .reply(.replyAll, id, isDraft: true)
        case ["createforward"], ["microsoft.graph.createforward"]: return .reply(.forward, id, isDraft: true)
        case ["move"], ["microsoft.graph.move"]: return .move(id, copies: false)
        case ["copy"], ["microsoft.graph.copy"]: return .move(id, copies: true)
        case ["attachments"]: return .attachments(message: id)
        case ["attachments", "createuploadsession"], ["attachments", "microsoft.graph.createuploadsession"]:
            return .createAttachmentSession(message: id)
        case let rest where rest.count == 2 && rest[0] == "attachments":
            return .attachment(last, message: id, isContent: false)
        case let rest where rest.count == 3 && rest[0] == "attachments" && rest[2] == "$value":
            return .attachment(segments[segments.index(segments.endIndex, offsetBy: -2)], message: id, isContent: true)
        default: throw .notPlayed(last)
        }
    }

    private static func drive(_ segments: ArraySlice<String>) throws(SandboxError) -> Resource {
        // Clients that take `root:/folder/name:` for an id encode its slashes.
        var rest = segments.flatMap { segment in
            segment.contains(":/")
                ? segment.split(separator: "/", omittingEmptySubsequences: false).map(String.init) : [segment]
        }[...]
        guard let first = rest.popFirst() else { return .drive }
        if rest.isEmpty, let text = searchedText(first) { return .search(.root, text) }
        var item: Item
        var isPath = first.hasSuffix(":")
        switch first.lowercased() {
        case "root", "root:": item = .root
        case "items":
            guard let id = rest.popFirst() else { return .unplayed }
            isPath = id.hasSuffix(":")
            item = .id(isPath ? String(id.dropLast()) : id)
            if item == .id("root") { item = .root }
        default: throw .notPlayed(first)
        }
        if isPath, !rest.isEmpty {
            var names: [String] = []
            while let name = rest.popFirst() {
                names.append(name.hasSuffix(":") ? String(name.dropLast()) : name)
                if name.hasSuffix(":") { break }
            }
            item = if case .id(let id) = item { .path(names, below: id) } else { .path(names, below: nil) }
        }
        switch rest.map({ $0.lowercased() }) {
        case []: return .item(item)
        case ["content"]: return .content(item)
        case ["createlink"], ["microsoft.graph.createlink"]: return .createLink(item)
        case ["invite"], ["microsoft.graph.invite"]: return .invite(item)
        case ["createuploadsession"], ["microsoft.graph.createuploadsession"]: return .createUploadSession(item)
        case ["children"]: return .children(item)
        case ["copy"], ["microsoft.graph.copy"]: return .copy(item)
        case ["thumbnails"]: return .thumbnails(item, size: nil, isContent: false)
        case let words where words.starts(with: ["thumbnails", "0"]) && words.count == 3:
            return .thumbnails(item, size: words[2], isContent: false)
        case let words where words.starts(with: ["thumbnails", "0"]) && words.count == 4 && words[3] == "content":
            return .thumbnails(item, size: words[2], isContent: true)
        case ["permissions"]: return .permissions(item)
        case let words where words.first == "permissions" && words.count == 2:
            return .permission(item, rest.last ?? "")
        case let words where words.count == 1 && Collection.isDelta(words[0]):
            guard item == .root else { throw .notPlayed("the delta of a folder") }
            return .delta(.drive)
        default:
            guard rest.count == 1, let text = rest.last.flatMap(Self.searchedText) else {
                throw .notPlayed(rest.last ?? "")
            }
            return .search(item, text)
        }
    }
    private static func searchedText(_ segment: String) -> String? {
        let name = segment.lowercased().hasPrefix("microsoft.graph.") ? segment.dropFirst(16) : segment[...]
        guard name.lowercased().hasPrefix("search(q='"), name.hasSuffix("')") else { return nil }
        return String(name.dropFirst("search(q='".count).dropLast(2)).replacing("''", with: "'")
    }
}
