extension RunSummary {
    /// Facts about the run or batch as lines, cut to the width unless users look for them.
    func lines(of facts: [RunFact], width: Int?, colour: Bool) -> [String] {
        facts.map { name, words in
            switch name {
            case "state" where colour: "state".padding(to: 9) + "\u{1B}[\(state.colour)m\(words)\u{1B}[0m"
            case "error", "secrets": RunReport.line(name, words, nil)
            default: RunReport.line(name, words, width)
            }
        }
    }

    /// The first facts about a run or a batch, for people.
    /// - Parameter time: Writes a time.
    func head(
        _ header: Journal.Header, now: Date, time: (Date) -> String = { $0.formatted(.iso8601) }
    ) -> [RunFact] {
        var facts = [
            ("workflow", "\(header.workflow.name) \(header.workflow.version), in \(header.workflow.namespace)"),
            ("state", state.rawValue),
        ]
        if header.mayShowSecrets {
            let words = "may be in clear text: an older version wrote this; 'graphflow rm \(run)' removes it"
            facts.append(("secrets", words))
        }
        if let file = header.file { facts.append(("file", file)) }
        if let graph = header.isSandboxed ? "a sandbox" : header.graphURL { facts.append(("graph", graph)) }
        facts.append(
            ("started", "\(time(header.startedAt)), \(header.startedAt.relative(to: now))"))
        return facts
    }

    /// The facts about a run or a batch as JSON, without its data.
    func facts(_ header: Journal.Header, now: Date) -> Object {
        var object = json(now: now).object ?? [:]
        object["namespace"] = .string(header.workflow.namespace)
        object["version"] = .string(header.workflow.version)
        object["file"] = header.file.map(Value.string)
        object["sandbox"] = .bool(header.isSandboxed)
        object["graphURL"] = header.graphURL.map(Value.string)
        if header.mayShowSecrets { object["mayShowSecrets"] = true }
        return object
    }
}
