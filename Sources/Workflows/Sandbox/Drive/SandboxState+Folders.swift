extension SandboxState {
    private static let itemFields: Set<String> = [
        "id", "name", "size", "createdDateTime", "lastModifiedDateTime", "eTag", "cTag", "webUrl", "file", "folder",
        "root", "createdBy", "lastModifiedBy", "parentReference", "fileSystemInfo", "description", "deleted", "image",
        "photo", "shared", "specialFolder",
    ]

    mutating func answerChildren(
        of item: SandboxRoute.Item, of owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        guard let parent = try node(item, of: owner) else { throw .noItem }
        guard let path = path(ofFolder: parent) else {
            throw .badRequest("The item is a file, which has no children.", code: "invalidRequest")
        }
        if call.request.method == "POST" { return try createFolder(in: path, of: owner, call) }
        let depth = path.split(separator: "/").count + 1
        return try list(
            contents(below: path, of: owner).filter { self.path(of: $0).split(separator: "/").count == depth },
            of: owner, call)
    }

    /// `GET …/search(q='text')`: the items with the text in their name or content.
    mutating func answerSearch(
        _ text: String, below item: SandboxRoute.Item, of owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        guard let top = try node(item, of: owner) else { throw .noItem }
        let wanted = text.lowercased()
        let found = path(ofFolder: top).map { contents(below: $0, of: owner) } ?? [top]
        return try list(
            found.filter { node in
                if self.path(of: node).split(separator: "/").last?.lowercased().contains(wanted) ?? false {
                    return true
                }
                guard case .file(let index) = node, items[index].contentType.hasPrefix("text/") else { return false }
                return String(decoding: items[index].content, as: UTF8.self).lowercased().contains(wanted)
            }, of: owner, call)
    }

    private mutating func list(
        _ nodes: [SandboxNode], of owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        let sorted = nodes.sorted { path(of: $0).lowercased() < path(of: $1).lowercased() }
        var elements: [Object] = []
        for node in sorted {
            var element = value(of: node, owner: owner, at: call.date)
            element["@odata.context"] = nil
            elements.append(element)
        }
        return try SandboxList(
            context: "users('\(owner.id)')/drive/root/children", type: "microsoft.graph.driveItem", elements: elements,
            pageSize: (200, 1000), options: ["select", "top", "skiptoken", "orderby", "expand"],
            fields: Self.itemFields
        ).answer(call)
    }

    private mutating func createFolder(
        in parent: String, of owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        guard let body = try call.json?.get(), let name = body["name"]?.string, !name.isEmpty else {
            throw .badRequest("A new item needs a name.", code: "invalidRequest")
        }
        guard body["folder"]?.object != nil else { throw .notPlayed("a new item that is no folder") }
        let behavior = body["@microsoft.graph.conflictBehavior"]?.string ?? "fail"
        var path = try self.path(Self.names(parent) + [name], below: nil, of: owner, isFolder: true)
        if node(at: path, of: owner) != nil {
            guard behavior == "rename" else {
                throw behavior == "fail" ? .nameTaken : .notPlayed("the conflict behavior \(behavior) of folders")
            }
            path = freePath(for: path, of: owner)
        }
        let folder = addFolder(at: path, of: owner.userPrincipalName, at: call.date)
        return Self.json(value(of: .folder(folder), owner: owner, at: call.date), status: 201)
    }

    /// `PATCH` of an item: its name, its folder, or its times at the client.
    mutating func change(
        _ node: SandboxNode, of owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        guard let body = try call.json?.get() else { throw .unreadableBody }
        if case .root = node {
            throw SandboxError(status: 403, code: "accessDenied", message: "The root cannot be changed.")
        }
        if case .file(let index) = node { try checkMatch(call, items[index]) }
        let old = path(of: node)
        let new = try place(for: body, insteadOf: old, of: owner)
        if new != old {
            // A new name may differ only in case.
            if self.node(at: new, of: owner) != nil, new.lowercased() != old.lowercased() { throw .nameTaken }
            guard !new.lowercased().hasPrefix(old.lowercased() + "/") else {
                throw .badRequest("A folder cannot be moved into itself.", code: "invalidRequest")
            }
            rename(node, from: old, to: new, of: owner)
        }
        switch self.node(at: new, of: owner) {
        case .file(let index):
            let id = items[index].id
            if let times = body["fileSystemInfo"]?.object { itemDates[id]?.elsewhere = times }
            itemDates[id]?.modified = call.date
            items[index].touch()
        case .folder(let folder):
            guard let index = folders.firstIndex(where: { $0.id == folder.id }) else { break }
            folders[index].modified = call.date
            folders[index].version += 1
        case .root, nil: break
        }
        guard let moved = self.node(at: new, of: owner) else { throw .noItem }
        noteItem(.updated, id(of: moved), at: old, of: owner.userPrincipalName)
        if new != old { noteItem(.updated, id(of: moved), at: new, of: owner.userPrincipalName) }
        return Self.json(value(of: moved, owner: owner, at: call.date))
    }

    /// `POST …/copy`: 202 with the progress's address; the copy is complete at once.
    mutating func answerCopy(
        _ item: SandboxRoute.Item, of owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        guard let body = try call.json?.get() else { throw .unreadableBody }
        guard let source = try node(item, of: owner) else { throw .noItem }
        if case .root = source { throw .badRequest("The root cannot be copied.", code: "invalidRequest") }
        for member in ["childrenOnly", "includeAllVersionHistory"] where body[member]?.bool == true {
            throw .notPlayed(member)
        }
        let old = path(of: source)
        var new = try place(for: body, insteadOf: old, of: owner)
        if node(at: new, of: owner) != nil {
            switch call.target.option("@microsoft.graph.conflictBehavior") ?? "fail" {
            case "rename": new = freePath(for: new, of: owner)
            case "fail": throw .nameTaken
            default: throw .notPlayed("the conflict behavior of this copy")
            }
        }
        var copied: [(path: String, file: Sandbox.DriveItem?)] = []
        if case .file(let index) = source {
            copied = [(new, items[index])]
        } else {
            copied = [(new, nil)]
            for node in contents(below: old, of: owner) {
                let place = new + path(of: node).dropFirst(old.count)
                if case .file(let index) = node {
                    copied.append((place, items[index]))
                } else {
                    copied.append((place, nil))
                }
            }
        }
        for (path, file) in copied {
            if let file {
                _ = create(at: path, file.content, file.contentType, of: owner, at: call.date)
            } else if node(at: path, of: owner) == nil {
                addFolder(at: path, of: owner.userPrincipalName, at: call.date)
            }
        }
        guard let copy = node(at: new, of: owner) else { throw .noItem }
        return HTTPResponse(status: 202, headers: ["Location": "\(origin)/monitor/\(id(of: copy))"])
    }

    func progress(ofCopy id: String) -> HTTPResponse? {
        guard items.contains(where: { $0.id == id }) || folders.contains(where: { $0.id == id }) else { return nil }
        return Self.json(["status": "completed", "percentageComplete": 100, "resourceId": .string(id)])
    }

    private func place(for body: Value, insteadOf path: String, of owner: SandboxUser) throws(SandboxError) -> String {
        var folder = Self.names(path)
        let oldName = folder.popLast() ?? ""
        if let reference = body["parentReference"]?.object {
            if let drive = reference["driveId"]?.string, drive.lowercased() != owner.driveID.lowercased() {
                throw .notPlayed("another drive's folder")
            }
            var found: SandboxNode?
            if let id = reference["id"]?.string {
                found = try node(id == "root" ? .root : .id(id), of: owner)
            } else if let place = reference["path"]?.string, let colon = place.firstIndex(of: ":") {
                let names = place[place.index(after: colon)...].percentDecoded ?? ""
                found = node(at: names.split(separator: "/").joined(separator: "/"), of: owner)
            }
            guard let found, let path = self.path(ofFolder: found) else { throw .noItem }
            folder = Self.names(path)
        }
        let isFolder = if case .folder? = node(at: path, of: owner) { true } else { false }
        return try self.path(
            folder + [body["name"]?.string ?? oldName], below: nil, of: owner, isFolder: isFolder)
    }

    private mutating func rename(_ node: SandboxNode, from old: String, to new: String, of owner: SandboxUser) {
        defer { indexItems() }
        if case .file(let index) = node {
            items[index].path = new
            return
        }
        func renamed(_ path: String) -> String { new + path.dropFirst(old.count) }
        for index in folders.indices where folders[index].owner == owner.userPrincipalName {
            if (folders[index].path + "/").hasPrefix(old + "/") { folders[index].path = renamed(folders[index].path) }
        }
        for index in items.indices where items[index].owner == owner.userPrincipalName {
            if items[index].path.hasPrefix(old + "/") { items[index].path = renamed(items[index].path) }
        }
    }

    func contents(below path: String, of owner: SandboxUser) -> [SandboxNode] {
        let start = path.isEmpty ? "" : path + "/"
        return folders.filter { $0.owner == owner.userPrincipalName && $0.path.hasPrefix(start) }
            .map(SandboxNode.folder)
            + items.indices.filter { items[$0].owner == owner.userPrincipalName && items[$0].path.hasPrefix(start) }
            .map(SandboxNode.file)
    }

    func path(of node: SandboxNode) -> String {
        switch node {
        case .root: ""
        case .folder(let folder): folder.path
        case .file(let index): items[index].path
        }
    }

    private func path(ofFolder node: SandboxNode) -> String? {
        if case .file = node { return nil }
        return path(of: node)
    }

    func id(of node: SandboxNode) -> String {
        switch node {
        case .root: ""
        case .folder(let folder): folder.id
        case .file(let index): items[index].id
        }
    }

    private static func names(_ path: String) -> [String] { path.split(separator: "/").map(String.init) }
}

