import Promises

extension Function {
    static let photo = Function(
        "photo", summary: "Gets a user's profile photo; fails with status 404 if there is none.",
        input: FunctionSchema.object([
            "user": FunctionSchema.user,
            "size": [
                "type": "integer", "enum": .array(PhotoSize.allCases.map { .integer($0.rawValue) }),
                "description": "The side length in pixels; by default the largest photo.",
            ],
        ]),
        output: FunctionSchema.blob, permissions: .photo, effect: .read
    ) { input, context in
        let arguments = try Arguments(input)
        let size = try arguments["size"].map { value throws(FunctionError) in
            guard let size = value.integer.flatMap(PhotoSize.init(rawValue:)) else {
                let sizes = PhotoSize.allCases.map { String($0.rawValue) }.joined(separator: ", ")
                throw FunctionError("must be one of \(sizes)", at: JSONPointer(["size"]))
            }
            return size
        }
        return context.graph.photo(user: try arguments.text("user"), size: size)
            .map(on: nil) { context.blobs.keep($0) }
    }
}
