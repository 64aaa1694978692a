/// The approved plan of a run as the run's folder keeps it, for resumed runs.
struct KeptPlan: Sendable {
    let approved: ApprovedPlan
    /// What the plan read when the run began; nil for a plan that reads nothing.
    let reads: PlannedReads?

    /// What the encryption of its secrets is bound to.
    private static func place(of run: String) -> String { "\(run)-plan" }

    init(_ approved: ApprovedPlan, reads: PlannedReads?) {
        self.approved = approved
        self.reads = reads
    }

    /// The plan as a blob of a run, whose secrets are sealed.
    func blob(of run: String, _ known: KnownSecrets) throws -> Blob {
        for token in reads?.tokens ?? [] { known.add(token: token) }
        let reads = try reads.map { try known.seal($0.value, inside: Self.place(of: run), of: run) }
        let value = Value.members([("approved", approved.value), ("reads", reads)])
        return Blob(Data(value.canonicalJSON), contentType: "application/json")
    }

    /// Reads the plan of a run; throws ``JournalError`` if it is missing or was changed.
    init(_ hash: String, of run: String, in blobs: BlobStore, _ known: KnownSecrets) throws {
        let value: Value
        do {
            value = try Value(json: try blobs.blob(["blob": .string(hash)]).bytes)
        } catch {
            throw JournalError(
                .damaged, "the approved plan of the run \(run) is missing or was changed: \(error)",
                hint: "approve a new plan, and resume with it: graphflow resume \(run) --plan FILE")
        }
        approved = try ApprovedPlan(value["approved"] ?? .null)
        reads = try value["reads"].flatMap { PlannedReads(try known.open($0, inside: Self.place(of: run), of: run)) }
        guard reads != nil || approved.mode == .dry else {
            throw JournalError(.damaged, "the recorded reads of the approved plan of the run \(run) are missing")
        }
    }
}

extension Journal {
    /// The resumption that gave the run the plan for its rest; nil if it is the plan with which it began.
    private func replanning(after events: [Event]) -> Event.Resumption? {
        for event in events.reversed() where event.run == header.run {
            if case .workflowResumed(let resumption) = event.kind, resumption.plan != nil { return resumption }
        }
        return nil
    }

    /// The approvals of the plan for the rest of the run.
    package func approvals(after events: [Event]) -> [Value] {
        replanning(after: events)?.approvals ?? header.approvals
    }

    /// The hash of the plan for the rest of the run; nil for a run without one.
    func plan(after events: [Event]) -> String? { replanning(after: events)?.plan ?? header.plan }
}
