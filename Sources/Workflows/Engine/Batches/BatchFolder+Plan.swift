extension BatchFolder {
    /// Keeps the approved plan that the batch follows, and returns its hash for the ledger.
    package func keep(_ approved: ApprovedBatch) throws(SystemError) -> String {
        let data = approved.value.jsonData()
        try PrivateFile(path: plan).write(data)
        return Journal.Header.digest(of: data)
    }

    /// The approved plan that the batch began with; nil if it began without one.
    /// - Throws: ``JournalError`` if the plan is missing or was changed.
    package func approved(by header: BatchLedger.Header) throws(JournalError) -> ApprovedBatch? {
        guard let digest = header.plan else { return nil }
        let kept: Data?
        // Any size is valid: the hash detects a changed file.
        do throws(SystemError) { kept = try PrivateFile(path: plan).read(limit: .max - 1) } catch {
            throw JournalError(error, "the approved plan of the batch \(batch) cannot be read")
        }
        guard let data = kept, Journal.Header.digest(of: data) == digest, let value = try? Value(json: data),
            let approved = try? ApprovedBatch(value)
        else {
            throw JournalError(
                .damaged, "the approved plan of the batch \(batch) is missing or was changed",
                hint: "the batch can only continue with it: restore \(plan)")
        }
        return approved
    }
}
