private struct DefaultPhotoParameters: FunctionParameters {
    @Parameter("A picture next to the workflow; by default the built-in one.") var file: String?
}

extension Function {
    static let defaultPhoto = Function(
        "defaultPhoto",
        summary: "Returns a picture for users without a photo: a file next to the workflow, or a built-in one.",
        input: DefaultPhotoParameters.self, output: FunctionSchema.blob, effect: .read,
        check: { with, files in
            guard let file = with["file"]?.literal else { return [] }
            return Finding.caught("default-photo", at: JSONPointer(["file"])) { _ = try picture(file, files) }
        },
        body: { with, context in
            let blob = try with.file.map { file throws(FunctionError) in try picture(file, context.files) }
            return .value(context.blobs.keep(blob ?? .defaultPhoto))
        })

    private static func picture(_ file: String, _ files: WorkflowFiles) throws(FunctionError) -> Blob {
        try FunctionError.placed(at: JSONPointer(["file"])) {
            let blob = Blob(try files.contents(of: file))
            guard blob.contentType.hasPrefix("image/") else {
                throw FunctionError("'\(file)' is not a picture but \(blob.contentType)")
            }
            return blob
        }
    }
}
