/// Edits that remove a finding, made from the text that its hint names.
///
/// Each is tried: it is offered if the finding is gone afterwards, and nothing else is wrong that was right before.
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
        func count(_ analysis: Analysis) -> Int {
            analysis.findings.count { $0.id == finding.id && $0.message == finding.message }
        }
        guard count(after) < count(analysis) else { return false }
        // Behind an error in the text itself, others were not looked for.
        let isText = (try? Document(data: Data(analysis.text.bytes), name: "")) == nil
        return isText || after.errorCount <= analysis.errorCount
    }

    // MARK: Candidates

    private func candidates(for finding: Diagnostic, _ bytes: Range<Int>) -> [Candidate] {
        let (hint, message) = (finding.hint ?? "", finding.message)
        var candidates: [Candidate] = []
        if ["did you mean", "write", "use "].contains(where: { hint.hasPrefix($0) }) {
            let isMeant = hint.hasPrefix("did you mean")
            for text in hint.quotedParts where !text.contains("…") {
                let word = place(ofWordIn: message, bytes)
                let isWord = word != nil
                candidates.append(
                    Candidate(
                        title: "Change to '\(PlainText.line(text, limit: 60))'",
                        edit: (word ?? bytes, isWord ? text : scalar(text, in: bytes)), isPreferred: isMeant))
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

    /// The only place of a word of the message.
    private func place(ofWordIn message: String, _ bytes: Range<Int>) -> Range<Int>? {
        let text = Data(analysis.text.bytes[bytes])
        for word in message.quotedParts where !word.isEmpty {
            let word = Data(word.utf8)
            guard let first = text.firstRange(of: word), text[first.upperBound...].firstRange(of: word) == nil else {
                continue
            }
            return bytes.lowerBound + first.lowerBound..<bytes.lowerBound + first.upperBound
        }
        return nil
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
        let title = "Add '\(PlainText.line(name, limit: 60))'"
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
