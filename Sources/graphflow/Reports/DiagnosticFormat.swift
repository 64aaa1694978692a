/// How `graphflow validate` writes its findings.
enum DiagnosticFormat: String, CaseIterable {
    /// For people, like a compiler's.
    case text
    case json
    /// SARIF 2.1.0, for code scanners and editors.
    case sarif
    /// The annotations of a GitHub workflow's log.
    case github
}

extension Diagnostic {
    var json: Value {
        var object: Object = [
            "severity": .string(severity.rawValue), "id": .string(id), "message": .string(message),
        ]
        if let hint { object["hint"] = .string(hint) }
        if let file { object["file"] = .string(file) }
        let range = shownRange
        object["line"] = .integer(range.start.line)
        object["column"] = .integer(range.start.column)
        object["endLine"] = .integer(range.end.line)
        object["endColumn"] = .integer(range.end.column)
        return .object(object)
    }

    var githubCommand: String {
        let range = shownRange
        let properties = [
            ("file", file ?? ""), ("line", "\(range.start.line)"), ("col", "\(range.start.column)"),
            ("endLine", "\(range.end.line)"), ("endColumn", "\(range.end.column)"), ("title", id),
        ]
        let written = properties.map { "\($0)=\($1.escaped(["%", "\r", "\n", ":", ","]))" }.joined(separator: ",")
        let text = hint.map { "\(message)\n\($0)" } ?? message
        return "::\(severity.rawValue) \(written)::\(text.escaped(["%", "\r", "\n"]))"
    }

    var sarifResult: Value {
        let range = shownRange
        return [
            "ruleId": .string(id), "level": .string(severity.rawValue),
            "message": ["text": .string(hint.map { "\(message) (\($0))" } ?? message)],
            "locations": [
                [
                    "physicalLocation": [
                        "artifactLocation": ["uri": .string((file ?? "").percentEncoded(keeping: "!$&'()*+,/=@"))],
                        "region": [
                            "startLine": .integer(range.start.line), "startColumn": .integer(range.start.column),
                            "endLine": .integer(range.end.line), "endColumn": .integer(range.end.column),
                        ],
                    ]
                ]
            ],
        ]
    }

    /// A finding about a whole file is shown at its beginning.
    private var shownRange: SourceRange {
        let start = SourceRange.Position(line: 1, column: 1)
        return range ?? SourceRange(start: start, end: start)
    }
}

extension [Diagnostic] {
    var sarif: Value {
        let rules = Set(map(\.id)).sorted().map { ["id": .string($0)] as Value }
        return [
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
            "runs": [
                [
                    "tool": [
                        "driver": ["name": "graphflow", "version": .string(Graphflow.version), "rules": .array(rules)]
                    ],
                    "columnKind": "unicodeCodePoints", "results": .array(map(\.sarifResult)),
                ]
            ],
        ]
    }
}

extension String {
    /// The text with characters percent-encoded, as GitHub's commands require.
    fileprivate func escaped(_ characters: Set<Character>) -> String {
        var result = ""
        for character in self {
            if character == "\r\n" {
                result += "%0D%0A"
            } else if characters.contains(character), let byte = character.asciiValue {
                result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            } else {
                result.append(character)
            }
        }
        return result
    }
}
