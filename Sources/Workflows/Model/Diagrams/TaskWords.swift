extension Workflow.Task {
    /// What the task does, as the file writes it, one line each.
    var words: [String] {
        switch action {
        case .call(let call): ["call \(call.function)"] + call.words
        case .do, .try: []
        case .emit(let emit): ["emit \(emit.literal["type"]?.string ?? "an event")"]
        case .for(let loop):
            ["each $\(loop.item) in \(loop.collection.words)"] + (loop.condition.map { ["while \($0.words)"] } ?? [])
        case .fork(let fork): fork.competes ? ["the first to complete wins"] : []
        case .listen(let listen): ["listen to \(listen.events.words)"]
        case .raise(let error): ["raise \(error.words)"]
        case .run(let process): ["run \(process.words(definition["run"]))"]
        case .set: ["set \(definition["set"]?.object?.keys.joined(separator: ", ") ?? definition["set"]?.string ?? "")"]
        case .switch: ["switch"]
        case .wait(let time): ["wait \(time.words)"]
        }
    }
}

extension Workflow.Call {
    /// What a standard call addresses.
    fileprivate var words: [String] {
        switch function {
        case "http":
            let method = literal["method"]?.string?.uppercased() ?? ""
            let address = literal["endpoint"]?.string ?? literal["endpoint"]?["uri"]?.string ?? ""
            return ["\(method) \(address)"]
        case "openapi": return literal["operationId"]?.string.map { [$0] } ?? []
        case "mcp":
            let subject = literal["parameters"]?["name"]?.string ?? literal["parameters"]?["uri"]?.string
            return [[literal["method"]?.string, subject].compactMap(\.self).joined(separator: " ")]
        default:
            guard let workflow = Workflow.Action.call(self).workflow else { return [] }
            let list = arguments?.expression(at: JSONPointer(["in"])).map { "each in \($0.words)" }
            let items = list ?? literal["in"]?.array.map { $0.count == 1 ? "1 item" : "\($0.count) items" }
            return [items, inline == nil ? "workflow \(workflow.description)" : nil].compactMap(\.self)
        }
    }
}

extension Workflow.Process {
    fileprivate func words(_ definition: Value?) -> String {
        let manner = isAwaited ? "" : " (not awaited)"
        switch kind {
        case .shell: return "shell\(manner): \(definition?["shell"]?["command"]?.string ?? "")"
        case .script(let language, _, _): return "script in \(language == .python ? "Python" : "JavaScript")\(manner)"
        case .container: return "container\(manner): \(definition?["container"]?["image"]?.string ?? "")"
        case .workflow(let reference, _): return "workflow \(reference.description)\(manner)"
        }
    }
}

extension EventConsumption {
    var words: String {
        switch self {
        case .one(let filter): filter.words
        case .all(let filters): filters.map(\.words).joined(separator: " and ")
        case .any(let filters, let until):
            (filters.isEmpty ? "any event" : filters.map(\.words).joined(separator: " or "))
                + (until.map { " until \($0.words)" } ?? "")
        }
    }
}

extension EventConsumption.Until {
    fileprivate var words: String {
        switch self {
        case .condition(let expression): expression.words
        case .events(let events): events.words
        }
    }
}

extension EventFilter {
    /// The type that the filter names; otherwise its first attribute.
    fileprivate var words: String {
        guard let (name, pattern) = attributes.first(where: { $0.name == "type" }) ?? attributes.first else {
            return "any event"
        }
        guard case .text(let text) = pattern else { return "events by their \(name)" }
        return name == "type" ? text : "events of \(name) \(text)"
    }
}

extension ErrorDefinition {
    fileprivate var words: String {
        let status = literal["status"].map { $0.integer.map(String.init) ?? $0.string ?? "" } ?? ""
        return "\(status) \(literal["title"]?.string ?? literal["type"]?.string?.lastWord ?? "")"
    }
}

extension Workflow.Catch {
    /// Which errors are caught, one line for each condition.
    var captions: [String] {
        var words: [String] = []
        for (name, value) in filter?.members ?? [:] {
            let text = value.string ?? value.json()
            words.append("\(name) \(name == "type" ? text.lastWord : text)")
        }
        if let when { words.append("when \(when.words)") }
        if let exceptWhen { words.append("except when \(exceptWhen.words)") }
        return words.isEmpty ? ["any error"] : words
    }
}

extension RetryPolicy {
    var caption: String {
        var words = [maximumRetries.map { "\($0)×" } ?? "until it succeeds"]
        if case .literal(.zero) = delay {
        } else {
            switch backoff {
            case .constant: words.append("every \(delay.words)")
            case .linear: words.append("after \(delay.words), growing")
            case .exponential: words.append("after \(delay.words), doubling")
            }
        }
        if let totalDuration { words.append("within \(totalDuration.words)") }
        return words.joined(separator: " · ")
    }

    var conditions: [String] {
        (when.map { ["when \($0.words)"] } ?? []) + (exceptWhen.map { ["except when \($0.words)"] } ?? [])
    }
}

extension Schedule {
    var words: [String] {
        switch self {
        case .every(let time): ["every \(time.words)"]
        case .cron(let expression): ["cron \(expression.source)"]
        case .after(let time): ["again after \(time.words)"]
        case .on(let events, _): ["on \(events.words)"]
        }
    }
}

extension Workflow.For.Collection {
    fileprivate var words: String {
        if case .expression(let expression) = self { expression.words } else { shown }
    }
}

extension Expression {
    var words: String {
        PlainText.line(source, limit: 10_000).trimmed
    }
}

extension DurationSource {
    var words: String {
        switch self {
        case .literal(let time): time.words
        case .expression(let expression): expression.words
        }
    }
}

extension String {
    fileprivate var lastWord: String { split(separator: "/").last.map(String.init) ?? self }
}
