private struct ListFolderParameters: FunctionParameters {
    @Parameter("The folder's path from the drive's root; without one, the root.") var path: String?
    @Parameter("The folder's id, instead of a path.") var itemId: String?
    @Parameter(FunctionSchema.user) var user: String?
}

private struct CreateFolderParameters: FunctionParameters {
    @Parameter("The folder's name.") var name: String
    @Parameter("The path of the existing folder to create it in; without one, the root.") var `in`: String?
    @Parameter(FunctionSchema.user) var user: String?
}

private struct DownloadParameters: FunctionParameters {
    @Parameter("The file's path from the drive's root: Pictures/me.jpg.") var path: String?
    @Parameter("The file's id, instead of a path.") var itemId: String?
    @Parameter("Where the bytes are also written, next to the workflow; an existing file is replaced.")
    var file: String?
    @Parameter(FunctionSchema.user) var user: String?
}

extension Function {
    static let listFolder = Function(
        "listFolder", summary: "Lists the files and folders in a folder of OneDrive.",
        input: ListFolderParameters.self,
        output: ["type": "array", "items": item, "description": "The items, in Graph's order."],
        requests: { [ExpectedRequest("GET", $0.userPath + "/drive/root/children")] }, effect: .read,
        exclusive: place, check: { with, _ in drivePath(in: with, "path") }
    ) { with, context in
        context.graph.folderList(with.path, id: with.itemId, user: with.user).map(on: nil) { .array($0) }
    }

    static let createFolder = Function(
        "createFolder", summary: "Creates a folder in OneDrive, or returns the existing one of that name.",
        input: CreateFolderParameters.self, output: item,
        requests: { [ExpectedRequest("POST", $0.userPath + "/drive/root/children")] }, effect: .idempotent,
        check: { with, _ in drivePath(in: with, "name") + drivePath(in: with, "in") }
    ) { with, context in
        context.graph.createFolder(with.name, in: with.in, user: with.user).map(on: nil) { $0.value }
    }

    static let download = Function(
        "download", summary: "Downloads a file from OneDrive.",
        input: DownloadParameters.self, output: FunctionSchema.blob,
        requests: { [ExpectedRequest("GET", $0.userPath + "/drive/root:/x:/content")] }, effect: .read,
        exclusive: place,
        check: { with, files in
            let findings = drivePath(in: with, "path")
            guard let file = with["file"]?.literal else { return findings }
            return findings
                + Finding.caught("written-file", at: JSONPointer(["file"])) { try files.checkWritable(file) }
        }
    ) { with, context in
        let file = with.file
        // Checked before any request is sent.
        if let file, !UnknownTokens.isIn(file) { try context.files.checkWritable(file) }
        let storage = context.largestAnswer == nil ? HTTPOperation.Storage(in: context.blobs.place) : nil
        return context.graph.download(
            with.path, id: with.itemId, user: with.user,
            limit: context.largestAnswer, storage: storage, savedAs: file
        ).map(on: nil) { blob in
            if let file { try context.files.write(blob, to: file) }
            return context.blobs.keep(blob)
        }
    }

    private static let item = FunctionSchema.answer(
        required: ["id"],
        [
            "id": FunctionSchema.text("The id, which other functions take as itemId."),
            "name": FunctionSchema.text("The name."),
            "size": ["type": "integer", "description": "The number of bytes."],
            "webUrl": FunctionSchema.text("The address for people who can open it already."),
        ])

    private static let place = Exclusive("drive-item", ["path", "itemId"], hint: "leave one of them out")

    static func drivePath(in with: Value, _ member: String) -> [Finding] {
        guard let path = with[member]?.literal else { return [] }
        return Finding.caught("upload-path", at: JSONPointer([member])) {
            _ = try GraphPath(user: nil).adding(file: path)
        }
    }
}
