internal import GraphModel

/// The request that takes an effect back, and what must hold of the object before it is sent.
package struct Inverse: Sendable, Hashable {
    /// What the object must be like; otherwise somebody else has changed it since.
    package enum Guard: Sendable, Hashable {
        /// Nothing is compared: the request takes back what the effect made, and no more.
        case nothing
        /// The version that the effect left.
        case version(String)
        /// A folder of that name, with nothing in it.
        case emptyFolder(name: String)
        /// One of these values of each property, and nothing in the lists of these names.
        case values(Object, parts: [String])
    }

    package var method: String
    /// The path after the service's base.
    package var path: String
    package var body: Value?
    /// The content of a file, instead of a body.
    package var content: Data?
    package var check: Guard
    /// Whether the object's path needs the id of the person that its last segment names.
    package var needsID = false

    /// The path of the object that is compared.
    package var objectPath: String {
        method == "POST" || content != nil ? String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]) : path
    }

    /// The properties that a request sets back.
    package var names: [String] { method == "PATCH" ? body?.object?.keys ?? [] : [] }

    /// Whether it sets something back, which it cannot if the object is gone.
    package var setsBack: Bool { method == "PATCH" || content != nil }

    /// Whether the object is in a drive, whose service refuses a request about another version.
    package var isInDrive: Bool {
        path.split(separator: "/").prefix(3).contains { ["drive", "drives"].contains($0.lowercased()) }
    }
}

/// Why an effect cannot be taken back, and what a person can do.
package struct Irreversible: Error, Hashable {
    package var reason: String
    package var advice: String

    package init(_ reason: String, _ advice: String) { (self.reason, self.advice) = (reason, advice) }
}

extension Effect {
    /// The request that takes the effect back, as far as its account tells.
    /// - Parameter former: What it replaced or changed; nil if that was not kept.
    package func inverse(to former: FormerObject? = nil) throws(Irreversible) -> Inverse {
        switch details {
        case .mail(let mail) where mail.sent == false: try removal("the draft", "delete it in the folder Drafts")
        case .mail:
            throw Irreversible("a mail that was sent cannot come back", "write a correction: '--draft-corrections'")
        case .file(let file): try inverse(of: file, former)
        case .folder(let folder): try inverse(ofFolder: folder)
        case .link:
            Inverse(
                method: "DELETE",
                path: try path(
                    "its answer did not name the link, or was lost: it may have been there before", "remove it"),
                check: .nothing)
        case .event(let event): try inverse(of: event)
        case .create(let object): try inverse(ofCreating: object)
        case .member(let member): try inverse(of: member)
        case .change(let object): try inverse(ofChanging: object, former)
        case .grant(let grant): try inverse(of: grant)
        case .forward: try inverse(ofRule: "the rule")
        case .autoReply:
            throw Irreversible("the former answers were not kept", "set them by hand")
        case .post: throw Irreversible("what was posted may have been read", "delete it by hand")
        case .action: throw Irreversible("what was done with the object is not known", "take it back by hand")
        case .license:
            throw Irreversible("what licenses the user had before was not kept", "change the license by hand")
        case .delete(let object): try inverse(ofDeleting: object, former)
        case .program: throw Irreversible("what a program did is not known", "take it back by hand")
        case .localFile: throw Irreversible("the former file on this machine was not kept", "remove the file by hand")
        case .notification: throw Irreversible("an event that was sent cannot come back", "tell its receivers")
        case .request: throw Irreversible("what the request did is not known", "take it back by hand")
        case .tool: throw Irreversible("what the tool did is not known", "take it back by hand")
        }
    }

    private func path(_ reason: String, _ advice: String) throws(Irreversible) -> String {
        guard let path = object?.path else { throw Irreversible(reason, advice) }
        return path
    }

    private func removal(_ what: String, _ advice: String) throws(Irreversible) -> Inverse {
        let path = try path("the run does not know where \(what) is", advice)
        guard let etag = object?.etag else {
            throw Irreversible("the run does not know the version of \(what) that it left", advice)
        }
        return Inverse(method: "DELETE", path: path, check: .version(etag))
    }

