extension SandboxState {
    private static let folderFields: Set<String> = [
        "id", "displayName", "parentFolderId", "childFolderCount", "unreadItemCount", "totalItemCount", "sizeInBytes",
        "isHidden",
    ]

    mutating func answerFolders(
        in parent: String?, of owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        let parent = try parent.map { name throws(SandboxError) in try folder(name, of: owner) }
        let context = "users('\(owner.id)')/mailFolders"
        guard call.request.method == "POST" else {
            let includesHidden = call.target.query.contains {
                $0.name.lowercased() == "includehiddenfolders" && $0.value.lowercased() == "true"
            }
            let shown = folders(in: parent, of: owner).map { value(of: $0, of: owner, at: call.date) }
                .filter { includesHidden || $0["isHidden"] != true }
            return try SandboxList(
                context: context, type: "microsoft.graph.mailFolder", elements: shown, pageSize: (10, 1000),
                options: ["select", "top", "skip", "filter", "orderby", "count"], fields: Self.folderFields
            ).answer(call)
        }
        guard let body = try call.json?.get(), let name = body["displayName"]?.string, !name.isEmpty else {
            throw .badRequest("A folder needs a displayName.", code: "ErrorInvalidParameter")
        }
        try checkFree(name, in: parent, of: owner)
        let made = SandboxMessage.Folder.own(mailbox.nextKey)
        mailbox.folders[mailbox.nextKey] = SandboxMailFolder(
            owner: owner.userPrincipalName, name: name, isHidden: body["isHidden"]?.bool ?? false, parent: parent)
        note(.created, made.id(of: owner), in: .folders(owner: owner.userPrincipalName), key: "\(mailbox.nextKey)")
        mailbox.nextKey += 1
        return try show(made, of: owner, call, status: 201)
    }

    mutating func answerFolder(
        _ name: String, of owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        let found = try folder(name, of: owner)
        guard call.request.method != "GET" else { return try show(found, of: owner, call) }
        guard case .own(let number) = found, let own = mailbox.folders[number] else {
            throw .notPlayed("changing a folder that every mailbox has")
        }
        if call.request.method == "PATCH" {
            guard let body = try call.json?.get() else { throw .unreadableBody }
            if let name = body["displayName"]?.string, name != own.name {
                try checkFree(name, in: own.parent, of: owner)
                mailbox.folders[number]?.name = name
                note(.updated, found.id(of: owner), in: .folders(owner: owner.userPrincipalName))
            }
            return try show(found, of: owner, call)
        }
        if isDeleted(found) {
            remove(found, of: owner)
        } else {
            mailbox.folders[number]?.parent = .deletedItems
            note(.updated, found.id(of: owner), in: .folders(owner: owner.userPrincipalName))
        }
        return HTTPResponse(status: 204)
    }

    /// `POST …/move` and `…/copy` of a message: 201 with the message at its new place.
    mutating func answerMove(
        _ id: String, copies: Bool, of owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        let original = try message(id, of: owner, at: call.date)
        guard let body = try call.json?.get(),
            let name = body.object?.first(where: { $0.key.lowercased() == "destinationid" })?.value.string
        else { throw .badRequest("The destinationId is missing.", code: "ErrorInvalidParameter") }
        let destination = try folder(name, of: owner)
        var key = original.key
        if copies {
            var copy = addMessage(
                original.content, original.attachments, internetMessageID: original.internetMessageID, in: destination,
                of: owner, at: call.date, extended: original.extendedProperties)
            (copy.content, copy.isDraft, copy.sent) = (original.content, original.isDraft, original.sent)
            mailbox.messages[copy.key] = copy
            key = copy.key
        } else {
            move(original, to: destination, at: call.date)
        }
        guard let message = mailbox.messages[key] else { throw .noMessage }
        return Self.noting(call, Self.json(try show(message, of: owner, call), status: 201))
    }

