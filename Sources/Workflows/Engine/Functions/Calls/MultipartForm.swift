/// A form as `multipart/form-data` (RFC 7578): texts, and the bytes of blobs as files.
struct MultipartForm {
    let contentType: String
    let bytes: Data

    /// - Parameter files: The members whose texts are files, because they are binary data.
    init(
        _ members: Object, files: Set<String> = [], blobs: BlobStore, at place: JSONPointer
    ) throws(FunctionError) {
        var parts: [(head: String, body: Data)] = []
        for (name, value) in members {
            for element in value.array ?? [value] where !element.isNull {
                let field = "Content-Disposition: form-data; name=\"\(Self.quoted(name))\""
                if element["blob"] != nil, let blob = try? blobs.blob(element) {
                    let file = "\(Self.quoted(name)).\(ContentType.fileExtension(for: blob.contentType))"
                    parts.append(
                        (
                            "\(field); filename=\"\(file)\"\r\nContent-Type: \(blob.contentType)",
                            try blob.bytes(at: place)
                        ))
                } else if let text = element.scalarText {
                    let file = "; filename=\"\(Self.quoted(name))\"\r\nContent-Type: application/octet-stream"
                    parts.append((files.contains(name) ? field + file : field, Data(text.utf8)))
                } else {
                    parts.append(("\(field)\r\nContent-Type: application/json", element.jsonData()))
                }
            }
        }
        // The boundary is derived from the content: the same call always sends the same bytes.
        let boundary =
            "form-" + SHA256.hex(of: parts.reduce(into: Data()) { $0 += Data($1.head.utf8) + $1.body }).prefix(40)
        var bytes = Data()
        for part in parts {
            bytes += Data("--\(boundary)\r\n\(part.head)\r\n\r\n".utf8) + part.body + Data("\r\n".utf8)
        }
        bytes += Data("--\(boundary)--\r\n".utf8)
        self.bytes = bytes
        contentType = "multipart/form-data; boundary=\(boundary)"
    }

    private static func quoted(_ name: String) -> String {
        name.replacing("\"", with: "%22").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
    }
}

extension Blob {
    fileprivate func bytes(at place: JSONPointer) throws(FunctionError) -> Data {
        do throws(GraphError) {
            return try bytes
        } catch {
            throw FunctionError("is a file that cannot be read: \(error.message)", at: place)
        }
    }
}
