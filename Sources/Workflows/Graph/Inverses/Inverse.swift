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
        /// These values of its properties; a group has no members.
        case values(Object, isGroup: Bool)
    }

    package var method: String
    /// The path after the service's base.
    package var path: String
    package var body: Value?
    package var check: Guard
    /// Whether the object's path needs the id of the person that its last segment names.
    package var needsID = false

    /// The path of the object that is compared.
    package var objectPath: String {
        method == "POST" ? String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]) : path
    }

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
    package func inverse() throws(Irreversible) -> Inverse {
        switch kind {
        case .mail where self["sent"] == false: try removal("the draft", "delete it in the folder Drafts")
        case .mail:
            throw Irreversible("a mail that was sent cannot come back", "write a correction: '--draft-corrections'")
        case .file: try fileInverse()
        case .folder: try folderInverse()
        case .link:
            Inverse(
                method: "DELETE", path: try path("the link existed before, or its answer did not name it", "remove it"),
                check: .nothing)
        case .event: try eventInverse()
        case .create: try creationInverse()
        case .member: try memberInverse()
        case .change:
            throw Irreversible("the former values were not kept", "set them by hand")
        case .license:
            throw Irreversible("what licenses the user had before was not kept", "change the license by hand")
        case .delete: try deletionInverse()
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

    private func fileInverse() throws(Irreversible) -> Inverse {
        switch self["replaces"] {
        case false: return try removal("the file", "delete it by hand")
        case true:
            throw Irreversible("it replaced a file whose content was not kept", "restore it from its version history")
        default: throw Irreversible("the run does not know whether it replaced a file", "look at its version history")
        }
    }

    private func folderInverse() throws(Irreversible) -> Inverse {
        let path = try path("the run does not know where the folder is", "delete it by hand")
        guard let name = self["path"].string?.split(separator: "/").last else {
            throw Irreversible("the run does not know the folder's name", "delete it by hand")
        }
        return Inverse(method: "DELETE", path: path, check: .emptyFolder(name: String(name)))
    }

    private func eventInverse() throws(Irreversible) -> Inverse {
        var inverse = try removal("the event", "delete it by hand")
        guard let attendees = self["attendees"].array else {
            throw Irreversible("the run does not know whom the event invited", "cancel it by hand")
        }
        guard !attendees.isEmpty else { return inverse }
        (inverse.method, inverse.body) = ("POST", ["comment": ""])
        inverse.path += "/cancel"
        return inverse
    }

    private func creationInverse() throws(Irreversible) -> Inverse {
        let what = self["what"].string ?? "object"
        let advice = "delete it by hand"
        switch what {
        case "contact": return try removal("the contact", advice)
        case "user", "group":
            let path = try path("the run does not know the id of the \(what)", advice)
            let given = (self["properties"].object ?? [:]).map { ($0.key, $0.value["after"] ?? .null) }
            // Passwords cannot be read, and lists and objects come back in other forms.
            let known = Object(given.filter { $0.1.string != nil || $0.1.bool != nil })
            return Inverse(method: "DELETE", path: path, check: .values(known, isGroup: what == "group"))
        default:
            throw Irreversible("others may have put something into it since, or depend on it", advice)
        }
    }

    private func memberInverse() throws(Irreversible) -> Inverse {
        let isAdded = self["added"] == true
        let path = try path(
            "the run does not know the request that it would have to reverse",
            isAdded ? "remove the member by hand" : "add the member by hand")
        let parts = path.split(separator: "/").map(String.init)
        guard parts.count == 5, parts[4].lowercased() == "$ref" else {
            throw Irreversible("the run does not know whose member it is", "change the members by hand")
        }
        let isID = GraphClient.isObjectID(parts[3])
        guard !isAdded else {
            return Inverse(method: "DELETE", path: path, check: .nothing, needsID: !isID)
        }
        guard isID else { throw Irreversible("the run does not know the id of the member", "add it by hand") }
        return Inverse(
            method: "POST", path: (parts[..<3] + ["$ref"]).joined(separator: "/"), body: .string(parts[3]),
            check: .nothing)
    }

    private func deletionInverse() throws(Irreversible) -> Inverse {
        let what = self["what"].string ?? "object"
        switch what {
        case "user", "group":
            let advice = "an administrator can restore it for 30 days, unless it is a security group"
            guard let id = object?.path?.split(separator: "/").last.map(String.init), GraphClient.isObjectID(id) else {
                throw Irreversible("the run does not know the id of the \(what) that it deleted", advice)
            }
            return Inverse(method: "POST", path: "directory/deletedItems/\(id)/restore", check: .nothing)
        case "message": throw Irreversible("the id of a deleted message changes", "look in Deleted Items")
        case "driveItem": throw Irreversible("the deleted file was not kept", "look in the drive's recycle bin")
        default: throw Irreversible("what was deleted was not kept", "make it again by hand")
        }
    }
}

extension GraphClient {
    /// Whether a text is an object id of the directory: 8-4-4-4-12 hexadecimal digits.
    package static func isObjectID(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.count) == [8, 4, 4, 4, 12]
            && parts.allSatisfy { $0.allSatisfy { $0.isASCII && $0.isHexDigit } }
    }
}
