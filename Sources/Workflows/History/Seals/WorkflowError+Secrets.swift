extension WorkflowError {
    var hasKnownType: Bool { Kind.allCases.contains { $0.type == type } }

    /// The error, with the sent secret texts marked in its words.
    ///
    /// Errors quote addresses and answers. Only here are the texts known that an expression derived from a secret.
    package func marking(_ sent: Value) -> WorkflowError {
        guard sent.holdsSecret else { return self }
        var search = SecretSearch()
        search.add(sent: sent)
        var error = self
        for name in ["title", "detail"] {
            guard let text = members[name]?.string, let parts = search.parts(of: text) else { continue }
            error.members[name] = .text(parts)
        }
        return error
    }
}

extension GraphEvent {
    /// The event, with the sent secret texts marked in its effect, as an expression derived them.
    package func marking(_ sent: Value) -> GraphEvent {
        guard sent.holdsSecret, case .effect(let effect, let state) = kind else { return self }
        var search = SecretSearch()
        search.add(sent: sent)
        var event = self
        var marked = effect.described(as: effect.summary).mapping(search.marking)
        // A secret that the service has written in another form is not found in what it stored.
        let properties = marked.objectChange?.properties
        marked.objectChange?.properties = properties?.mapValues { change in
            change.object.map { .object($0.filter { $0.key != "others" }) } ?? change
        }
        event.kind = .effect(marked, state)
        return event
    }
}

extension SecretSearch {
    /// The data, with the texts, numbers and names that are found in it marked.
    fileprivate func marking(_ data: Value) -> Value {
        switch data {
        case .null, .bool, .marked: data
        case .integer, .double: parts(of: data.json()).map { .secret(data, of: $0.secretNames) } ?? data
        case .string(let text): parts(of: text).map { .text($0) } ?? data
        case .array(let elements): .array(elements.map(marking))
        case .object(let members):
            .object(Object(members.map { (parts(of: $0).map { Value.drawn($0) } ?? $0, marking($1)) }))
        }
    }

    mutating func add(sent: Value) {
        guard sent.holdsSecret else { return }
        for secret in sent.secrets { add(secret.value.string ?? secret.value.json(), of: secret.names) }
        // Short parts of a text are found where they are together.
        for (text, names) in sent.adjacentSecrets { add(text, of: names) }
    }
}

extension Value {
    /// The secrets that follow each other in a text, as one text.
    fileprivate var adjacentSecrets: [(text: String, names: [String])] {
        var all: [(String, [String])] = []
        _ = mapMarks { marked in
            let secrets = marked.parts.split { part in if case .secret = part { false } else { true } }
            for parts in secrets where parts.count > 1 {
                let text = Value.text(parts).revealed.string ?? ""
                all.append((text, Array(Set(parts.flatMap { Value.text([$0]).secret?.names ?? [] })).sorted()))
            }
            return .marked(marked)
        }
        return all
    }
}

extension WorkflowError {
    package init(missing name: String, in task: JSONPointer?) {
        self.init(
            .authorization,
            detail: "there is no secret '\(name)': set \(SecretStore.variable(for: name)), or give a file of secrets",
            instance: task)
    }
}
