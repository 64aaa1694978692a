extension HTTPCall {
    /// Sets the body: text unchanged, a blob's bytes, anything else as its content type requires, by default JSON.
    mutating func setBody(_ body: Value, blobs: BlobStore, at place: JSONPointer) throws(FunctionError) {
        switch body {
        case .null: return
        case .string(let text): setBody(Data(text.utf8), as: "text/plain; charset=utf-8")
        default:
            if let blob = Self.blob(body, in: blobs) {
                request.setBody(try blob.content(at: place))
                setType(blob.contentType)
                return
            }
            try setStructuredBody(body, at: place)
        }
    }

    private mutating func setStructuredBody(_ body: Value, at place: JSONPointer) throws(FunctionError) {
        let type = ContentType.essence(of: request.headers["Content-Type"] ?? "application/json")
        switch type {
        case "application/x-www-form-urlencoded":
            guard body.object != nil else {
                throw FunctionError("must be an object of form fields, but is a \(body.typeName)", at: place)
            }
            let pairs = try Self.pairs(body, at: place)
            let text = pairs.map { "\($0.name.percentEncoded())=\($0.value.percentEncoded())" }
            setBody(Data(text.joined(separator: "&").utf8), as: type)
        case _ where ContentType.isJSON(type) || ContentType.isYAML(type) || type.hasPrefix("text/"),
            "application/octet-stream", "application/x-ndjson":
            // JSON is valid YAML and valid text.
            setBody(body.jsonData(), as: type)
        default:
            throw FunctionError(
                "is a \(body.typeName), which cannot be written as \(PlainText.exact(type, limit: 100))", at: place,
                hint: "give it as a string")
        }
    }

    private mutating func setBody(_ bytes: Data, as type: String) {
        request.body = bytes
        setType(type)
    }

    private mutating func setType(_ type: String) {
        if request.headers["Content-Type"] == nil { request.headers["Content-Type"] = type }
    }

    /// The blob that a value refers to; nil for every other object, even one that looks like a blob.
    private static func blob(_ value: Value, in blobs: BlobStore) -> Blob? {
        guard let members = value.object, members.contains("blob"),
            members.keys.allSatisfy({ ["blob", "contentType", "size"].contains($0) })
        else { return nil }
        return try? blobs.blob(value)
    }
}

extension Blob {
    /// The body's content: in memory, or in a file if it is large.
    func content(at place: JSONPointer) throws(FunctionError) -> ByteSource {
        do throws(GraphError) {
            return try source.inRequest()
        } catch {
            throw FunctionError("is a file that cannot be read: \(error.message)", at: place)
        }
    }
}
