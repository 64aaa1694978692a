extension GraphClient {
    /// Uploads a file to OneDrive: up to 10 MiB in one request, otherwise in an upload session.
    ///
    /// - Parameters:
    ///   - content: The bytes.
    ///   - path: The path from the drive's root: `me.jpg`, `Pictures/me.jpg`. Missing folders are created.
    ///   - contentType: The media type; nil for that of the content. OneDrive detects that of large files itself.
    ///   - conflictBehavior: What happens if the file already exists.
    ///   - user: The drive's owner: an id or user principal name; nil for the signed-in user.
    /// - Returns: The file as OneDrive describes it.
    public func upload(
        _ content: Blob, to path: String, contentType: String? = nil,
        conflictBehavior: ConflictBehavior = .replace, user: String? = nil
    ) -> Promise<DriveItem> {
        upload(
            content.source, hash: content.hash, isOpen: plan != nil && content.hasUnknownSize,
            type: contentType ?? content.contentType, to: path, conflictBehavior, user)
    }

    /// Uploads a local file to OneDrive; a large one is read while it is sent.
    ///
    /// - Parameters:
    ///   - url: The file; if it changes meanwhile, the upload fails.
    ///   - path: The path from the drive's root: `Reports/2026.pdf`.
    ///   - contentType: The media type; nil to detect it.
    ///   - conflictBehavior: What happens if the file already exists.
    ///   - user: The drive's owner: an id or user principal name; nil for the signed-in user.
    /// - Returns: The file as OneDrive describes it.
    public func upload(
        fileAt url: URL, to path: String, contentType: String? = nil, conflictBehavior: ConflictBehavior = .replace,
        user: String? = nil
    ) -> Promise<DriveItem> {
        firstly {
            upload(
                try ByteSource(fileAt: url), to: path, contentType: contentType, conflictBehavior: conflictBehavior,
                user: user)
        }
    }

    /// Uploads bytes without a hash, so a large file is read only once.
    package func upload(
        _ content: ByteSource, to path: String, contentType: String?, conflictBehavior: ConflictBehavior, user: String?
    ) -> Promise<DriveItem> {
        firstly {
            upload(
                content, hash: nil, isOpen: false, type: try contentType ?? content.contentType(), to: path,
                conflictBehavior, user)
        }
    }

    package static let largestUpload = 250_000_000_000

    /// - Parameters:
    ///   - hash: The content's hash; nil to compute it when it is needed.
    ///   - isOpen: Whether the size is only known at run time, so both kinds of upload are planned.
    private func upload(
        _ content: ByteSource, hash: String?, isOpen: Bool, type: String, to path: String,
        _ behavior: ConflictBehavior,
        _ user: String?
    ) -> Promise<DriveItem> {
        firstly { () throws -> Promise<DriveItem> in
            guard content.size <= Self.largestUpload else {
                throw GraphError(
                    .invalidInput,
                    message: "The file has \(content.size) bytes; OneDrive accepts \(Self.largestUpload) at most.")
            }
            guard !type.isEmpty, plan != nil || type.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
            else {
                throw GraphError(
                    .invalidInput, message: "'\(PlainText.exact(type, limit: 100))' is not a content type.")
            }
            let address = try GraphPath(user: user).adding(file: path)
            let name = path.split(separator: "/").last.map(String.init) ?? path
            let answer = plannedAnswer("upload")
            let effect = Effect(
                .file(
                    .init(
                        owner: .owner(user), path: .drivePath(path), replaces: behavior == .replace ? nil : false,
                        size: isOpen ? .null : .integer(content.size))), isOwn: user == nil)
            let replaced =
                behavior == .replace ? URL(string: "\(try baseURL.absoluteString)/\(address.droppingColon)") : nil
            let example = HTTPResponse.json(
                201,
                [
                    "id": .string(answer("id", .text)), "name": .string(answer("name", .text)),
                    "size": .string(answer("size", .number)), "webUrl": .string(answer("webUrl", .text)),
                    "file": ["mimeType": .string(answer("file.mimeType"))],
                ])
            let check =
                "Check whether '\(PlainText.exact(path, limit: 200))' is in OneDrive before you upload it again."
            guard content.size > largestPut || isOpen else {
                return put(
                    try content.inRequest(), type, address, behavior, effect, replaced, example: example, check: check)
            }
            var create = GraphRequest(
                "upload", .idempotent, "POST", address.adding("/createUploadSession"),
                headers: ["Content-Type": "application/json", "Accept": "application/json"],
                body: Value.object([
                    "item": ["@microsoft.graph.conflictBehavior": .string(behavior.rawValue), "name": .string(name)]
                ]).jsonData(),
                example: .json(200, ["uploadUrl": .string(UploadSession.exampleAddress(answer))]), check: check)
            (create.consequences, create.replaced) = ([effect], replaced)
            let session = { @Sendable [create] (client: GraphClient) in
                RangedUpload<DriveItem>(
                    client: client, create: create,
                    content: content, rangeSize: largestPut, effect: behavior.effect, kind: .file, example: example,
                    finish: { answer throws(GraphError) in
                        try Answer.json(answer, effect: .idempotent) { value throws(GraphError) in try DriveItem(value)
                        }
                    },
                    lookUp: { self.uploaded(address, content, hash: hash, since: $0) }
                )
            }
            guard isOpen else { return session(self).perform() }
            let limit = largestPut.bytesInWords
            return when("if the content has at most \(limit)", kind: 0)
                .put(content, type, address, behavior, effect, replaced, example: example, check: check)
                .then(on: nil) { item in
                    session(when("if the content has more than \(limit)", kind: 1)).plan().map(on: nil) { _ in item
                    }
                }
        }
    }

    private func put(
        _ content: ByteSource, _ type: String, _ address: GraphPath, _ behavior: ConflictBehavior,
        _ effect: Effect, _ replaced: URL?, example: HTTPResponse, check: String
    ) -> Promise<DriveItem> {
        json {
            var request = GraphRequest(
                "upload", behavior.effect, "PUT",
                address.adding("/content").adding(query: "@microsoft.graph.conflictBehavior", behavior.rawValue),
                headers: ["Content-Type": type, "Accept": "application/json"], example: example, check: check)
            request.body = content
            (request.consequences, request.replaced) = ([effect], replaced)
            return request
        } as: { answer throws(GraphError) in
            try DriveItem(answer)
        }
    }

    /// The file at a path if it is the uploaded one: of the same size, and not older than the upload.
    private func uploaded(
        _ address: GraphPath, _ content: ByteSource, hash: String?, since date: Date?
    ) -> Promise<DriveItem?> {
        json {
            GraphRequest(
                "upload", .read, "GET", address.droppingColon, headers: ["Accept": "application/json"],
                example: .json(200, ["id": ""])
            ).lookingUp("PUT", address)
        } as: { answer throws(GraphError) in
            try DriveItem(answer)
        }.map(on: nil) { item -> DriveItem? in
            guard item.size == content.size else { return nil }
            if let there = item.value["file"]?["hashes"]?["sha256Hash"]?.string {
                return "sha256:\(there.lowercased())" == (try hash ?? "sha256:\(content.sha256())") ? item : nil
            }
            let changed = item.value["lastModifiedDateTime"]?.string.flatMap { Date(rfc3339: $0) }
            guard let changed, let date else { return nil }
            return changed >= date ? item : nil
        }.recover(on: nil) { error -> Promise<DriveItem?> in
            guard (error as? GraphError)?.code == .notFound else { throw error }
            return .value(nil)
        }
    }
}

/// What happens to an upload if a file with its name already exists.
public enum ConflictBehavior: String, Sendable, Hashable, CaseIterable {
    /// The upload fails.
    case fail
    /// The upload replaces the file.
    case replace
    /// The upload gets another name, such as `me 1.jpg`.
    case rename

    /// Only replacing may be repeated.
    package var effect: Idempotency { self == .replace ? .idempotent : .once }
}
