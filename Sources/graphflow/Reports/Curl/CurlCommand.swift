/// A request as a curl command.
struct CurlCommand {
    private let planned: PlannedRequest
    private let base: String
    private let number: Int
    var keepsAnswer = false
    /// The variable for the answer's media type; nil for none.
    var variableOfType: String?

    init(_ planned: PlannedRequest, base: String, number: Int) {
        self.planned = planned
        self.base = base
        self.number = number
    }

    /// The file with the answer to a request.
    static func file(_ number: Int) -> String { "\"$folder/\(number + 1)\"" }

    /// The file with the answer to a request in base64.
    static func base64(_ number: Int) -> String { "\"$folder/\(number + 1).base64\"" }

    static func unknowns(of planned: PlannedRequest, _ unknowns: inout CurlUnknowns) -> [Unknown] {
        var all = named(planned.redactedURL, planned, &unknowns).unknowns
        for field in fields(of: planned, &unknowns) { all += field.value.unknowns }
        switch planned.body {
        case .json(let value), .unknown(let value, _): all += value.unknowns
        case .text(let text): all += named(text.textParts ?? [], planned, &unknowns).unknowns
        case .bytes, nil: break
        }
        var seen: Set<Unknown> = []
        return all.map(unknowns.expected(of:)).filter { seen.insert($0).inserted }
    }

    func lines(_ unknowns: inout CurlUnknowns) -> [String] {
        let request = planned.request.redacted
        var words = ["--globoff --fail-with-body --silent --show-error --request \(request.method)"]
        if planned.operation.effect != .once, planned.operation.attempts > 1 {
            words[0] += " --retry \(planned.operation.attempts - 1)"
        }
        // Every user of a machine can read the arguments of its programs, so secrets go through a pipe.
        var (demands, options): ([String], [String]) = ([], [])
        for field in Self.fields(of: planned, &unknowns) {
            if isToken(field) {
                // A token goes only to the host that it was issued for.
                if !isGraph { demands.append(": \"${\(token):?an access token for \(planned.host)}\"") }
                options.append("option header \"Authorization: Bearer $\(token)\"")
            } else if unknowns.areSecret(field.value) {
                options.append("option header \(header(field, &unknowns))")
            } else {
                words.append("--header \(header(field, &unknowns))")
            }
        }
        let (before, data) = body(&unknowns)
        if let data {
            // Without this, curl would send the body as a form.
            if request.headers["Content-Type"] == nil { words.append("--header 'Content-Type:'") }
            words.append(data)
        }
        words.append("--output \(keepsAnswer ? Self.file(number) : "/dev/null")")
        if variableOfType != nil { words.append("--write-out '%{content_type}'") }
        if unknowns.areSecret(Self.named(planned.redactedURL, planned, &unknowns)) {
            options.append("option url \(address(&unknowns))")
        } else {
            words.append(address(&unknowns))
        }
        var command = "curl \(options.isEmpty ? "" : "--config - ")\(words.joined(separator: " \\\n    "))"
        if options.count == 1 { command = "\(options[0]) |\n\(command)" }
        if options.count > 1 { command = "{\n    \(options.joined(separator: "\n    "))\n} |\n\(command)" }
        if let variableOfType { command = "\(variableOfType)=$(\(command))" }
        return (demands + before + [command]).flatMap { $0.components(separatedBy: "\n") }
    }

    private typealias Field = (name: String, value: [TextPart])

    /// The header fields for the command, each secret under its own name.
    ///
    /// Leaves out fields that curl writes itself or that change with each request. The value of a bearer token is
    /// empty.
    private static func fields(of planned: PlannedRequest, _ unknowns: inout CurlUnknowns) -> [Field] {
        let redacted = planned.request.redacted.headers
        var fields: [Field] = []
        for field in planned.headers where !["client-request-id", "content-length"].contains(field.name.lowercased()) {
            let shown = redacted[field.name]
            if shown == HTTPRequest.redaction {
                fields.append((field.name, [.unknown(unknowns.credential(field.name, for: planned.host))]))
            } else if shown == HTTPRequest.redactedBearer {
                fields.append((field.name, []))
            } else {
                fields.append(field)
            }
        }
        return fields
    }

