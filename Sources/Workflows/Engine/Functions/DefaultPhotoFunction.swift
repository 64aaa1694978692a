import Promises

extension Function {
    static let defaultPhoto = Function(
        "defaultPhoto",
        summary: "Returns a picture for users without a photo: a file beside the workflow, or a built-in one.",
        input: FunctionSchema.object([
            "file": FunctionSchema.text("A picture beside the workflow; by default the built-in one.")
        ]),
        output: FunctionSchema.blob, effect: .read,
        check: { with, files in
            guard let file = with["file"]?.literal else { return [] }
            do throws(FunctionError) {
                _ = try picture(file, files)
                return []
            } catch {
                return [Finding(error, id: "default-photo", at: "file")]
            }
        },
        body: { input, context in
            let file = try Arguments(input).text("file")
            let blob = try file.map { file throws(FunctionError) in try picture(file, context.files) } ?? .defaultPhoto
            return .value(context.blobs.keep(blob))
        })

    private static func picture(_ file: String, _ files: WorkflowFiles) throws(FunctionError) -> Blob {
        let pointer = JSONPointer(["file"])
        do throws(FunctionError) {
            let blob = Blob(try files.contents(of: file))
            guard blob.contentType.hasPrefix("image/") else {
                throw FunctionError("'\(file)' is not a picture but \(blob.contentType)")
            }
            return blob
        } catch {
            throw error.at(pointer)
        }
    }
}
