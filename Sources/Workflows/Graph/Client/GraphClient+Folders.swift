extension GraphClient {
    /// Lists all items in a OneDrive folder.
    ///
    /// - Parameters:
    ///   - path: The folder's path from the drive's root; nil for the root.
    ///   - id: The folder's id, instead of a path.
    ///   - user: Whose drive: an id or user principal name; nil for the signed-in user's.
    /// - Returns: The items in Graph's order.
    public func listFolder(_ path: String? = nil, id: String? = nil, user: String? = nil) -> Promise<[DriveItem]> {
        folderList(path, id: id, user: user).map(on: nil) { try $0.map { try DriveItem($0) } }
    }

    /// Lists what is in a folder, which a plan may not know.
    package func folderList(_ path: String?, id: String?, user: String?) -> Promise<[Value]> {
        list("listFolder") { () throws(GraphError) in
            try GraphPath(user: user).adding(item: id, at: path).adding("/children")
        }
    }

    /// Creates a folder in OneDrive, or finds the existing one with this name.
    ///
    /// - Parameters:
    ///   - name: The folder's name.
    ///   - parent: The path of the folder to create it in, which must exist; nil for the drive's root.
    ///   - user: The drive's owner: an id or user principal name; nil for the signed-in user.
    public func createFolder(_ name: String, in parent: String? = nil, user: String? = nil) -> Promise<DriveItem> {
        firstly { () throws -> Promise<DriveItem> in
            let drive = try GraphPath(user: user)
            let whole = try drive.adding(file: parent.map { "\($0)/\(name)" } ?? name)
            guard !name.contains("/") else {
                throw GraphError(
                    .invalidInput, message: "The folder's name '\(PlainText.exact(name, limit: 100))' has a slash.",
                    hint: "Name the folder to create it in with 'in'.")
            }
            let answer = plannedAnswer("createFolder")
            let item: Value = [
                "id": .string(answer("id", .text)), "name": .string(answer("name", .text)),
                "folder": .string(answer("folder")),
                "webUrl": .string(answer("webUrl", .text)),
            ]
            var creation = GraphRequest(
                "createFolder", .idempotent, "POST",
                try drive.adding(item: nil, at: parent).adding("/children"),
                headers: ["Content-Type": "application/json", "Accept": "application/json"],
                body: Value.object([
                    "name": .string(name), "folder": [:], "@microsoft.graph.conflictBehavior": "fail",
                ]).jsonData(), example: .json(201, item))
            creation.consequences = [
                Effect(
                    .folder(
                        .init(
                            owner: .owner(user), path: .drivePath(parent.map { "\($0)/\(name)" } ?? name),
                            replaces: false)), isOwn: user == nil)
            ]
            let search = GraphRequest(
                "createFolder", .read, "GET", whole.droppingColon, headers: ["Accept": "application/json"],
                example: .json(200, item)
            ).lookingUp("POST", whole)
            // Clocks differ by some minutes at the most.
            let earliest = (begunBefore ?? now()).addingTimeInterval(-300)
            creation.lookup = (
                { search },
                { found in
                    guard let facet = found["folder"], !facet.isNull else { return false }
                    return found["createdDateTime"]?.string.flatMap { Date(rfc3339: $0) }.map { $0 >= earliest }
                        ?? false
                }
            )
            if plan != nil {
                return created(by: creation).then(on: nil) { folder in
                    when("if the name is taken", isExtra: true).found(by: search, named: name)
                        .map(on: nil) { _ in folder }
                }
            }
            return created(by: creation).recover(on: nil) { error -> Promise<DriveItem> in
                guard (error as? GraphError)?.code == .conflict else { throw error }
                return found(by: search, named: name)
            }
        }
    }

    private static func isNamedAsPage(_ path: String) -> Bool {
        let name = path.lowercased().split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: ".") else { return false }
        let ending = String(name[dot...].dropFirst())
        return ending.hasSuffix("html") || ["htm", "aspx", "asp", "mht", "htt", "stm"].contains(ending)
    }

    private func created(by request: GraphRequest) -> Promise<DriveItem> {
        json {
            request
        } as: { answer throws(GraphError) in
            try DriveItem(answer)
        }
    }

    /// The existing folder, which may have been created by a request whose answer was lost.
    private func found(by request: GraphRequest, named name: String) -> Promise<DriveItem> {
        json {
            request
        } as: { answer throws(GraphError) in
            guard let facet = answer["folder"], !facet.isNull else {
                throw GraphError(
                    .conflict, message: "'\(PlainText.exact(name, limit: 100))' already exists, and is not a folder.")
            }
            return try DriveItem(answer)
        }
    }

    /// Downloads a file from OneDrive.
    ///
    /// - Parameters:
    ///   - path: The file's path from the drive's root.
    ///   - id: The file's id, instead of a path.
    ///   - user: Whose drive: an id or user principal name; nil for the signed-in user's.
    /// - Returns: The bytes, with the type that OneDrive states.
    public func download(_ path: String? = nil, id: String? = nil, user: String? = nil) -> Promise<Blob> {
        download(path, id: id, user: user, limit: nil, storage: nil, savedAs: nil)
    }

    /// Downloads a file from OneDrive; a large one may be kept in a file.
    /// - Parameters:
    ///   - limit: The largest size in bytes; nil for the default limit.
    ///   - storage: Where a download is stored that is too large for memory.
    ///   - file: The local file that it becomes; nil for none.
    package func download(
        _ path: String?, id: String?, user: String?, limit: Int?, storage: HTTPOperation.Storage?,
        savedAs file: String?
    ) -> Promise<Blob> {
        let token = plannedAnswer("download").whole()
        return exchange {
            guard (path == nil) != (id == nil) else {
                throw GraphError(.invalidInput, message: "A download needs either a path or an id.")
            }
            var request = GraphRequest(
                "download", .read, "GET",
                try GraphPath(user: user).adding(item: id, at: path).adding("/content"),
                example: HTTPResponse(status: 200, body: UnknownTokens.example(Data(), token: token)))
            request.maximumResponseSize = limit
            request.storage = storage
            request.consequences = file.map { [Effect(.localFile(path: .string($0)))] } ?? []
            return request
        } _: { response, _ throws(GraphError) in
            if let plan, let unknown = plan.unknowns.example(of: response.body) {
                return .unknown(unknown, in: plan, example: response.body)
            }
            if let path, response.isHTML, !Self.isNamedAsPage(path), let page = response.webPage {
                throw GraphError.webPage(page)
            }
            return try Blob(
                response.file.map { .file($0) } ?? .memory(response.body),
                contentType: response.headers["Content-Type"])
        }
    }
}

extension GraphPath {
    fileprivate func adding(item id: String?, at path: String?) throws(GraphError) -> GraphPath {
        if let id { return try adding("/drive/items").adding(id: id, what: "item's id") }
        guard let path else { return adding("/drive/root") }
        return try adding(file: path)
    }
}
