/// Edits that remove a finding, made from the text that its hint names.
///
/// Each is tried as a whole: it is offered if the finding is gone afterwards and no other came.
struct QuickFixes {
    private typealias Edit = (bytes: Range<Int>, text: String)

    private struct Candidate {
        var title: String
        var edit: Edit
        var isPreferred = false
    }

    /// At most this many findings of a range are tried.
    private static let mostFindings = 10
    private static let mostCandidates = 6

    private let analysis: Analysis

    init(_ analysis: Analysis) { self.analysis = analysis }

    func actions(_ params: Value) -> Value {
        let only = params["context"]?["only"]?.array ?? ["quickfix"]
        guard only.contains(where: { $0 == "quickfix" || $0 == "" }) else { return [] }
        let start = analysis.text.offset(params["range"]?["start"])
        let end = max(start, analysis.text.offset(params["range"]?["end"]))
        let findings = analysis.findings.filter { finding in
            guard finding.file == analysis.text.path, let range = finding.range else { return false }
            let bytes = analysis.text.bytes(of: range)
            return bytes.lowerBound <= end && start <= bytes.upperBound
        }
        return .array(findings.prefix(Self.mostFindings).flatMap(actions(for:)))
    }

    private func actions(for finding: Diagnostic) -> [Value] {
        guard let range = finding.range else { return [] }
        return candidates(for: finding, analysis.text.bytes(of: range)).prefix(Self.mostCandidates)
            .filter { isRight($0.edit, for: finding) }.map { candidate -> Value in
                let edit: Value = [
                    "range": analysis.text.range(candidate.edit.bytes), "newText": .string(candidate.edit.text),
                ]
                return [
                    "title": .string(candidate.title), "kind": "quickfix",
                    "diagnostics": [finding.lsp(in: analysis.text)], "isPreferred": .bool(candidate.isPreferred),
                    "edit": ["changes": .object([analysis.text.uri: [edit]])],
                ]
            }
    }

    private func isRight(_ edit: Edit, for finding: Diagnostic) -> Bool {
        let after = analysis.after([edit])
        let (former, later) = (analysis.findings.counted, after.findings.counted)
        guard later[finding.what, default: 0] < former[finding.what, default: 0] else { return false }
        // After an error in the structure, others were looked for only where it was.
        let last = edit.bytes.lowerBound + edit.text.utf8.count
        let lines = after.text.lineNumber(at: edit.bytes.lowerBound)...after.text.lineNumber(at: last)
        return after.findings.allSatisfy { found in
            later[found.what, default: 0] <= former[found.what, default: 0]
                || !isWhole && found.file == analysis.text.path
                    && !(found.range.map { lines.contains($0.start.line - 1) } ?? true)
        }
    }

    /// Whether all findings were looked for.
    private var isWhole: Bool {
        analysis.kind == .workflow && (try? Workflow(contentsOf: analysis.url, analysis.open)) != nil
    }

    // MARK: Candidates

    private func candidates(for finding: Diagnostic, _ bytes: Range<Int>) -> [Candidate] {
        let (hint, message) = (finding.hint ?? "", finding.message)
        var candidates: [Candidate] = []
        if ["did you mean", "write", "use "].contains(where: { hint.hasPrefix($0) }) {
            let isMeant = hint.hasPrefix("did you mean")
            for text in hint.quotedParts where !text.contains("…") {
                let word = place(ofWordIn: message, bytes)
                guard word != nil || isScalar(bytes) else { continue }
                candidates.append(
                    Candidate(
                        title: "Change to '\(PlainText.exact(text, limit: 60))'",
                        edit: (word ?? bytes, word == nil ? scalar(text, in: bytes) : text), isPreferred: isMeant))
            }
        }
        if hint.contains("in quotes") || message.contains("must be a string") {
            let line = analysis.text.line(analysis.text.lineNumber(at: bytes.lowerBound))
            for end in [bytes.upperBound, line.upperBound] where end > bytes.lowerBound && end <= line.upperBound {
                candidates.append(quoted(bytes.lowerBound..<end))
            }
            // The finding may be about a later part of the value.
            if let place = analysis.document.place(at: bytes.lowerBound), place.bytes.lowerBound < bytes.lowerBound {
                candidates.append(quoted(place.bytes.lowerBound..<line.upperBound))
            }
        }
        for width in hint == "indent with spaces" ? [2, 4, 8] : [] {
            let line = analysis.text.line(analysis.text.lineNumber(at: bytes.lowerBound))
            let blank = analysis.text[line].prefix { $0 == " " || $0 == "\t" }
            let edit = (
                line.lowerBound..<line.lowerBound + blank.utf8.count,
                blank.map { $0 == "\t" ? String(repeating: " ", count: width) : " " }.joined()
            )
            candidates.append(Candidate(title: "Indent with spaces", edit: edit))
        }
        if hint == "put a space after the ':'" {
            let after = bytes.lowerBound + 1
            candidates.append(Candidate(title: "Put a space after the ':'", edit: (after..<after, " ")))
        }
        if let name = message.missingName { candidates += missing(name, bytes, message.hasPrefix("'document'")) }
        if finding.id == "unused", hint.hasPrefix("remove it") { candidates += removal(bytes) }
        return candidates
    }

