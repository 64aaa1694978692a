import Essentials

extension SandboxState {
    private static let sizes = [48, 64, 96, 120, 240, 360, 432, 504, 648]

    private struct StoredPhoto {
        var size: Int
        var type: String
        var content: Data
        var id: String { "\(size)x\(size)" }
    }

    /// Only the signed-in user has a photo, depending on the profile.
    private func photos(of owner: SandboxUser) -> [StoredPhoto] {
        guard owner.id == directory.users[0].id, !isPhotoDeleted else { return [] }
        if let photo { return [StoredPhoto(size: 240, type: photo.type, content: photo.content)] }
        guard profile != .noPhoto else { return [] }
        return [
            StoredPhoto(size: 48, type: "image/jpeg", content: Data(PackageResources.photo_48_jpg)),
            StoredPhoto(size: 240, type: "image/jpeg", content: Data(PackageResources.photo_240_jpg)),
        ]
    }

    /// The photo of this size, or the next smaller one; the largest without a size.
    private func photo(of owner: SandboxUser, size: String?) throws(SandboxError) -> StoredPhoto {
        let stored = photos(of: owner)
        guard let size else {
            guard let largest = stored.last else { throw .noPhoto }
            return largest
        }
        let sides = size.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2, sides[0] == sides[1], let side = Int(sides[0]), Self.sizes.contains(side) else {
            throw .badRequest("The photo size '\(size)' is not supported.", code: "ErrorInvalidImageSize")
        }
        guard let photo = stored.last(where: { $0.size <= side }) ?? stored.first else { throw .noPhoto }
        return photo
    }

    func answerPhotos(of owner: SandboxUser) throws(SandboxError) -> HTTPResponse {
        Self.json([
            "@odata.context": .string("https://graph.microsoft.com/v1.0/$metadata#\(owner.photoOwnerPath)/photos"),
            "value": .array(photos(of: owner).map { .object(Self.metadata(of: $0)) }),
        ])
    }

    func answerPhoto(of owner: SandboxUser, size: String?) throws(SandboxError) -> HTTPResponse {
        let photo = try photo(of: owner, size: size)
        var answer: Object = [
            "@odata.context": .string(
                "https://graph.microsoft.com/v1.0/$metadata#\(owner.photoOwnerPath)/photo/$entity")
        ]
        for (name, value) in Self.metadata(of: photo) { answer[name] = value }
        return Self.json(answer)
    }

    private static func metadata(of photo: StoredPhoto) -> Object {
        [
            "@odata.mediaContentType": .string(photo.type),
            "@odata.mediaEtag": .string("W/\"\(SHA256.hex(of: photo.content).prefix(32))\""),
            "id": .string(photo.id), "height": .integer(photo.size), "width": .integer(photo.size),
        ]
    }

    /// `GET` returns the bytes; `PUT` and `PATCH` replace them, and `DELETE` removes them.
    mutating func answerPhotoContent(
        of owner: SandboxUser, size: String?, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        if ["PUT", "PATCH"].contains(call.request.method) { return try putPhoto(of: owner, call) }
        let photo = try photo(of: owner, size: size)
        guard call.request.method == "GET" else {
            isPhotoDeleted = true
            return HTTPResponse(status: 204)
        }
        return HTTPResponse(
            status: 200,
            headers: [
                "Content-Type": photo.type, "Cache-Control": "private",
                "ETag": "\"\(SHA256.hex(of: photo.content).prefix(32))\"",
            ], body: photo.content)
    }

    private mutating func putPhoto(of owner: SandboxUser, _ call: SandboxCall) throws(SandboxError) -> HTTPResponse {
        guard owner.id == directory.users[0].id else {
            throw SandboxError(status: 403, code: "ErrorAccessDenied", message: "Access is denied.")
        }
        let content = call.request.body ?? Data()
        let type = ContentType.sniff(content)
        guard type.hasPrefix("image/") else {
            throw .badRequest("The image is not valid.", code: "ErrorInvalidImage")
        }
        guard content.count < 4 * 1024 * 1024 else {
            throw SandboxError(status: 413, code: "ErrorImageTooLarge", message: "The image is 4 MB or larger.")
        }
        (photo, isPhotoDeleted) = ((content, type), false)
        return HTTPResponse(status: 200)
    }
}
