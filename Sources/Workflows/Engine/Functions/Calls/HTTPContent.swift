/// Converts the content of a response to data.
///
/// Specification: dsl-reference.md, "HTTP Response". The specification lists no types to deserialise; here they are
/// JSON, YAML and text. Everything else is base64, or a blob if it is too large for memory.
enum HTTPContent {
    static func isBytes(_ head: HTTPResponse) -> Bool {
        let type = ContentType.essence(of: head.headers["Content-Type"] ?? "")
        return !type.isEmpty && !ContentType.isJSON(type) && !ContentType.isYAML(type) && !ContentType.isText(type)
    }

    /// Reads the content by its declared type; without one, as text if it is text.
    static func value(of response: HTTPResponse, to request: HTTPRequest) throws(HTTPCallError) -> Value {
        let body = response.body
        guard !body.isEmpty else { return .null }
        let declared = response.headers["Content-Type"] ?? ""
        let type = ContentType.essence(of: declared)
        if ContentType.isJSON(type) {
            do {
                return try Value(json: body)
            } catch {
                throw unreadable("JSON", declared, body, error.diagnostics.first, request)
            }
        }
        if ContentType.isYAML(type) {
            do {
                return try Document(data: body, name: "answer").value
            } catch {
                throw unreadable("YAML", declared, body, error.diagnostics.first, request)
            }
        }
        if ContentType.isText(type) {
            guard let text = text(body, declared) else {
                throw .content(
                    "the answer's type is '\(PlainText.exact(declared, limit: 100))', but it cannot be decoded as such",
                    of: request, hint: "'output: raw' returns its bytes in base64")
            }
            return .string(text)
        }
        if type.isEmpty, ContentType.sniff(body).hasPrefix("text/") {
            return .string(String(decoding: body, as: UTF8.self))
        }
        return .string(body.base64EncodedString())
    }

    private static func unreadable(
        _ format: String, _ declared: String, _ body: Data, _ finding: Diagnostic?, _ request: HTTPRequest
    ) -> HTTPCallError {
        let place = finding?.range.map { "line \($0.start.line), column \($0.start.column): " } ?? ""
        let why = finding.map { ": \(place)\($0.message)" } ?? ""
        let isText = ContentType.sniff(body.prefix(4096)).hasPrefix("text/")
        let beginning =
            isText
            ? "; it begins with '\(PlainText.exact(PlainText.beginning(of: body, upTo: 400), limit: 80))'" : ""
        return .content(
            "the answer's type is \(PlainText.line(declared, limit: 100)), but it is not \(format)\(why)\(beginning)",
            of: request, hint: "'output: raw' returns its bytes in base64")
    }

    /// The text in its declared encoding, by default UTF-8; nil if it cannot be decoded.
    static func text(_ body: Data, _ type: String) -> String? {
        switch ContentType.parameter("charset", of: type)?.lowercased() {
        case nil, "utf-8", "utf8", "us-ascii", "ascii":
            let bytes = body.starts(with: [0xef, 0xbb, 0xbf]) ? body.dropFirst(3) : body
            return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1", "latin1": return String(data: body, encoding: .isoLatin1)
        case "windows-1252", "cp1252": return String(data: body, encoding: .windowsCP1252)
        case "utf-16": return String(data: body, encoding: .utf16)
        case "utf-16le": return String(data: body, encoding: .utf16LittleEndian)
        case "utf-16be": return String(data: body, encoding: .utf16BigEndian)
        default: return nil
        }
    }
}

extension ContentType {
    static func isYAML(_ type: String) -> Bool {
        let essence = essence(of: type)
        return ["application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"].contains(essence)
            || essence.hasSuffix("+yaml")
    }

    /// Whether the type is text, for people or for programs.
    static func isText(_ type: String) -> Bool {
        let essence = essence(of: type)
        return essence.hasPrefix("text/") || essence.hasSuffix("+xml")
            || [
                "application/xml", "application/javascript", "application/x-www-form-urlencoded",
                "application/x-ndjson",
                "application/graphql", "application/sql", "application/toml",
            ].contains(essence)
    }
}
