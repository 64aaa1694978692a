/// Who approved a run and what it did, as files that can be checked without graphflow.
package struct RunEvidence: Sendable {
    /// The approvals in the form of their files, in the order of the journal.
    package let approvals: [Value]
    /// The files of the approved plans that the run followed, one after the other.
    package let plans: [Value]
    package let journal: Data
    package let workflow: Data

    /// The files by their names, with a list of their SHA-256.
    package var files: [(name: String, content: Data)] {
        func file(_ value: Value) -> Data { Data((value.json(pretty: true) + "\n").utf8) }
        var files = [("journal.jsonl", journal), ("workflow", workflow)]
        files += plans.enumerated().map { ($0 == 0 ? "plan.json" : "plan-\($0 + 1).json", file($1)) }
        files += approvals.enumerated().map { ("approval-\($0 + 1).json", file($1)) }
        let sums = files.map { "\(SHA256.hex(of: $0.1))  \($0.0)\n" }.joined()
        return files + [("SHA256SUMS", Data(sums.utf8))]
    }
}

extension RunsFolder {
    /// The evidence of a run.
    /// - Throws: ``JournalError`` if there is no such run, or a part of it cannot be read.
    package func evidence(of run: String) throws -> RunEvidence {
        let place = try folder(of: run)
        let file = try OpenFile(place.journal, for: .reading)
        let journal = Data(try file.read(from: 0, count: try file.size))
        let (header, events) = try Journal.read(run, in: self)
        let hashes =
            [header.plan]
            + events.map { event in
                guard case .workflowResumed(let resumption) = event.kind else { return nil }
                return resumption.plan
            }
        let approvals = (header.approvals + events.flatMap(\.decisions)).filter { $0["idToken"] != nil }
        let blobs = BlobStore(folder: BlobFolder(place.blobs))
        let plans = try hashes.compactMap(\.self).map { hash in
            try Value(json: try blobs.blob(["blob": .string(hash)]).bytes)["approved"] ?? .null
        }
        let names = ["plan", "run", "task", "text", "data", "expires", "note", "idToken", "key"]
        let signed = approvals.map { approval in
            Value.object(Object(names.compactMap { name in approval[name].map { (name, $0) } }))
        }
        return RunEvidence(
            approvals: signed, plans: plans, journal: journal, workflow: try Journal.workflowText(of: run, in: self))
    }

    /// The people in the approvals of a run, by their names and object ids in lower case.
    package func approvers(of run: String) throws -> Set<String> {
        let (header, events) = try Journal.read(run, in: self)
        let values = (header.approvals + events.flatMap(\.decisions)).filter { $0["approved"] == true }
        return Set(values.flatMap { [$0["name"]?.string, $0["by"]?.string].compactMap { $0?.lowercased() } })
    }
}
