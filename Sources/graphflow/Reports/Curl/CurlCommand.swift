import Foundation
import Workflows

/// A request as a curl command.
struct CurlCommand {
    /// The most bytes of a body on the command line; systems allow at least 128 KiB per word.
    private static let longestWord = 60_000

    private let planned: PlannedRequest
    private let base: String
    private let number: Int
    /// Whether the answer is used later.
    var keepsAnswer = false
    /// The variable that takes the answer's media type; nil for none.
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

    /// The unknowns in a request, in order.
    static func symbols(of planned: PlannedRequest) -> [String] {
        var symbols = SymbolicText(named(planned.address, planned)).symbols
        for field in fields(of: planned) { symbols += SymbolicText(field.value).symbols }
        switch planned.body {
        case .json(let value): symbols += value.symbols
        case .text(let text): symbols += SymbolicText(named(text.showingSymbols, planned)).symbols
        case .unknown(let symbol, _): symbols.append(symbol)
        case .bytes, nil: break
        }
        var seen: Set<String> = []
        return symbols.filter { $0 != "‹token›" && seen.insert($0).inserted }
    }

    func lines(_ symbols: inout CurlSymbols) -> [String] {
        let request = planned.request.redacted
        var words = ["curl --globoff --fail-with-body --silent --show-error --request \(request.method)"]
        if planned.operation.effect != .once, planned.operation.attempts > 1 {
            words[0] += " --retry \(planned.operation.attempts - 1)"
        }
        for field in Self.fields(of: planned) {
            words.append("--header \(header(field, &symbols))")
        }
        let (before, data, heredoc) = body(&symbols)
        if let data {
            // Without this, curl would send the body as a form.
            if request.headers["Content-Type"] == nil { words.append("--header 'Content-Type:'") }
            words.append(data)
        }
        words.append("--output \(keepsAnswer ? Self.file(number) : "/dev/null")")
        if variableOfType != nil { words.append("--write-out '%{content_type}'") }
        words.append(address(&symbols))
        var command = before + words.joined(separator: " \\\n    ")
        if let heredoc { command = heredoc.opening + command }
        if let variableOfType {
            command = "\(variableOfType)=$(\(command)\(heredoc.map { "\n\($0.text)" } ?? ""))"
            return command.components(separatedBy: "\n")
        }
        return command.components(separatedBy: "\n") + (heredoc?.text.components(separatedBy: "\n") ?? [])
    }

    /// The header fields for the command, each secret under its own name.
    ///
    /// Fields that curl writes itself, or that change with each request, are left out.
    private static func fields(of planned: PlannedRequest) -> [HTTPHeaders.Field] {
        planned.request.redacted.headers.fields.filter {
            !["client-request-id", "content-length"].contains($0.name.lowercased())
        }.map { field in
            guard field.value == "‹redacted›" else { return field }
            var field = field
            field.value = secret(field.name, planned)
            return field
        }
    }

    /// The text with each secret under its own name, so that no secret is sent to the host of another one.
    private static func named(_ text: String, _ planned: PlannedRequest) -> String {
        text.replacing(#/([A-Za-z_]+)=‹redacted›/#) { match in
            "\(match.output.1)=\(secret(String(match.output.1), planned))"
        }
    }

    private static func secret(_ name: String, _ planned: PlannedRequest) -> String {
        "‹\(name.lowercased()) for \(planned.request.url.host() ?? "")›"
    }

    private func header(_ field: HTTPHeaders.Field, _ symbols: inout CurlSymbols) -> String {
        var value = field.value
        if value == "Bearer ‹token›" {
            // A token goes only to the host that it was issued for.
            guard isGraph else {
                let host = (planned.request.url.host() ?? "").uppercased().map { $0.isLetter || $0.isNumber ? $0 : "_" }
                let name = "TOKEN_\(String(host))"
                return "\"Authorization: Bearer ${\(name):?an access token for \(planned.request.url.host() ?? "")}\""
            }
            return "\"Authorization: Bearer $TOKEN\""
        }
        if value.isEmpty { value = " " }
        return word("\(field.name): \(value)", &symbols)
    }

    private var isGraph: Bool { planned.request.url.absoluteString.hasPrefix(base) }

    private func address(_ symbols: inout CurlSymbols) -> String {
        var text = Self.named(planned.address, planned)
        var prefix = ""
        if isGraph {
            text.removeFirst(min(base.count, text.count))
            prefix = "\"$graph\""
        } else if text.hasPrefix(CurlScript.session + "‹") {
            text.removeFirst(CurlScript.session.count)
        }
        return prefix
            + SymbolicText(text).pieces.enumerated().map { place, piece in
                switch piece {
                case .literal(let text): text.shellQuoted
                // A value at the beginning is a whole URL already.
                case .symbol(let symbol) where place == 0 && prefix.isEmpty: "\"$\(symbols.variable(symbol))\""
                case .symbol(let symbol): "\"$(uri \"$\(symbols.variable(symbol))\")\""
                }
            }.joined()
    }

    /// The command that pipes into curl, curl's option for the body, and the here document after it.
    private func body(
        _ symbols: inout CurlSymbols
    ) -> (before: String, data: String?, heredoc: (opening: String, text: String)?) {
        guard let body = planned.body else { return ("", nil, nil) }
        switch body {
        case .unknown(let symbol, _):
            if case .bytes(let position) = symbols.source(of: symbol), symbols.defined.contains(symbol) {
                return ("", "--data-binary @\(Self.file(position))", nil)
            }
            return ("", "--data-binary @\"$\(symbols.variable(symbol))\"", nil)
        case .json(let value) where !value.symbols.isEmpty:
            return ("jq -cjn \(JqProgram(value, &symbols).words) |\n", "--data-binary @-", nil)
        case .text(let text) where !SymbolicText(text.showingSymbols).symbols.isEmpty:
            return ("", "--data-raw \(word(Self.named(text.showingSymbols, planned), &symbols))", nil)
        case .json, .text, .bytes: break
        }
        guard let data = planned.request.redacted.body else {
            // A range of a large file, which is not in the plan.
            return ("", "--data-binary @\"${FILE:?the bytes of this range}\"", nil)
        }
        if data.isEmpty { return ("", "--data-raw ''", nil) }
        let isText: Bool
        if case .bytes = body { isText = false } else { isText = !data.contains(0) }
        if isText, data.count < Self.longestWord {
            return ("", "--data-raw \(String(decoding: data, as: UTF8.self).shellQuoted)", nil)
        }
        let text = data.base64EncodedString(options: [.lineLength76Characters, .endLineWithLineFeed])
        return ("", "--data-binary @-", ("base64 --decode <<'END' | ", "\(text)\nEND"))
    }

    private func word(_ text: String, _ symbols: inout CurlSymbols) -> String {
        SymbolicText(text).pieces.map { piece in
            switch piece {
            case .literal(let text): text.shellQuoted
            case .symbol(let symbol): "\"$\(symbols.variable(symbol))\""
            }
        }.joined()
    }
}
