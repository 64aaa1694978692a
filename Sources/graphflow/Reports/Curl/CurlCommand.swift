/// A request as a curl command.
struct CurlCommand {
    private typealias Field = (name: String, value: [TextPart])
    /// The prefix of an upload session's address in a plan.
    private static let session = "https://upload.example/"

    let number: Int
    private let planned: PlannedRequest
    private let base: String
    private let sources: CurlUnknowns
    // The parts of the request, each secret under its own name, so that no secret is sent to another host.
    private let url: [TextPart]
    private let fields: [Field]
    private let text: [TextPart]
    var keepsAnswer = false
    /// The variable for the answer's media type; nil for none.
    var variableOfType: String?

    init(_ planned: PlannedRequest, base: String, number: Int, _ sources: CurlUnknowns) {
        let host = planned.request.url.host() ?? ""
        url = Self.named(planned.redactedURL, for: host, sources)
        fields = Self.fields(of: planned, for: host, sources)
        if case .text(let text)? = planned.body {
            self.text = Self.named(text.textParts ?? [], for: host, sources)
        } else {
            text = []
        }
        self.number = number
        self.planned = planned
        self.base = base
        self.sources = sources
    }

    /// The file with the answer.
    var file: String { Self.file(number) }

    private static func file(_ number: Int) -> String { "\"$folder/\(number + 1)\"" }

    /// The file with the answer to a request in base64.
    static func base64(_ number: Int) -> String { "\"$folder/\(number + 1).base64\"" }

    /// Whether a run usually sends it.
    var isUsual: Bool { planned.isUsual }

    /// The values that the command needs, each once.
    var unknowns: [Unknown] {
        var all = (url + fields.flatMap(\.value) + text).unknowns
        switch planned.body {
        case .json(let value), .unknown(let value, _): all += value.unknowns
        case .text, .bytes, nil: break
        }
        var seen: Set<Unknown> = []
        return all.map(sources.expected(of:)).filter { seen.insert($0).inserted }
    }

    var lines: [String] {
        var words = ["--globoff --fail-with-body --silent --show-error --request \(planned.request.redacted.method)"]
        if planned.operation.effect != .once, planned.operation.attempts > 1 {
            words[0] += " --retry \(planned.operation.attempts - 1)"
        }
        // Every user of a machine can read the arguments of its programs, so secrets go through a pipe.
        var (demands, options): ([String], [String]) = ([], [])
        for field in fields {
            let header = word([.plain("\(field.name): ")] + (field.value.isEmpty ? [.plain(" ")] : field.value))
            if field.value.isEmpty, field.name.lowercased() == "authorization" {
                // A token goes only to the host that it was issued for.
                if !isGraph { demands.append(": \"${\(token):?an access token for \(host)}\"") }
                options.append("option header \"Authorization: Bearer $\(token)\"")
            } else if sources.areSecret(field.value) {
                options.append("option header \(header)")
            } else {
                words.append("--header \(header)")
            }
        }
        let (before, data) = body
        if let data {
            // Without this, curl would send the body as a form.
            if planned.request.headers["Content-Type"] == nil { words.append("--header 'Content-Type:'") }
            words.append(data)
        }
        words.append("--output \(keepsAnswer ? file : "/dev/null")")
        if variableOfType != nil { words.append("--write-out '%{content_type}'") }
        if sources.areSecret(url) { options.append("option url \(address)") } else { words.append(address) }
        var command = "curl \(options.isEmpty ? "" : "--config - ")\(words.joined(separator: " \\\n    "))"
        if options.count == 1 { command = "\(options[0]) |\n\(command)" }
        if options.count > 1 { command = "{\n    \(options.joined(separator: "\n    "))\n} |\n\(command)" }
        if let variableOfType { command = "\(variableOfType)=$(\(command))" }
        return (demands + before + [command]).flatMap { $0.components(separatedBy: "\n") }
    }

    /// The header fields for the command; the value of a bearer token is empty.
    ///
    /// Leaves out fields that curl writes itself or that change with each request.
    private static func fields(of planned: PlannedRequest, for host: String, _ sources: CurlUnknowns) -> [Field] {
        let redacted = planned.request.redacted.headers
        return planned.headers.filter { !["client-request-id", "content-length"].contains($0.name.lowercased()) }
            .map { field in
                switch redacted[field.name] {
                case HTTPRequest.redaction: (field.name, [.unknown(sources.credential(field.name, for: host))])
                case HTTPRequest.redactedBearer: (field.name, [])
                default: field
                }
            }
    }

