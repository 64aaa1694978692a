import Promises

extension Function {
    /// Gives a picture for whoever has none.
    static let defaultPhoto = Function(
        "defaultPhoto",
        summary: "Gives a picture for whoever has no photo: a file beside the workflow, or a built-in one.",
        input: FunctionSchema.object([
            "file": FunctionSchema.text("A picture beside the workflow; without it the built-in one.")
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
                throw FunctionError("'\(file)' is no picture but \(blob.contentType)")
            }
            return blob
        } catch {
            throw error.at(pointer)
        }
    }
}

extension Function.Finding {
    /// What an error says about a `with`.
    init(_ error: FunctionError, id: String, at member: String) {
        self.init(
            pointer: error.pointer ?? JSONPointer([member]), id: id, message: error.message, hint: error.hint)
    }

    /// What an error of a request that was not sent says about a `with`.
    init(_ error: GraphError, id: String, at pointer: JSONPointer) {
        let message = error.message.hasSuffix(".") ? String(error.message.dropLast()) : error.message
        self.init(pointer: pointer, id: id, message: message, hint: error.hint)
    }
}