    private func inverse(of file: File, _ former: FormerObject?) throws(Irreversible) -> Inverse {
        let advice = "restore it from its version history; 'run --undoable' would have kept it"
        switch (file.replaces, former) {
        case (false, _): return try removal("the file", "delete it by hand")
        case (_, let former?) where former.isNothing: return try removal("the file", "delete it by hand")
        case (_, let former?):
            guard let content = former.content else {
                throw Irreversible(
                    "it replaced a file that was too large to be kept", "restore it from its version history")
            }
            var inverse = try removal("the file", advice)
            (inverse.method, inverse.content) = ("PUT", content)
            inverse.path += "/content"
            return inverse
        case (true, nil): throw Irreversible("it replaced a file whose content was not kept", advice)
        case (_, nil):
            throw Irreversible("the run does not know whether it replaced a file", "look at its version history")
        }
    }

    private func inverse(
        ofChanging object: ObjectChange, _ former: FormerObject?
    ) throws(Irreversible) -> Inverse {
        let advice = "set them by hand"
        guard let former else {
            throw Irreversible("the former values were not kept", "\(advice); 'run --undoable' would have kept them")
        }
        let own = try path("the run does not know what it changed", advice)
        let changes = object.properties ?? [:]
        var body = Object()
        for name in changes.keys {
            guard let value = former.object[name], !Self.unreadable.contains(name.lowercased()) else {
                throw Irreversible("the former \(name) cannot be read", advice)
            }
            // An item is moved to a folder by its id alone.
            body[name] = name == "parentReference" ? ["id": value["id"] ?? .null] : value
        }
        guard !body.isEmpty else { throw Irreversible("the run does not know what it changed", advice) }
        let etag = self.object?.etag
        return Inverse(
            method: "PATCH", path: former.pathByID ?? own, body: .object(body),
            check: etag.map { .version($0) } ?? .values(known(changes), parts: []))
    }

    /// The values that were set and can be compared: passwords and bindings cannot be read.
    private func known(_ changes: Object) -> Object {
        var values = Object()
        for (name, change) in changes where !name.contains("@") && !Self.unreadable.contains(name.lowercased()) {
            // Several changes of the run may have been made in another order than their answers came.
            if let value = change["after"] { values[name] = .array([value] + (change["others"]?.array ?? [])) }
        }
        return values
    }

    private func inverse(ofFolder folder: File) throws(Irreversible) -> Inverse {
        let path = try path("the run does not know where the folder is", "delete it by hand")
        guard let name = folder.path.string?.split(separator: "/").last else {
            throw Irreversible("the run does not know the folder's name", "delete it by hand")
        }
        return Inverse(method: "DELETE", path: path, check: .emptyFolder(name: String(name)))
    }

    private func inverse(of event: CalendarEvent) throws(Irreversible) -> Inverse {
        var inverse = try removal("the event", "delete it by hand")
        guard let attendees = event.attendees.array else {
            throw Irreversible("the run does not know whom the event invited", "cancel it by hand")
        }
        guard !attendees.isEmpty else { return inverse }
        (inverse.method, inverse.body) = ("POST", ["comment": ""])
        inverse.path += "/cancel"
        return inverse
    }

    private func inverse(ofCreating object: ObjectChange) throws(Irreversible) -> Inverse {
        let what = object.what ?? "object"
        let advice = "delete it by hand"
        guard undo != .no else { throw Irreversible("nothing is known that deletes a \(Self.words(of: what))", advice) }
        let parts = object.parts
        guard self.object?.etag == nil || !parts.isEmpty || ["user", "group"].contains(what) else {
            return try removal("the \(Self.words(of: what))", advice)
        }
        let path = try path("the run does not know the id of the \(Self.words(of: what))", advice)
        let type = GraphModel.definition(named: what)
        // Only properties are read again, not what was made together with the object.
        let set = known(object.properties ?? [:]).filter { type?.ownMember($0.key)?.kind ?? .property == .property }
        return Inverse(method: "DELETE", path: path, check: .values(set, parts: parts))
    }

