public import Promises

extension GraphClient {
    /// Puts a file into OneDrive.
    ///
    /// - Parameters:
    ///   - content: The bytes.
    ///   - path: Where to, from the drive's root: `me.jpg`, `Pictures/me.jpg`. Folders that are missing are made.
    ///   - contentType: The media type; nil for the one that the bytes have.
    ///   - conflictBehavior: What happens where there is such a file already.
    ///   - user: Whose drive: an id or user principal name; nil for the signed-in user's.
    /// - Returns: The file as OneDrive has it now.
    public func upload(
        _ content: Blob, to path: String, contentType: String? = nil,
        conflictBehavior: ConflictBehavior = .replace, user: String? = nil
    ) -> Promise<DriveItem> {
        json {
            guard content.size <= Self.largestUpload else {
                throw GraphError(
                    .invalidInput,
                    message: "The file has \(content.size) bytes; one request can carry \(Self.largestUpload).")
            }
            let type = contentType ?? content.contentType
            guard !type.isEmpty, type.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw GraphError(.invalidInput, message: "'\(PlainText.line(type, limit: 100))' is no content type.")
            }
            let address = try GraphPath(user: user).adding(file: path).adding("/content")
                .adding(query: "@microsoft.graph.conflictBehavior", conflictBehavior.rawValue)
            return GraphRequest(
                "upload", conflictBehavior.effect, .files, "PUT", address,
                headers: ["Content-Type": type, "Accept": "application/json"], body: content.bytes,
                example: .json(
                    201,
                    [
                        "id": "‹upload.id›", "name": .string(path.split(separator: "/").last.map(String.init) ?? path),
                        "size": .integer(content.size), "webUrl": "‹upload.webUrl›",
                        "file": ["mimeType": .string(type)],
                    ]),
                check: "Look whether '\(PlainText.line(path, limit: 200))' is in OneDrive before you upload it again.")
        } as: { answer throws(GraphError) in
            try DriveItem(answer)
        }
    }

    /// How many bytes OneDrive takes in one request.
    package static let largestUpload = 250_000_000
}

extension Permissions {
    /// What changing files and sharing them needs.
    static let files = Permissions(delegated: ["Files.ReadWrite"], application: ["Files.ReadWrite.All"])
}