    private static func named(_ parts: [TextPart], for host: String, _ sources: CurlUnknowns) -> [TextPart] {
        parts.flatMap { part -> [TextPart] in
            guard case .plain(let text) = part else { return [part] }
            var named: [TextPart] = []
            var rest = Substring(text)
            for redaction in [HTTPRequest.redaction.percentEncoded(), HTTPRequest.redaction] {
                while let found = rest.firstRange(of: "=\(redaction)") {
                    let before = rest[..<found.lowerBound]
                    let name = String(before.reversed().prefix { $0.isLetter || $0 == "_" }.reversed())
                    named += [.plain("\(before)="), .unknown(sources.credential(name, for: host))]
                    rest = rest[found.upperBound...]
                }
            }
            return rest.isEmpty ? named : named + [.plain(String(rest))]
        }
    }

    /// The variable with the token for the request's host.
    private var token: String {
        isGraph ? "TOKEN" : "TOKEN_\(String(host.uppercased().map { $0.isLetter || $0.isNumber ? $0 : "_" }))"
    }

    private var host: String { planned.request.url.host() ?? "" }

    private var isGraph: Bool { planned.request.url.absoluteString.hasPrefix(base) }

    private var address: String {
        var (parts, prefix) = (url, "")
        if case .plain(let text)? = parts.first {
            if isGraph {
                prefix = "\"$graph\""
                parts[0] = .plain(String(text.dropFirst(base.count)))
            } else if text == Self.session {
                parts.removeFirst()
            }
        }
        return prefix
            + parts.enumerated().map { place, part in
                switch part {
                case .plain(let text): text.isEmpty ? "" : text.shellQuoted
                // A value at the beginning is a whole URL.
                case .unknown(let unknown) where place == 0 && prefix.isEmpty: "\"$\(sources.variable(unknown))\""
                case .unknown(let unknown): "\"$(uri \"$\(sources.variable(unknown))\")\""
                case .secret(let secret): Drawing.of(secret).shellQuoted
                }
            }.joined()
    }

    /// The commands that write the body to a file, and curl's option for it.
    private var body: (before: [String], data: String?) {
        guard let body = planned.body else { return ([], nil) }
        let file = "\"$folder/body\""
        func written(_ command: String) -> (before: [String], data: String?) {
            ([command], "--data-binary @\(file)")
        }
        if case .unknown(let value, _) = body, let unknown = value.unknown.map(sources.expected(of:)) {
            if case .bytes(let position) = sources.source(of: unknown), sources.defined.contains(unknown) {
                return ([], "--data-binary @\(Self.file(position))")
            }
            return ([], "--data-binary @\"$\(sources.variable(unknown))\"")
        }
        if case .json(let value) = body, value.holdsUnknown {
            return written("jq -cjn \(JqProgram(value, sources).words) > \(file)")
        }
        if !text.unknowns.isEmpty { return written("printf %s \(word(text)) > \(file)") }
        guard let data = planned.request.redacted.body else {
            // A range of a large file, which is not in the plan.
            return ([], "--data-binary @\"${FILE:?the bytes of this range}\"")
        }
        if data.isEmpty { return ([], "--data-raw ''") }
        let isText = if case .bytes = body { false } else { !data.contains(0) }
        if isText { return written("printf %s \(String(decoding: data, as: UTF8.self).shellQuoted) > \(file)") }
        let text = data.base64EncodedString(options: [.lineLength76Characters, .endLineWithLineFeed])
        return written("base64 --decode > \(file) <<'END'\n\(text)\nEND")
    }

    private func word(_ parts: [TextPart]) -> String {
        var (words, plain) = ("", "")
        for part in parts {
            if case .plain(let text) = part {
                plain += text
                continue
            }
            if !plain.isEmpty { words += plain.shellQuoted }
            plain = ""
            if case .unknown(let unknown) = part { words += "\"$\(sources.variable(unknown))\"" }
        }
        return plain.isEmpty ? words : words + plain.shellQuoted
    }
}
