import Essentials

extension SandboxState {
    /// One picture per size for all files: the sandbox does not scale pictures.
    static let thumbnails: [String: (size: Int, content: Data)] = [
        "small": (48, Data(PackageResources.photo_48_jpg)), "medium": (240, Data(PackageResources.photo_240_jpg)),
        "large": (240, Data(PackageResources.photo_240_jpg)),
    ]

    /// `GET …/thumbnails` of a picture; other files have none.
    func answerThumbnails(
        of item: SandboxRoute.Item, _ size: String?, isContent: Bool, owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        guard let node = try node(item, of: owner) else { throw .noItem }
        var isPicture = false
        if case .file(let index) = node { isPicture = items[index].contentType.hasPrefix("image/") }
        let context = "https://graph.microsoft.com/v1.0/$metadata#users('\(owner.id)')/drive/items/thumbnails"
        guard let size else {
            try call.target.checkOptions(["select"])
            let names = call.target.option("select")?.split(separator: ",").map { $0.trimmed.lowercased() }
            var set: Object = ["id": "0"]
            for name in ["large", "medium", "small"] where names?.contains(name) ?? true {
                set[name] = thumbnail(name).map(Value.object)
            }
            return Self.json(["@odata.context": .string(context), "value": isPicture ? [.object(set)] : []])
        }
        guard isPicture, var answer = thumbnail(size) else { throw .noItem }
        if isContent {
            return HTTPResponse(status: 302, headers: ["Location": answer["url"]?.string ?? ""])
        }
        answer["@odata.context"] = .string(context)
        return Self.json(answer)
    }

    private func thumbnail(_ name: String) -> Object? {
        Self.thumbnails[name].map { picture in
            [
                "height": .integer(picture.size), "width": .integer(picture.size),
                "url": .string("\(origin)/thumbnail/\(picture.size)"),
            ]
        }
    }
}