    private func inverse(of grant: Grant) throws(Irreversible) -> Inverse {
        guard grant.added != false else {
            throw Irreversible("the right that was taken was not kept", "give it again by hand")
        }
        var inverse = try inverse(ofRule: "the right")
        if inverse.path.lowercased().hasSuffix("schedulerequests") {
            guard let person = grant.to.array?.first, grant.to.array?.count == 1, grant.what == "role" else {
                throw Irreversible("the run does not know who got the right", "take it back by hand")
            }
            inverse.method = "POST"
            inverse.body = [
                "action": "adminRemove", "principalId": person, "roleDefinitionId": grant.on,
                "directoryScopeId": grant.level,
            ]
            return inverse
        }
        let parts = inverse.path.split(separator: "/").map(String.init)
        inverse.needsID = parts.last == "$ref" && !parts.dropLast().suffix(1).allSatisfy(GraphClient.isObjectID)
        return inverse
    }

    private func inverse(ofRule what: String) throws(Irreversible) -> Inverse {
        Inverse(
            method: "DELETE", path: try path("the run does not know where \(what) is", "remove it by hand"),
            check: .nothing)
    }

    private func inverse(of member: Member) throws(Irreversible) -> Inverse {
        let isAdded = member.added == true
        let path = try path(
            "the run does not know the request that it would have to reverse",
            isAdded ? "remove the member by hand" : "add the member by hand")
        let parts = path.split(separator: "/").map(String.init)
        let place = parts.count - 2
        // A member of a team or a chat has an id as such.
        if isAdded, place >= 2, parts[place].lowercased() == "members" {
            return Inverse(method: "DELETE", path: path, check: .nothing)
        }
        guard place >= 3, parts[place + 1].lowercased() == "$ref" else {
            throw Irreversible("the run does not know whose member it is", "change the members by hand")
        }
        let isID = GraphClient.isObjectID(parts[place])
        guard !isAdded else {
            return Inverse(method: "DELETE", path: path, check: .nothing, needsID: !isID)
        }
        guard isID else { throw Irreversible("the run does not know the id of the member", "add it by hand") }
        return Inverse(
            method: "POST", path: (parts[..<place] + ["$ref"]).joined(separator: "/"), body: .string(parts[place]),
            check: .nothing)
    }

    private func inverse(
        ofDeleting object: ObjectChange, _ former: FormerObject?
    ) throws(Irreversible) -> Inverse {
        let what = object.what ?? "object"
        switch what {
        case "user", "group":
            let advice = "an administrator can restore it for 30 days, unless it is a security group"
            let ids = [self.object?.path?.split(separator: "/").last.map(String.init), former?.object["id"]?.string]
            guard let id = ids.compactMap(\.self).first(where: GraphClient.isObjectID) else {
                throw Irreversible("the run does not know the id of the \(what) that it deleted", advice)
            }
            return Inverse(method: "POST", path: "directory/deletedItems/\(id)/restore", check: .nothing)
        case "message": throw Irreversible("the id of a deleted message changes", "look in Deleted Items")
        case "driveItem": throw Irreversible("the deleted file was not kept", "look in the drive's recycle bin")
        default: throw Irreversible("what was deleted was not kept", "make it again by hand")
        }
    }
}

extension Effect.ObjectChange {
    /// The lists of containers, which stay if others have put something there.
    private static let parts = [
        "administrativeUnit": ["members"], "calendar": ["events"], "calendarGroup": ["calendars"],
        "channel": ["messages"], "contactFolder": ["contacts", "childFolders"], "group": ["members"],
        "list": ["items"], "mailFolder": ["messages", "childFolders"], "notebook": ["sections", "sectionGroups"],
        "onenoteSection": ["pages"], "plannerBucket": ["tasks"], "plannerPlan": ["tasks"],
        "sectionGroup": ["sections", "sectionGroups"], "todoTaskList": ["tasks"],
    ]

    fileprivate var parts: [String] { what.flatMap { Self.parts[$0] } ?? [] }

    /// Whether others may put something into it.
    package var isContainer: Bool { !parts.isEmpty }
}
