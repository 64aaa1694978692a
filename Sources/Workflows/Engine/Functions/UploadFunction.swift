import Promises

extension Function {
    static let upload = Function(
        "upload", summary: "Uploads a file to OneDrive and returns the stored item.",
        input: FunctionSchema.object(
            required: ["path", "content"],
            [
                "path": FunctionSchema.text("The path from the drive's root: Pictures/me.jpg."),
                "content": FunctionSchema.content,
                "contentType": FunctionSchema.text("The media type; by default the one that the bytes have."),
                "conflictBehavior": FunctionSchema.choice(
                    ConflictBehavior.self, default: .replace, "What happens if the file exists already."),
                "user": FunctionSchema.user,
            ]),
        output: FunctionSchema.answer(
            required: ["id"],
            [
                "id": FunctionSchema.text("The id, which createLink takes as itemId."),
                "name": FunctionSchema.text("The name, which differs from the path's where it was renamed."),
                "size": ["type": "integer", "description": "The number of bytes."],
                "webUrl": FunctionSchema.text("The address for people who can open the file already."),
            ]),
        permissions: .files, effect: .idempotent,
        check: { with, files in
            let findings = missingFile(in: with["content"], at: JSONPointer(["content"]), files)
            guard let path = with["path"]?.literal else { return findings }
            do throws(GraphError) {
                _ = try GraphPath(user: nil).adding(file: path)
                return findings
            } catch {
                return [Finding(error, id: "upload-path", at: JSONPointer(["path"]))] + findings
            }
        },
        body: { input, context in
            let arguments = try Arguments(input)
            let path = try arguments.required("path"), type = try arguments.text("contentType")
            let behavior = try arguments.choice("conflictBehavior", of: ConflictBehavior.self) ?? .replace
            let user = try arguments.text("user")
            if !context.isPlanning, let file = try arguments.file("content", in: context) {
                return context.graph.upload(
                    file.source, to: path, contentType: type ?? file.type, conflictBehavior: behavior, user: user
                ).map(on: nil) { $0.value }
            }
            return context.graph.upload(
                try arguments.content("content", in: context), to: path, contentType: type, conflictBehavior: behavior,
                user: user
            ).map(on: nil) { $0.value }
        })

    /// Reports a content that names a missing file.
    static func missingFile(in content: Value?, at pointer: JSONPointer, _ files: WorkflowFiles) -> [Finding] {
        guard let path = content?["file"]?.literal else { return [] }
        do throws(FunctionError) {
            try files.locate(path, upTo: GraphClient.largestUpload)
            return []
        } catch {
            return [Finding(error.at(pointer.appending("file")), id: "missing-file", at: "content")]
        }
    }
}
