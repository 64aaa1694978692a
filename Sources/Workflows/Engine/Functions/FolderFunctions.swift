import Promises

extension Function {
    static let listFolder = Function(
        "listFolder", summary: "Lists the files and folders in a folder of OneDrive.",
        input: FunctionSchema.object([
            "path": FunctionSchema.text("The folder's path from the drive's root; without one, the root."),
            "itemId": FunctionSchema.text("The folder's id, in place of a path."),
            "user": FunctionSchema.user,
        ]),
        output: ["type": "array", "items": item, "description": "The items, in Graph's order."],
        permissions: .filesRead, effect: .read,
        check: { with, _ in onePlace(in: with) + drivePath(in: with, "path") }
    ) { input, context in
        let arguments = try Arguments(input)
        try checkPlace(in: input)
        return context.graph.listFolder(
            try arguments.text("path"), id: try arguments.text("itemId"), user: try arguments.text("user")
        ).map(on: nil) { .array($0) }
    }

    static let createFolder = Function(
        "createFolder", summary: "Creates a folder in OneDrive, or returns the one that has the name already.",
        input: FunctionSchema.object(
            required: ["name"],
            [
                "name": FunctionSchema.text("The folder's name."),
                "in": FunctionSchema.text(
                    "The path of the folder to create it in, which exists; without one, the root."),
                "user": FunctionSchema.user,
            ]),
        output: item, permissions: .files, effect: .idempotent,
        check: { with, _ in drivePath(in: with, "name") + drivePath(in: with, "in") }
    ) { input, context in
        let arguments = try Arguments(input)
        return context.graph.createFolder(
            try arguments.required("name"), in: try arguments.text("in"), user: try arguments.text("user")
        ).map(on: nil) { $0.value }
    }

    static let download = Function(
        "download", summary: "Downloads a file from OneDrive.",
        input: FunctionSchema.object([
            "path": FunctionSchema.text("The file's path from the drive's root: Pictures/me.jpg."),
            "itemId": FunctionSchema.text("The file's id, in place of a path."),
            "file": FunctionSchema.text(
                "Where the bytes are also written, beside the workflow; a file that is there is replaced."),
            "user": FunctionSchema.user,
        ]),
        output: FunctionSchema.blob, permissions: .filesRead, effect: .read,
        check: { with, files in
            var findings = onePlace(in: with) + drivePath(in: with, "path")
            guard let file = with["file"]?.literal else { return findings }
            do throws(FunctionError) {
                try files.checkWritable(file)
            } catch {
                findings.append(Finding(error, id: "written-file", at: "file"))
            }
            return findings
        }
    ) { input, context in
        let arguments = try Arguments(input)
        try checkPlace(in: input)
        let file = try arguments.text("file")
        // It is known before anything is asked of the service.
        if let file, !UnknownTokens.isIn(file) { try context.files.checkWritable(file) }
        let storage = context.largestAnswer == nil ? HTTPOperation.Storage(in: context.blobs.place) : nil
        return context.graph.download(
            try arguments.text("path"), id: try arguments.text("itemId"), user: try arguments.text("user"),
            limit: context.largestAnswer, storage: storage, target: file.map { .change("writes the file \($0)") }
        ).map(on: nil) { blob in
            if let file, !context.isPlanning { try context.files.write(blob, to: file) }
            return context.blobs.keep(blob)
        }
    }

    /// What Graph says of a file or folder.
    private static let item = FunctionSchema.answer(
        required: ["id"],
        [
            "id": FunctionSchema.text("The id, which other functions take as itemId."),
            "name": FunctionSchema.text("The name."),
            "size": ["type": "integer", "description": "The number of bytes."],
            "webUrl": FunctionSchema.text("The address for people who can open it already."),
        ])

    /// Reports an item that is named twice.
    private static func onePlace(in with: Value) -> [Finding] {
        guard with["path"].map({ !$0.isNull }) ?? false, with["itemId"].map({ !$0.isNull }) ?? false else { return [] }
        return [
            Finding(
                pointer: JSONPointer(["itemId"]), id: "drive-item",
                message: "'path' and 'itemId' cannot be given together", hint: "leave one of them out")
        ]
    }

    private static func checkPlace(in input: Value) throws(FunctionError) {
        guard let finding = onePlace(in: input).first else { return }
        throw FunctionError(finding.message, at: finding.pointer, hint: finding.hint)
    }

    /// Reports a path that OneDrive does not allow.
    private static func drivePath(in with: Value, _ member: String) -> [Finding] {
        guard let path = with[member]?.literal else { return [] }
        do throws(GraphError) {
            _ = try GraphPath(user: nil).adding(file: path)
            return []
        } catch {
            return [Finding(error, id: "upload-path", at: JSONPointer([member]))]
        }
    }
}
