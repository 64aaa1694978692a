extension Event {
    /// The names of the members of an event's data that can have secrets in them.
    private static let content: Set<String> = [
        "input", "output", "context", "error", "value", "data", "event", "text", "result", "correlationKeys", "reason",
        "messageId", "internetMessageId",
    ]

    /// What the encryption of its secrets is bound to.
    private var place: String { "\(run)-\(number)" }

    /// The event with drawings instead of secrets, which are sealed.
    func sealed(by keys: SealKeys, _ search: SecretSearch) throws -> Event {
        let isKnownError = record["data"]?["error"]?.object.map { WorkflowError($0).hasKnownType } ?? false
        var concealment = Concealment(
            search, isForPeople: false, keeping: isKnownError ? [JSONPointer(["error", "type"])] : [])
        var data = record["data"]?.object ?? [:]
        // The drawings of different data can be the same.
        if case .workflowStarted(_, let context) = kind { data["context"] = context }
        for (name, member) in data where Self.content.contains(name) {
            data[name] = concealment.conceal(member, at: JSONPointer([name]))
        }
        guard !concealment.hasLost else {
            throw JournalError(.failed, "a secret is nested too deeply to be kept in the journal of the run \(run)")
        }
        var sealed = concealment.findings.isEmpty ? self : try replacing(data)
        // The first event of a run says that the others can have drawings.
        if case .workflowStarted = kind { sealed.seals = [] }
        guard !concealment.findings.isEmpty else { return sealed }
        sealed.seals = try concealment.findings.map { try keys.seal($0, inside: place, of: run) }
        return sealed
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
        for (name, member) in data where Self.content.contains(name) {
            data[name] = tree[name].shown(member)
        }
        var shown = (try? replacing(data)) ?? self
        shown.seals = nil
        return shown
    }

    private func replacing(_ data: Object) throws -> Event {
        var record = record.object ?? [:]
        record["data"] = .object(data)
        var event = try Event(record: .object(record), workflow: workflow, isChecked: false)
        event.seals = seals
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
