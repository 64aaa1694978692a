/// What of Graph a path names.
struct SandboxRoute {
    /// A file or folder of a drive.
    enum Item: Equatable {
        case root
        case id(String)
        /// Names on the way down from a folder: the root, or the item of that id.
        case path([String], below: String?)
    }

    enum Resource: Equatable {
        case user
        case users
        case photos
        case photo(size: String?)
        case photoContent(size: String?)
        case drive
        case item(Item)
        case content(Item)
        case createLink(Item)
        case sendMail
        /// Part of Graph and of its description, but not of the sandbox.
        case unplayed
    }

    /// Whose resource it is: an id or a user principal name; nil for the signed-in user.
    var owner: String?
    var resource: Resource

    /// The methods that the resource has.
    var methods: Set<String> {
        switch resource {
        case .user, .users, .photos, .photo, .drive: ["GET"]
        case .photoContent(nil): ["GET", "PUT", "PATCH"]
        case .photoContent: ["GET"]
        case .item: ["GET", "DELETE"]
        case .content: ["GET", "PUT"]
        case .createLink, .sendMail: ["POST"]
        case .unplayed: []
        }
    }

    init(_ segments: [String]) throws(SandboxError) {
        guard segments.first == "v1.0" else {
            throw segments.isEmpty ? .noSegment("") : .badRequest("Invalid version: \(segments[0])")
        }
        var rest = segments.dropFirst()
        guard let first = rest.popFirst() else { throw .noSegment("v1.0") }
        switch first.lowercased() {
        case "me": self.init(nil, try Self.resource(rest))
        case "users":
            guard let name = rest.popFirst() else {
                self.init(nil, .users)
                return
            }
            self.init(name, name == "$count" ? .unplayed : try Self.resource(rest))
        case "drives":
            guard let name = rest.popFirst() else { throw .noSegment("drives") }
            self.init(name, try Self.drive(rest))
        case "$batch": self.init(nil, .unplayed)
        default: throw .noSegment(first)
        }
    }

    private init(_ owner: String?, _ resource: Resource) {
        self.owner = owner
        self.resource = resource
    }

    /// What follows `/me` or `/users/{id}`.
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
        case "messages": return .unplayed
        case "drive": return try Self.drive(segments.dropFirst())
        default: throw .noSegment(segments.last ?? "")
        }
    }

    /// What follows `…/drive`: by id, or by a path between two colons.
    private static func drive(_ segments: ArraySlice<String>) throws(SandboxError) -> Resource {
        var rest = segments
        guard let first = rest.popFirst() else { return .drive }
        var item: Item
        var isPath = first.hasSuffix(":")
        switch first.lowercased() {
        case "root", "root:": item = .root
        case "items":
            guard let id = rest.popFirst() else { return .unplayed }
            isPath = id.hasSuffix(":")
            item = .id(isPath ? String(id.dropLast()) : id)
            if item == .id("root") { item = .root }
        default: throw .noSegment(first)
        }
        if isPath, !rest.isEmpty {
            var names: [String] = []
            while let name = rest.popFirst() {
                names.append(name.hasSuffix(":") ? String(name.dropLast()) : name)
                if name.hasSuffix(":") { break }
            }
            if case .id(let id) = item {
                item = .path(names, below: id)
            } else {
                item = .path(names, below: nil)
            }
        }
        switch rest.map({ $0.lowercased() }) {
        case []: return .item(item)
        case ["content"]: return .content(item)
        case ["createlink"], ["microsoft.graph.createlink"]: return .createLink(item)
        case ["createuploadsession"], ["children"], ["permissions"], ["microsoft.graph.createuploadsession"]:
            return .unplayed
        default: throw .noSegment(rest.last ?? "")
        }
    }
}
