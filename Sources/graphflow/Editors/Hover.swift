/// What is known of the thing at a place: a function, an expression with its value, a time, or a part of the format.
struct Hover {
    private let analysis: Analysis
    private let runs: LastRuns

    init(_ analysis: Analysis, _ runs: LastRuns) { (self.analysis, self.runs) = (analysis, runs) }

    func answer(at offset: Int) -> Value {
        if let place = ExpressionPlace(analysis, at: offset), let found = words(about: place) { return found }
        guard let place = analysis.document.place(at: offset), place.kind != .inside else { return .null }
        let words = place.kind == .key ? words(aboutKey: place.pointer) : words(aboutValue: place.pointer)
        return words.map { hover($0, place.bytes) } ?? .null
    }

    private func hover(_ words: String, _ bytes: Range<Int>) -> Value {
        ["contents": ["kind": "markdown", "value": .string(words)], "range": analysis.text.range(bytes)]
    }

    // MARK: Keys and values

    private func words(aboutKey pointer: JSONPointer) -> String? {
        if pointer == JSONPointer(["document"]), let words = permissions { return words }
        if let words = GraphWords(analysis, at: pointer)?.hover, pointer.tokens.contains("body") { return words }
        var parts = [analysis.guide?.description(at: pointer, in: analysis.document.value)].compactMap(\.self)
        if NameSearch.task(around: pointer) == pointer, let task = pointer.tokens.last {
            parts = ["**\(PlainText.line(task, limit: 100))**"]
            if let place = analysis.model?.flow.places.first(where: { $0.task == pointer }) {
                parts.append("input: `\(place.input.words)`\n\noutput: `\(place.output.words)`")
            }
            if let output = runs.output(of: pointer, in: analysis) { parts.append(output.words(as: "output")) }
        }
        return parts.isEmpty ? nil : parts.joined(separator: "\n\n")
    }

    private func words(aboutValue pointer: JSONPointer) -> String? {
        guard let value = analysis.document.value[pointer] else { return nil }
        let tokens = pointer.tokens
        if tokens.last == "call", let task = analysis.task(around: pointer), let words = words(about: task) {
            return words
        }
        if let words = GraphWords(analysis, at: pointer)?.hover { return words }
        if tokens == ["schedule", "cron"], let text = value.string { return times(of: text) }
        if let text = value.string, text.hasPrefix("P"), let duration = Duration(value) { return duration.words }
        return analysis.guide?.description(at: pointer, in: analysis.document.value)
    }

    /// The function that a task calls: its effect, requests and permissions.
    private func words(about task: Workflow.Task) -> String? {
        guard case .call(let call) = task.action, let model = analysis.model else { return nil }
        if model.workflow.components.functions[call.function] != nil {
            let effect = model.effects[task.reference].map { "\n\neffect: **\($0.rawValue)**" } ?? ""
            return "A function of this workflow, in `use.functions`.\(effect)"
        }
        guard let function = Catalog.default[call.function] else { return nil }
        let effect = call.effect(of: function, files: model.workflow.files) ?? function.effect
        var parts = [
            "**\(function.name)** \(function.version): \(function.summary)", "effect: **\(effect.rawValue)**",
        ]
        let requests = function.expectedRequests(call.literal) ?? []
        if !requests.isEmpty {
            parts.append(requests.map { "    \($0.method) \($0.path)" }.joined(separator: "\n"))
        }
        parts.append(Self.words(function.permissions(for: call.literal)))
        return parts.joined(separator: "\n\n")
    }

    private static func words(_ permissions: Permissions) -> String {
        func list(_ names: [String]) -> String {
            names.isEmpty ? "none" : names.map { "`\($0)`" }.joined(separator: ", ")
        }
        return "permissions: delegated \(list(permissions.delegated)); application \(list(permissions.application))"
    }

    /// The permissions of the whole file.
    private var permissions: String? {
        guard let workflow = analysis.model?.workflow else { return nil }
        let needed = workflow.neededPermissions()
        if needed.delegated.isEmpty, needed.application.isEmpty {
            return workflow.needsToken
                ? "The workflow needs permissions that cannot be seen in the file."
                : "The workflow needs no permission."
        }
        return "The workflow needs these permissions.\n\n\(Self.words(needed))"
    }

    private func times(of text: String) -> String? {
        guard let expression = try? CronExpression(text) else { return nil }
        let zone = SystemTimeZone.utc
        let next = expression.times(after: Date(), count: 3, in: zone).map { "* \(zone.text(of: $0)) UTC" }
        return next.isEmpty ? "never" : "next, without `--time-zone`:\n\n\(next.joined(separator: "\n"))"
    }

    // MARK: Expressions

    private func words(about place: ExpressionPlace) -> Value? {
        guard let word = place.expression.word(at: place.cursor), !word.text.isEmpty else { return nil }
        let bytes = place.bytes(word.range)
        switch word.kind {
        case .function:
            let signatures = WrittenExpression.functions.filter { $0.name == word.text }.map(\.signature)
            return signatures.isEmpty ? nil : hover(signatures.map { "`\($0)`" }.joined(separator: ", "), bytes)
        case .format: return nil
        case .variable:
            let type = place.scope.variables[word.text] ?? .anything
            return hover("`$\(word.text)`: `\(type.words)`", bytes)
        case .member:
            let type = place.known(at: word)?.members?.member(word.text) ?? .anything
            var parts = ["`.\(word.text)`: `\(type.words)`"]
            // The path up to this member, if the expression begins with it.
            let path = place.expression.text(0..<word.range.upperBound)
            if let value = runs.value(of: path, at: place.pointer, in: analysis) { parts.append(value.words(as: path)) }
            return hover(parts.joined(separator: "\n\n"), bytes)
        }
    }
}
