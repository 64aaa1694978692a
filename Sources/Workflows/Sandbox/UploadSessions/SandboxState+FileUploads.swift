extension SandboxState {
    mutating func answerCreateUploadSession(
        _ item: SandboxRoute.Item, of owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        guard let body = try call.json?.get() else { throw .unreadableBody }
        let size = body["item"]?["fileSize"]?.integer
        if let size { try checkQuota(size, of: owner) }
        let file = SandboxUploadedFile(
            owner: owner, place: try place(of: item, body, of: owner, call), size: size,
            isDeferred: body["deferCommit"]?.bool ?? false, times: body["item"]?["fileSystemInfo"]?.object)
        return begin(.file(file), call, status: 200)
    }

    private func place(
        of item: SandboxRoute.Item, _ body: Value, of owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> SandboxUploadedFile.Place {
        // Microsoft's page says that the default is to fail; clients that rely on it, such as rclone, do replace files.
        let behavior = body["item"]?["@microsoft.graph.conflictBehavior"]?.string ?? "replace"
        let found = try node(item, of: owner)
        if case .file(let index)? = found { try checkMatch(call, items[index]) }
        guard case .path(let names, let below) = item else {
            guard let found else { throw .noItem }
            guard case .file(let index) = found else { throw .nameTaken }
            return .item(id: items[index].id)
        }
        var path = try path(names, below: below, of: owner)
        if let name = body["item"]?["name"]?.string {
            let folder = path.split(separator: "/").dropLast().joined(separator: "/")
            let checked = try self.path([name], below: nil, of: owner)
            path = folder.isEmpty ? checked : "\(folder)/\(checked)"
        }
        switch node(at: path, of: owner) {
        case nil:
            guard call.request.headers["If-Match"] == nil else { throw .modified }
        case .root, .folder: throw .nameTaken
        case .file: if behavior == "fail" { throw .nameTaken }
        }
        return .path(path, conflictBehavior: behavior)
    }

    mutating func commit(_ file: SandboxUploadedFile, _ content: Data, at date: Date) throws(SandboxError)
        -> HTTPResponse
    {
        try checkQuota(content.count, of: file.owner)
        let type = Self.contentType(of: content)
        switch file.place {
        case .item(let id):
            guard let index = items.firstIndex(where: { $0.id == id }) else { throw .noItem }
            return replace(index, with: content, type, file.times, of: file.owner, at: date)
        case .path(let path, let behavior):
            switch (node(at: path, of: file.owner), behavior) {
            case (nil, _): return create(at: path, content, type, file.times, of: file.owner, at: date)
            case (.file(let index), "replace"):
                return replace(index, with: content, type, file.times, of: file.owner, at: date)
            case (.file, "rename"):
                return create(
                    at: freePath(for: path, of: file.owner), content, type, file.times, of: file.owner, at: date)
            default:
                throw SandboxError(
                    status: 409, code: "nameAlreadyExists",
                    message: "Another file exists with the same name as the uploaded session.",
                    innerCode: "upload_name_conflict")
            }
        }
    }
}
