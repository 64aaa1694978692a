/// Bytes given as an argument: text as UTF-8, a blob, a file next to the workflow, or base64.
struct Content: ParameterValue {
    static let parameterSchema: Object = [
        "type": ["string", "object"],
        "properties": [
            "blob": FunctionSchema.text("The hash of bytes that another function returned."),
            "contentType": FunctionSchema.text("The media type."),
            "size": ["type": "integer", "minimum": 0, "description": "The number of bytes."],
            "base64": FunctionSchema.text("The bytes in base64.", minLength: 0),
            "file": FunctionSchema.text("A file next to the workflow; a large one is read piece by piece."),
        ],
        "minProperties": 1, "additionalProperties": false,
        "description":
            "A string, as UTF-8; a blob, as photo returns it; { file: … } next to the workflow; or { base64: … }.",
    ]

    let argument: Value
    private let place: JSONPointer

    init(argument: Value, at place: JSONPointer) {
        self.argument = argument
        self.place = place
    }

    func blob(in context: FunctionContext) throws(FunctionError) -> Blob {
        if let unknown = context.unknownContent(argument) { return unknown }
        if let text = argument.string { return Blob(text: text) }
        if let file = try file(in: context.files) {
            return try FunctionError.placed(at: place.appending("file")) {
                try Blob(file.source, contentType: file.type)
            }
        }
        switch (argument["blob"], argument["file"], argument["base64"]) {
        case (.some, nil, nil):
            return try FunctionError.placed(at: place) { try context.blobs.blob(argument, in: context.graph.plan) }
        case (nil, nil, let encoded?):
            let inside = place.appending("base64")
            let text = try String(argument: encoded, at: inside).filter { !$0.isWhitespace }
            guard let bytes = Data(base64Encoded: text) else { throw FunctionError("is not base64", at: inside) }
            return Blob(bytes, contentType: argument["contentType"]?.string)
        default:
            throw FunctionError(
                "must be a string, a blob, { file: … } or { base64: … }, but is a \(argument.typeName)", at: place)
        }
    }

    /// The named file as it is now, with the declared type; nil for other content.
    func file(in files: WorkflowFiles) throws(FunctionError) -> (source: ByteSource, type: String?)? {
        guard let path = argument["file"], argument["blob"] == nil, argument["base64"] == nil else { return nil }
        let inside = place.appending("file")
        let text = try String(argument: path, at: inside)
        return try FunctionError.placed(at: inside) {
            let url = try files.locate(text, upTo: GraphClient.largestUpload)
            let source = try ByteSource(fileAt: url)
            if case .file(let part) = source { try files.watch?.check(part, of: text) }
            return (source, argument["contentType"]?.string)
        }
    }
}
