import Essentials

/// A MIME mail, converted to Graph's JSON (RFC 5322, RFC 2045 to 2047).
struct SandboxMIME {
    private static let depthLimit = 10

    private var headers: [(name: String, value: String)] = []
    private var content = Data()

    static func message(base64 body: Data) throws(SandboxError) -> Value {
        let text = String(decoding: body, as: UTF8.self).filter { !$0.isWhitespace }
        guard let data = Data(base64Encoded: text), !data.isEmpty else { throw .noMIME }
        return try SandboxMIME(data).message()
    }

    private init(_ data: Data) throws(SandboxError) {
        var rest = data[...]
        while let line = Self.line(&rest), !line.isEmpty {
            let text = String(decoding: line, as: UTF8.self)
            if text.first == " " || text.first == "\t", !headers.isEmpty {
                headers[headers.count - 1].value += " " + text.trimmed
                continue
            }
            guard let colon = text.firstIndex(of: ":"), HTTPHead.isToken(text[..<colon]) else { throw .noMIME }
            let value = text[text.index(after: colon)...].trimmed
            headers.append((String(text[..<colon]), value))
        }
        content = Data(rest)
    }

    private func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }

    private func message() throws(SandboxError) -> Value {
        guard !headers.isEmpty else { throw .noMIME }
        var result: Object = ["subject": .string(Self.decoded(header("subject") ?? ""))]
        for (name, field) in [
            ("to", "toRecipients"), ("cc", "ccRecipients"), ("bcc", "bccRecipients"), ("reply-to", "replyTo"),
        ] {
            if let list = header(name) { result[field] = .array(Self.recipients(list)) }
        }
        if let from = header("from"), let sender = Self.recipients(from).first { result["from"] = sender }
        if let id = header("message-id") { result["internetMessageId"] = .string(id) }
        switch header("importance")?.lowercased() {
        case let importance? where ["low", "high"].contains(importance): result["importance"] = .string(importance)
        default: break
        }
        let own = headers.filter { $0.name.lowercased().hasPrefix("x-") }
        if !own.isEmpty {
            result["internetMessageHeaders"] = .array(
                own.map { ["name": .string($0.name), "value": .string($0.value)] })
        }
        var attachments: [Value] = []
        var body: (type: String, text: String)?
        try collect(&body, &attachments, depth: 0)
        if let body { result["body"] = ["contentType": .string(body.type), "content": .string(body.text)] }
        if !attachments.isEmpty { result["attachments"] = .array(attachments) }
        return .object(result)
    }

    private func collect(
        _ body: inout (type: String, text: String)?, _ attachments: inout [Value], depth: Int
    ) throws(SandboxError) {
        let type = header("content-type") ?? "text/plain"
        let essence = ContentType.essence(of: type)
        if essence.hasPrefix("multipart/") {
            guard depth < Self.depthLimit, let boundary = ContentType.parameter("boundary", of: type) else {
                throw .noMIME
            }
            for part in Self.parts(of: content, boundary) {
                try SandboxMIME(part).collect(&body, &attachments, depth: depth + 1)
            }
            return
        }
        let disposition = header("content-disposition") ?? ""
        let name = ContentType.parameter("filename", of: disposition) ?? ContentType.parameter("name", of: type)
        let data = try decodedContent()
        let isBody = !disposition.lowercased().hasPrefix("attachment") && name == nil && essence.hasPrefix("text/")
        if isBody, body == nil || essence == "text/html" && body?.type != "html" {
            body = (essence == "text/html" ? "html" : "text", String(decoding: data, as: UTF8.self))
            return
        }
        guard !isBody else { return }
        attachments.append([
            "@odata.type": "#microsoft.graph.fileAttachment", "name": .string(Self.decoded(name ?? "attachment")),
            "contentType": .string(essence), "contentBytes": .string(data.base64EncodedString()),
            "isInline": .bool(disposition.lowercased().hasPrefix("inline")),
        ])
    }

    private func decodedContent() throws(SandboxError) -> Data {
        switch header("content-transfer-encoding")?.lowercased() {
        case "base64":
            let text = String(decoding: content, as: UTF8.self).filter { !$0.isWhitespace }
            guard let data = Data(base64Encoded: text) else { throw .noMIME }
            return data
        case "quoted-printable": return Self.unquoted(content)
        default: return content
        }
    }

    private static func parts(of content: Data, _ boundary: String) -> [Data] {
        let mark = Data("--\(boundary)".utf8)
        var parts: [Data] = []
        var current: Data?
        var rest = content[...]
        while let line = line(&rest) {
            if line.starts(with: mark) {
                if var part = current {
                    // The line break before the boundary belongs to the boundary.
                    if part.last == 10 { part.removeLast() }
                    if part.last == 13 { part.removeLast() }
                    parts.append(part)
                }
                if line.dropFirst(mark.count).starts(with: "--".utf8) { return parts }
                current = Data()
            } else {
                current?.append(line)
                current?.append(contentsOf: [13, 10])
            }
        }
        return parts
    }

    private static func line(_ rest: inout Data) -> Data? {
        guard !rest.isEmpty else { return nil }
        let end = rest.firstIndex(of: 10) ?? rest.endIndex
        var line = rest[..<end]
        if line.last == 13 { line = line.dropLast() }
        rest = end < rest.endIndex ? rest[rest.index(after: end)...] : Data()
        return line
    }

    private static func recipients(_ list: String) -> [Value] {
        list.split(separator: ",").map { entry in
            let text = entry.trimmed
            guard let open = text.lastIndex(of: "<"), text.hasSuffix(">") else {
                return ["emailAddress": ["address": .string(text)]]
            }
            let name = text[..<open].trimmed.trimming { $0 == "\"" }
            let address = text[text.index(after: open)...].dropLast()
            return ["emailAddress": ["address": .string(String(address)), "name": .string(decoded(name))]]
        }
    }

    /// Decodes encoded words (RFC 2047).
    private static func decoded(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.firstRange(of: "=?"), let end = rest[start.upperBound...].firstRange(of: "?=") {
            let parts = rest[start.upperBound..<end.lowerBound]
                .split(separator: "?", maxSplits: 2, omittingEmptySubsequences: false)
            // A Q word's text may begin with "=", which looks like the end of its head.
            guard parts.count == 3 else {
                result += rest[..<start.upperBound]
                rest = rest[start.upperBound...]
                continue
            }
            let between = rest[..<start.lowerBound]
            if !between.allSatisfy(\.isWhitespace) || result.isEmpty { result += between }
            let bytes =
                parts[1].lowercased() == "b"
                ? Data(base64Encoded: String(parts[2])) : unquoted(Data(parts[2].replacing("_", with: " ").utf8))
            result += String(decoding: bytes ?? Data(), as: UTF8.self)
            rest = rest[end.upperBound...]
        }
        return result + rest
    }

    private static func unquoted(_ data: Data) -> Data {
        var result = Data()
        var bytes = Array(data)[...]
        while let byte = bytes.popFirst() {
            guard byte == UInt8(ascii: "=") else {
                result.append(byte)
                continue
            }
            if bytes.starts(with: [13, 10]) {
                bytes = bytes.dropFirst(2)
            } else if bytes.first == 10 {
                bytes.removeFirst()
            } else if let code = UInt8(String(decoding: bytes.prefix(2), as: UTF8.self), radix: 16), bytes.count >= 2 {
                result.append(code)
                bytes = bytes.dropFirst(2)
            } else {
                result.append(byte)
            }
        }
        return result
    }
}

extension SandboxError {
    fileprivate static let noMIME = badRequest(
        "Invalid base64 string for MIME content.", code: "ErrorMimeContentInvalidBase64String")
}
