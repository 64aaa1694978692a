extension Event {
    /// The members of an event's data that are not searched for secrets, because the event cannot be read without them.
    ///
    /// They are words of the workflow's file or of this program, numbers and hashes.
    private static let structure: Set<String> = [
        "name", "workflow", "task", "occurrence", "definition", "outputUri", "then", "what", "state", "attempt",
        "delay", "round", "count", "position", "isLast", "bytes", "total", "digest", "plan", "anew", "from",
    ]
    private static let structureOfEffect: Set<String> = ["kind", "task", "rounds", "count", "undo", "identity"]

    /// What the encryption of its secrets is bound to.
    private var place: String { id }

    /// The event with drawings instead of secrets.
    /// - Parameter concealment: What draws them, and collects where they were.
    private func drawn(by concealment: inout Concealment) throws -> Event {
        var data = record["data"]?.object ?? [:]
        // The drawings of different data can be the same.
        if case .workflowStarted(_, let context) = kind { data["context"] = context }
        if let error = data["error"]?.object.map({ WorkflowError($0) }), error.hasKnownType {
            concealment.kept = [JSONPointer(["error", "type"])]
        }
        var drawn = data
        for (name, member) in data { drawn[name] = self.drawn(member, at: JSONPointer([name]), by: &concealment) }
        // The cause of an error can show a secret.
        let isAsBefore = concealment.findings.isEmpty && data["error"] == nil && drawn == data
        return isAsBefore ? self : try replacing(drawn)
    }

    private func drawn(_ value: Value, at pointer: JSONPointer, by concealment: inout Concealment) -> Value {
        guard !isStructure(pointer, value) else { return value }
        let tokens = pointer.tokens
        // The names in them are known.
        if tokens == ["effect"] || tokens.first == "approvals" && tokens.count < 3 {
            if case .object(let members) = value {
                return .object(
                    Object(members.map { ($0, drawn($1, at: pointer.appending($0), by: &concealment)) }))
            }
            if case .array(let elements) = value {
                return .array(
                    elements.enumerated().map { drawn($1, at: pointer.appending($0), by: &concealment) })
            }
        }
        return concealment.conceal(value, at: pointer)
    }

    private func isStructure(_ pointer: JSONPointer, _ value: Value) -> Bool {
        let tokens = pointer.tokens
        return switch (tokens[0], tokens.count) {
        case ("effect", 1): value.string != nil
        case ("effect", 2): Self.structureOfEffect.contains(tokens[1])
        // An approval is a signed statement about people, of which only the note is any text.
        case ("approvals", 3): tokens[2] != "note"
        case (let name, 1): Self.structure.contains(name) || name == words.moment
        default: false
        }
    }

    /// The event with drawings instead of secrets, which are sealed.
    func sealed(by keys: SealKeys, _ search: SecretSearch) throws -> Event {
        var concealment = Concealment(search, isForPeople: false)
        var sealed = try drawn(by: &concealment)
        guard !concealment.hasLost else {
            throw JournalError(.failed, "a secret is nested too deeply to be kept in the journal of the run \(run)")
        }
        // The first event of a run says that the others can have drawings.
        if case .workflowStarted = kind { sealed.seals = [] }
        guard !concealment.findings.isEmpty else { return sealed }
        sealed.seals = try concealment.findings.map { try keys.seal($0, inside: place, of: run) }
        return sealed
    }

    /// The event as people see it, without its secrets.
    func shown(_ search: SecretSearch) throws -> Event {
        var concealment = Concealment(search, isForPeople: true)
        return try drawn(by: &concealment)
    }

    /// The event with its secrets, each decrypted by `open`.
    func opened(_ open: (_ seal: Seal, _ place: String) throws -> Value) throws -> Event {
        guard let seals, !seals.isEmpty else { return self }
        let tree = SealTree(seals)
        var opened = try replacing(
            try tree.open(.object(record["data"]?.object ?? [:])) { try open($0, place) }.object ?? [:])
        opened.seals = nil
        return opened
    }

    /// The event as people see it, without its secrets.
    package var shown: Event {
        guard let seals else { return self }
        let tree = SealTree(seals)
        var data = record["data"]?.object ?? [:]
        for (name, member) in data where !isStructure(JSONPointer([name]), member) {
            data[name] = tree[name].shown(member)
        }
        var shown = isUndone && seals.isEmpty ? self : (try? replacing(data)) ?? self
        shown.seals = nil
        return shown
    }

    /// Whether another run has taken an effect back: it recorded the effect as it read it, with drawings.
    private var isUndone: Bool {
        if case .request(_, let request) = kind, case .effect(_, .undone) = request.kind { true } else { false }
    }

    /// Whether a secret is in what the undo of an effect would need: its account then leads nowhere.
    var hidesObject: Bool {
        guard case .request(_, let request) = kind, case .effect(let effect, _) = request.kind else { return false }
        let names = ["object", "properties"] + (effect.kind == .folder ? ["path"] : [])
        return (seals ?? []).contains { $0.pointer.tokens.dropFirst().first.map(names.contains) ?? false }
    }

    private func replacing(_ data: Object) throws -> Event {
        var record = record.object ?? [:]
        record["data"] = .object(data)
        var event = self
        event.kind = try Event(record: .object(record), workflow: workflow, isChecked: false).kind
        return event
    }
}

extension [Event] {
    package var shown: [Event] {
        // If no event has drawings, no text can be confused with one.
        guard contains(where: { $0.seals != nil }) else { return self }
        return map { event in
            var event = event
            event.seals = event.seals ?? []
            return event.shown
        }
    }
}