    /// The place of a word of the message: at the beginning, or the only one in the range.
    private func place(ofWordIn message: String, _ bytes: Range<Int>) -> Range<Int>? {
        let rest = analysis.text[bytes.lowerBound..<analysis.text.bytes.count]
        // Messages about expressions have a name without quotes, and a range of its first character.
        let name = String(rest.prefix { $0.isLetter || $0.isNumber || "_$@".contains($0) })
        let text = Data(analysis.text.bytes[bytes])
        for word in message.quotedParts + (message.contains(name) ? [name] : []) where !word.isEmpty {
            if rest.hasPrefix(word) { return bytes.lowerBound..<bytes.lowerBound + word.utf8.count }
            let word = Data(word.utf8)
            guard let first = text.firstRange(of: word), text[first.upperBound...].firstRange(of: word) == nil else {
                continue
            }
            return bytes.lowerBound + first.lowerBound..<bytes.lowerBound + first.upperBound
        }
        return nil
    }

    /// Whether a range is a whole name or value, and none with an expression in it.
    private func isScalar(_ bytes: Range<Int>) -> Bool {
        guard let place = analysis.document.place(at: bytes.lowerBound), place.bytes == bytes else { return false }
        return place.kind == .key || !analysis.text[bytes].contains("${")
    }

    private func scalar(_ text: String, in bytes: Range<Int>) -> String {
        analysis.text[bytes].hasPrefix("\"") ? Value.string(text).json() : text.asScalar
    }

    private func quoted(_ bytes: Range<Int>) -> Candidate {
        let start = bytes.lowerBound + analysis.text[bytes].prefix { $0 == " " }.utf8.count
        let (bytes, text) = (start..<bytes.upperBound, analysis.text[start..<bytes.upperBound].trimmed)
        let isJSON = analysis.text.path.hasSuffix(".json")
        let quoted = isJSON ? Value.string(text).json() : "'\(text.replacing("'", with: "''"))'"
        return Candidate(title: "Put it in quotes", edit: (bytes, quoted), isPreferred: true)
    }

    /// Adds a member to the object at a place; its value is read from the input, under the same name.
    private func missing(_ name: String, _ bytes: Range<Int>, _ isOfDocument: Bool) -> [Candidate] {
        let value =
            switch name {
            case "dsl": "1.0.3"
            case "version": "0.1.0"
            case "namespace": "default"
            case "name" where isOfDocument: "workflow"
            default: name.isVariableName ? "'${ .\(name) }'" : "''"
            }
        let column = bytes.lowerBound - analysis.text.line(analysis.text.lineNumber(at: bytes.lowerBound)).lowerBound
        let indent = String(repeating: " ", count: column)
        let title = "Add '\(PlainText.exact(name, limit: 60))'"
        var edits: [Edit] = []
        if analysis.text[bytes].hasPrefix("{") {
            let inside = bytes.lowerBound + 1
            let isEmpty = analysis.text[bytes].dropFirst().trimmed.hasPrefix("}")
            edits.append((inside..<inside, " \(name): \(value)\(isEmpty ? " " : ",")"))
        } else {
            let start = bytes.lowerBound
            edits.append((start..<start, "\(name): \(value)\n\(indent)"))
            // Without 'with', the finding is about the whole task.
            if let task = analysis.document.place(at: start).flatMap({ NameSearch.task(around: $0.pointer) }),
                let call = analysis.document.bytes(of: task.appending("call"))
            {
                edits.append((call.upperBound..<call.upperBound, "\n\(indent)with:\n\(indent)  \(name): \(value)"))
            }
        }
        return edits.map { Candidate(title: title, edit: $0) }
    }

    /// Removes the lines of a definition.
    private func removal(_ bytes: Range<Int>) -> [Candidate] {
        guard let place = analysis.document.place(at: bytes.lowerBound), place.kind != .inside,
            let value = analysis.document.bytes(of: place.pointer)
        else { return [] }
        let (first, last) = (
            analysis.text.lineNumber(at: bytes.lowerBound), analysis.text.lineNumber(at: value.upperBound)
        )
        let start = analysis.text.line(first).lowerBound
        let end =
            last + 1 < analysis.text.lineCount ? analysis.text.line(last + 1).lowerBound : analysis.text.bytes.count
        return [Candidate(title: "Remove it", edit: (start..<end, ""))]
    }
}

extension Diagnostic {
    /// What it says, wherever that is.
    fileprivate var what: [String?] { [file, id, message] }
}

extension [Diagnostic] {
    /// How many say the same.
    fileprivate var counted: [[String?]: Int] { reduce(into: [:]) { $0[$1.what, default: 0] += 1 } }
}

extension String {
    /// The parts in single quotes.
    fileprivate var quotedParts: [String] {
        var parts: [String] = []
        var rest = self[...]
        while let start = rest.firstIndex(of: "'") {
            rest = rest[rest.index(after: start)...]
            guard let end = rest.firstIndex(of: "'") else { break }
            parts.append(String(rest[..<end]))
            rest = rest[rest.index(after: end)...]
        }
        return parts
    }

    /// The name of the member that a finding misses.
    fileprivate var missingName: String? {
        guard contains("needs the property '") || contains("must have ") || contains("is missing") else { return nil }
        return quotedParts.last
    }
}