    /// The text with each secret under its own name, so that no secret is sent to another host.
    private static func named(
        _ parts: [TextPart], _ planned: PlannedRequest, _ unknowns: inout CurlUnknowns
    ) -> [TextPart] {
        var named: [TextPart] = []
        for part in parts {
            guard case .plain(let text) = part else {
                named.append(part)
                continue
            }
            var rest = Substring(text)
            for redaction in [HTTPRequest.redaction.percentEncoded(), HTTPRequest.redaction] {
                while let found = rest.firstRange(of: "=\(redaction)") {
                    let name = String(
                        rest[..<found.lowerBound].reversed().prefix { $0.isLetter || $0 == "_" }.reversed())
                    named.append(.plain("\(rest[..<found.lowerBound])="))
                    named.append(.unknown(unknowns.credential(name, for: planned.host)))
                    rest = rest[found.upperBound...]
                }
            }
            if !rest.isEmpty { named.append(.plain(String(rest))) }
        }
        return named
    }

    private func isToken(_ field: Field) -> Bool { field.value.isEmpty && field.name.lowercased() == "authorization" }

    /// The variable with the token for the request's host.
    private var token: String {
        isGraph ? "TOKEN" : "TOKEN_\(String(planned.host.uppercased().map { $0.isLetter || $0.isNumber ? $0 : "_" }))"
    }

    private func header(_ field: Field, _ unknowns: inout CurlUnknowns) -> String {
        word([.plain("\(field.name): ")] + (field.value.isEmpty ? [.plain(" ")] : field.value), &unknowns)
    }

    private var isGraph: Bool { planned.request.url.absoluteString.hasPrefix(base) }

    private func address(_ unknowns: inout CurlUnknowns) -> String {
        var parts = Self.named(planned.redactedURL, planned, &unknowns)
        var prefix = ""
        if case .plain(let text)? = parts.first {
            if isGraph {
                prefix = "\"$graph\""
                parts[0] = .plain(String(text.dropFirst(base.count)))
            } else if text == CurlScript.session {
                parts.removeFirst()
            }
        }
        return prefix
            + parts.enumerated().map { place, part in
                switch part {
                case .plain(let text): text.isEmpty ? "" : text.shellQuoted
                // A value at the beginning is a whole URL.
                case .unknown(let unknown) where place == 0 && prefix.isEmpty: "\"$\(unknowns.variable(unknown))\""
                case .unknown(let unknown): "\"$(uri \"$\(unknowns.variable(unknown))\")\""
                case .secret(let secret): Drawing.of(secret).shellQuoted
                }
            }.joined()
    }

    /// The commands that write the body to a file, and curl's option for it.
    private func body(_ unknowns: inout CurlUnknowns) -> (before: [String], data: String?) {
        guard let body = planned.body else { return ([], nil) }
        let file = "\"$folder/body\""
        switch body {
        case .unknown(let value, _):
            guard let unknown = value.unknown.map(unknowns.expected(of:)) else { break }
            if case .bytes(let position) = unknowns.source(of: unknown), unknowns.defined.contains(unknown) {
                return ([], "--data-binary @\(Self.file(position))")
            }
            return ([], "--data-binary @\"$\(unknowns.variable(unknown))\"")
        case .json(let value) where value.holdsUnknown:
            return (["jq -cjn \(JqProgram(value, &unknowns).words) > \(file)"], "--data-binary @\(file)")
        case .text(let text):
            let parts = Self.named(text.textParts ?? [], planned, &unknowns)
            guard parts.unknowns.isEmpty else {
                return (["printf %s \(word(parts, &unknowns)) > \(file)"], "--data-binary @\(file)")
            }
        case .json, .bytes: break
        }
        guard let data = planned.request.redacted.body else {
            // A range of a large file, which is not in the plan.
            return ([], "--data-binary @\"${FILE:?the bytes of this range}\"")
        }
        if data.isEmpty { return ([], "--data-raw ''") }
        let isText: Bool
        if case .bytes = body { isText = false } else { isText = !data.contains(0) }
        if isText {
            let text = String(decoding: data, as: UTF8.self).shellQuoted
            return (["printf %s \(text) > \(file)"], "--data-binary @\(file)")
        }
        let text = data.base64EncodedString(options: [.lineLength76Characters, .endLineWithLineFeed])
        return (["base64 --decode > \(file) <<'END'\n\(text)\nEND"], "--data-binary @\(file)")
    }

    private func word(_ parts: [TextPart], _ unknowns: inout CurlUnknowns) -> String {
        var words = ""
        var plain = ""
        for part in parts {
            if case .plain(let text) = part {
                plain += text
                continue
            }
            if !plain.isEmpty { words += plain.shellQuoted }
            plain = ""
            if case .unknown(let unknown) = part { words += "\"$\(unknowns.variable(unknown))\"" }
        }
        return plain.isEmpty ? words : words + plain.shellQuoted
    }
}

extension PlannedRequest {
    fileprivate var host: String { request.url.host() ?? "" }
}
