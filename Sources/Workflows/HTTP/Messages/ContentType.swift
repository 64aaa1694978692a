package enum ContentType {
    /// The type of the first bytes: images, PDF or text, else `application/octet-stream`.
    ///
    /// The file's name is ignored, because it may be wrong.
    /// - Parameter data: The whole content.
    package static func sniff(_ data: Data) -> String {
        for (signature, type) in signatures where data.starts(with: signature) { return type }
        if data.count >= 12, data.starts(with: "RIFF".utf8), data.dropFirst(8).starts(with: "WEBP".utf8) {
            return "image/webp"
        }
        // Many texts begin with "BM"; a bitmap continues with its size, then four reserved zero bytes.
        if data.count >= 14, data.starts(with: "BM".utf8), data.dropFirst(6).starts(with: [0, 0, 0, 0]) {
            return "image/bmp"
        }
        return isText(data) ? "text/plain" : "application/octet-stream"
    }

    package static func isFileExtension(_ text: String) -> Bool {
        fileExtensions.values.contains(text)
            || ["docx", "xlsx", "pptx", "zip", "yaml", "yml", "xml", "md"].contains(text)
    }

    package static func fileExtension(for type: String) -> String {
        fileExtensions[essence(of: type)] ?? "bin"
    }

    /// The type without its parameters, in lower case: `text/html` of `Text/HTML; charset=utf-8`.
    package static func essence(of type: String) -> String {
        let end = type.firstIndex(of: ";") ?? type.endIndex
        return type[..<end].trimmed.lowercased()
    }

    /// The value without its quotes.
    package static func parameter(_ name: String, of type: String) -> String? {
        for parameter in type.split(separator: ";").dropFirst() {
            let pair = parameter.split(separator: "=", maxSplits: 1).map { $0.trimmed }
            guard pair.count == 2, pair[0].lowercased() == name else { continue }
            return pair[1].trimming { $0 == "\"" }
        }
        return nil
    }

    package static func isJSON(_ type: String) -> Bool {
        let essence = essence(of: type)
        return essence == "application/json" || essence == "text/json" || essence.hasSuffix("+json")
    }

    private static let signatures: [([UInt8], String)] = [
        ([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], "image/png"),
        ([0xff, 0xd8, 0xff], "image/jpeg"),
        (Array("GIF87a".utf8), "image/gif"),
        (Array("GIF89a".utf8), "image/gif"),
        (Array("%PDF-".utf8), "application/pdf"),
    ]

    private static let fileExtensions = [
        "image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp", "image/bmp": "bmp",
        "application/pdf": "pdf", "application/json": "json", "text/plain": "txt", "text/html": "html",
        "text/csv": "csv",
    ]

    private static func isText(_ data: Data) -> Bool {
        let isPrintable = data.allSatisfy { $0 >= 0x20 && $0 != 0x7f || (0x09...0x0d).contains($0) || $0 == 0x1b }
        return isPrintable && String(validating: data, as: UTF8.self) != nil
    }
}