extension HTTPResponse {
    /// The part of the content in a `Range` (RFC 9110, section 14); all of it for several ranges.
    func part(_ range: String?) -> HTTPResponse {
        guard status == 200 else { return self }
        var answer = self
        answer.headers["Accept-Ranges"] = "bytes"
        guard let range, range.lowercased().hasPrefix("bytes="), !range.contains(",") else { return answer }
        let ends = range.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return answer }
        let (first, last) = (Int(ends[0]), Int(ends[1]))
        let bounds: Range<Int>
        switch (first, last) {
        case (let first?, let last?) where first <= last: bounds = first..<min(last, body.count - 1) + 1
        case (let first?, nil) where ends[1].isEmpty: bounds = first..<max(first, body.count)
        case (nil, let count?) where ends[0].isEmpty: bounds = max(0, body.count - count)..<body.count
        default: return answer
        }
        guard !bounds.isEmpty, bounds.upperBound <= body.count else {
            return HTTPResponse(status: 416, headers: ["Content-Range": "bytes */\(body.count)"])
        }
        answer.status = 206
        answer.headers["Content-Range"] = "bytes \(bounds.lowerBound)-\(bounds.upperBound - 1)/\(body.count)"
        answer.body = Data(body[body.startIndex + bounds.lowerBound..<body.startIndex + bounds.upperBound])
        return answer
    }
}
