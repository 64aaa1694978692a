extension ConflictBehavior: ParameterValue {}

private struct UploadParameters: FunctionParameters {
    @Parameter("The path from the drive's root: Pictures/me.jpg.") var path: String
    @Parameter() var content: Content
    @Parameter("The media type; by default the one that the bytes have.") var contentType: String?
    @Parameter("What happens if the file exists already.") var conflictBehavior = ConflictBehavior.replace
    @Parameter(FunctionSchema.user) var user: String?
}

extension Function {
    static let upload = Function(
        "upload", summary: "Uploads a file to OneDrive and returns the stored item.",
        input: UploadParameters.self,
        output: FunctionSchema.answer(
            required: ["id"],
            [
                "id": FunctionSchema.text("The id, which createLink takes as itemId."),
                "name": FunctionSchema.text("The name; it differs from the path if the file was renamed."),
                "size": ["type": "integer", "description": "The number of bytes."],
                "webUrl": FunctionSchema.text("The address for people who can open the file already."),
            ]),
        requests: { with in
            let place = with.userPath + "/drive/root:/x:/"
            return [ExpectedRequest("PUT", place + "content"), ExpectedRequest("POST", place + "createUploadSession")]
        },
        effect: .idempotent,
        check: { with, files in
            drivePath(in: with, "path") + missingFile(in: with["content"], at: JSONPointer(["content"]), files)
                + nameAsContent(with["content"], files)
        },
        body: { with, context in
            // A plan needs the content itself.
            if !(context.files.watch?.isNoting ?? false), let file = try with.content.file(in: context.files) {
                return context.graph.upload(
                    file.source, to: with.path, contentType: with.contentType ?? file.type,
                    conflictBehavior: with.conflictBehavior, user: with.user
                ).map(on: nil) { $0.value }
            }
            return context.graph.upload(
                try with.content.blob(in: context), to: with.path, contentType: with.contentType,
                conflictBehavior: with.conflictBehavior, user: with.user
            ).map(on: nil) { $0.value }
        })

    /// Warns of a content that is the name of a file next to the workflow.
    private static func nameAsContent(_ content: Value?, _ files: WorkflowFiles) -> [Finding] {
        guard let text = content?.literal, !text.contains(where: \.isNewline), text.utf8.count <= 255,
            (try? files.locate(text, upTo: GraphClient.largestUpload)) != nil
        else { return [] }
        let name = PlainText.exact(text, limit: 100)
        return [
            Finding(
                "name-as-content", at: ["content"],
                "the file will hold the text '\(name)', not the contents of the file of that name",
                hint: "write 'content: { file: \(name) }'", severity: .warning)
        ]
    }

    static func missingFile(in content: Value?, at pointer: JSONPointer, _ files: WorkflowFiles) -> [Finding] {
        guard let path = content?["file"]?.literal else { return [] }
        return Finding.caught("missing-file", at: pointer.appending("file")) {
            try files.locate(path, upTo: GraphClient.largestUpload)
        }
    }
}
