extension SandboxState {
    static let contentLimit = 250 * 1024 * 1024

    mutating func answerItem(
        _ item: SandboxRoute.Item, of owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        guard let node = try node(item, of: owner) else { throw .noItem }
        if call.request.method == "PATCH" { return try change(node, of: owner, call) }
        guard call.request.method == "GET" else { return try delete(node, of: owner, call) }
        try call.target.checkOptions(["select", "expand"])
        var answer = value(of: node, owner: owner, at: call.date)
        let eTag = answer["eTag"]?.string
        if let eTag, call.request.headers["If-None-Match"] == eTag { return HTTPResponse(status: 304) }
        if let select = call.target.option("select") {
            let names = select.split(separator: ",").map { $0.trimmingPrefix(while: \.isWhitespace).lowercased() }
            answer = answer.filter { $0.key.hasPrefix("@odata.") || names.contains($0.key.lowercased()) }
        }
        var response = Self.json(answer)
        if let eTag { response.headers["ETag"] = eTag }
        return response
    }

    private mutating func delete(
        _ node: SandboxNode, of owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        switch node {
        case .root: throw SandboxError(status: 403, code: "accessDenied", message: "The root cannot be deleted.")
        case .folder(let folder):
            for inner in contents(below: folder.path, of: owner) + [node] {
                noteItem(.deleted, id(of: inner), at: path(of: inner), of: folder.owner)
            }
            folders.removeAll { $0.owner == folder.owner && ($0.path + "/").hasPrefix(folder.path + "/") }
            items.removeAll { $0.owner == folder.owner && $0.path.hasPrefix(folder.path + "/") }
            indexItems()
        case .file(let index):
            try checkMatch(call, items[index])
            let item = removeItem(at: index)
            noteItem(.deleted, item.id, at: item.path, of: item.owner)
        }
        return HTTPResponse(status: 204)
    }

    mutating func answerContent(
        _ item: SandboxRoute.Item, of owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        let found = try node(item, of: owner)
        guard call.request.method == "PUT" else {
            guard case .file(let index)? = found else { throw .noItem }
            return HTTPResponse(
                status: 302, headers: ["Location": downloadURL(for: items[index], at: call.date)])
        }
        let content = call.request.body ?? Data()
        guard content.count <= Self.contentLimit else {
            throw SandboxError(
                status: 413, code: "requestEntityTooLarge", message: "At most 250 MB can be put at once.")
        }
        let type = Self.contentType(of: content, named: call.request.headers["Content-Type"] ?? "")
        try checkQuota(content.count, of: owner)
        switch (found, item) {
        case (.root, _), (.folder, _):
            throw SandboxError(
                status: 409, code: "nameAlreadyExists", message: "A folder with the same name already exists.")
        case (.file(let index), .path(let names, let below)):
            try checkMatch(call, items[index])
            let behavior = call.target.option("@microsoft.graph.conflictBehavior") ?? "replace"
            switch behavior {
            case "replace": return replace(index, with: content, type, of: owner, at: call.date)
            case "fail": throw .nameTaken
            case "rename":
                let taken = try path(names, below: below, of: owner)
                return create(at: freePath(for: taken, of: owner), content, type, of: owner, at: call.date)
            default:
                throw .badRequest(
                    "'\(behavior)' is not a value of @microsoft.graph.conflictBehavior: fail, replace, rename.",
                    code: "invalidRequest")
            }
        case (.file(let index), _):
            try checkMatch(call, items[index])
            return replace(index, with: content, type, of: owner, at: call.date)
        case (nil, .path(let names, let below)):
            guard call.request.headers["If-Match"] == nil else { throw .modified }
            return create(at: try path(names, below: below, of: owner), content, type, of: owner, at: call.date)
        case (nil, _): throw .noItem
        }
    }

    mutating func replace(
        _ index: Int, with content: Data, _ type: String, _ times: Object? = nil, of owner: SandboxUser, at date: Date
    ) -> HTTPResponse {
        items[index].content = content
        items[index].contentType = type
        items[index].version += 1
        items[index].touch()
        itemDates[items[index].id]?.modified = date
        itemDates[items[index].id]?.elsewhere = times ?? [:]
        itemDates[items[index].id]?.hashes = nil
        noteItem(.updated, items[index].id, at: items[index].path, of: items[index].owner)
        return Self.json(value(of: .file(index), owner: owner, at: date))
    }

    mutating func create(
        at path: String, _ content: Data, _ type: String, _ times: Object? = nil, of owner: SandboxUser, at date: Date
    ) -> HTTPResponse {
        // An existing folder keeps the case of its name.
        let path = makeFolders(above: path, of: owner, at: date) + (path.split(separator: "/").last ?? "")
        let item = Sandbox.DriveItem(
            owner: owner.userPrincipalName, id: itemID(), path: path, contentType: type, content: content,
            eTag: "\"{\(guid().uppercased())},1\"", version: 1, links: [])
        items.append(item)
        indexItem(items.count - 1)
        itemDates[item.id] = SandboxItemDates(created: date, modified: date, elsewhere: times ?? [:])
        noteItem(.created, item.id, at: path, of: item.owner)
        var response = Self.json(value(of: .file(items.count - 1), owner: owner, at: date), status: 201)
        response.headers["Location"] = "https://graph.microsoft.com/v1.0/drives/\(owner.driveID)/items/\(item.id)"
        return response
    }

    /// Creates the missing parents of a path, and returns the last one's path with a trailing slash.
    private mutating func makeFolders(above path: String, of owner: SandboxUser, at date: Date) -> String {
        var above = ""
        for name in path.split(separator: "/").dropLast() {
            if case .folder(let folder)? = node(at: above + name, of: owner) {
                above = folder.path + "/"
                continue
            }
            if node(at: above + name, of: owner) == nil {
                addFolder(at: above + name, of: owner.userPrincipalName, at: date)
            }
            above += "\(name)/"
        }
        return above
    }

    /// `me 1.jpg` if `me.jpg` is taken, as OneDrive numbers names.
    func freePath(for path: String, of owner: SandboxUser) -> String {
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let name = path[slash...]
        let dot = name.lastIndex(of: ".").flatMap { $0 == name.startIndex ? nil : $0 } ?? name.endIndex
        var number = 1
        while true {
            let candidate = "\(path[..<slash])\(name[..<dot]) \(number)\(name[dot...])"
            if node(at: candidate, of: owner) == nil { return candidate }
            number += 1
        }
    }

    func checkMatch(_ call: SandboxCall, _ item: Sandbox.DriveItem) throws(SandboxError) {
        try checkMatch(call, [item.eTag, item.cTag])
    }

    /// - Parameter tags: The versions that the object has.
    func checkMatch(_ call: SandboxCall, _ tags: [String]) throws(SandboxError) {
        guard let wanted = call.request.headers["If-Match"], wanted != "*" else { return }
        guard
            wanted.split(separator: ",").contains(where: { tags.contains($0.trimmed) })
                || tags.contains(wanted)
        else { throw .modified }
    }

    static func contentType(of content: Data, named name: String = "") -> String {
        let given = ContentType.essence(of: name)
        guard given.isEmpty || given == "application/octet-stream" else { return given }
        return ContentType.sniff(content.prefix(1 << 20))
    }

    func checkQuota(_ size: Int, of owner: SandboxUser) throws(SandboxError) {
        guard size <= settings.driveQuota - usedBytes(of: owner) else { throw .quotaReached }
    }
}
