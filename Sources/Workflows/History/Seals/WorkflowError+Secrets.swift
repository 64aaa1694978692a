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

extension SecretSearch {
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