    func folder(_ name: String, of owner: SandboxUser) throws(SandboxError) -> SandboxMessage.Folder {
        if let known = SandboxMessage.Folder(wellKnownName: name) { return known }
        let own = mailbox.folders.filter { $0.value.owner == owner.userPrincipalName }.keys
        let all = SandboxMessage.Folder.wellKnown + own.map(SandboxMessage.Folder.own)
        if let found = all.first(where: { $0.id(of: owner) == name }) { return found }
        guard name.hasPrefix("AQMkAD") else {
            throw SandboxError(status: 400, code: "ErrorInvalidIdMalformed", message: "Id is malformed.")
        }
        throw SandboxError(
            status: 404, code: "ErrorItemNotFound", message: "The specified object was not found in the store.")
    }

    private func folders(in parent: SandboxMessage.Folder?, of owner: SandboxUser) -> [SandboxMessage.Folder] {
        let own = mailbox.folders.filter { $0.value.owner == owner.userPrincipalName && $0.value.parent == parent }
        let all = (parent == nil ? SandboxMessage.Folder.wellKnown : []) + own.keys.map(SandboxMessage.Folder.own)
        return all.sorted { name(of: $0).lowercased() < name(of: $1).lowercased() }
    }

    private func name(of folder: SandboxMessage.Folder) -> String {
        if case .own(let number) = folder { return mailbox.folders[number]?.name ?? "" }
        return folder.name ?? ""
    }

    private func checkFree(
        _ name: String, in parent: SandboxMessage.Folder?, of owner: SandboxUser
    ) throws(SandboxError) {
        let isTaken = folders(in: parent, of: owner).contains { self.name(of: $0).lowercased() == name.lowercased() }
        guard !isTaken else {
            throw SandboxError(
                status: 409, code: "ErrorFolderExists", message: "A folder with the specified name already exists.")
        }
    }

    private func isDeleted(_ folder: SandboxMessage.Folder) -> Bool {
        guard case .own(let number) = folder, let parent = mailbox.folders[number]?.parent else { return false }
        return parent == .deletedItems || isDeleted(parent)
    }

    private mutating func remove(_ folder: SandboxMessage.Folder, of owner: SandboxUser) {
        for inner in folders(in: folder, of: owner) { remove(inner, of: owner) }
        for message in mailbox.messages.values
        where message.owner == owner.userPrincipalName && message.folder == folder { remove(message) }
        if case .own(let number) = folder { mailbox.folders[number] = nil }
        note(.deleted, folder.id(of: owner), in: .folders(owner: owner.userPrincipalName))
    }

    private func show(
        _ folder: SandboxMessage.Folder, of owner: SandboxUser, _ call: SandboxCall, status: Int = 200
    ) throws(SandboxError) -> HTTPResponse {
        try SandboxList(
            context: "users('\(owner.id)')/mailFolders", type: "microsoft.graph.mailFolder", elements: [],
            fields: Self.folderFields
        ).answer(only: value(of: folder, of: owner, at: call.date), call, status: status)
    }

    func value(of folder: SandboxMessage.Folder, of owner: SandboxUser, at date: Date) -> Object {
        let messages = mailbox.messages.values.filter {
            $0.owner == owner.userPrincipalName && $0.folder == folder && $0.isVisible(at: date)
        }
        var own: SandboxMailFolder?
        if case .own(let number) = folder { own = mailbox.folders[number] }
        return [
            "id": .string(folder.id(of: owner)), "displayName": .string(name(of: folder)),
            "parentFolderId": .string(own?.parent?.id(of: owner) ?? "AQMkAD" + owner.id.replacing("-", with: "")),
            "childFolderCount": .integer(folders(in: folder, of: owner).count),
            "unreadItemCount": .integer(messages.count { $0.content["isRead"] == false }),
            "totalItemCount": .integer(messages.count), "sizeInBytes": 0, "isHidden": .bool(own?.isHidden ?? false),
        ]
    }
}
