/// Which approvals have served a run, so that none serves a second one.
package struct UsedApprovals: Sendable {
    private let folder: PrivateFolder
    /// How long another process may take to begin its run, in seconds.
    private static let patience = 30.0

    /// The approvals that runs of this user have used, in `GRAPHFLOW_HOME`.
    package init(environment: [String: String]) {
        folder = PrivateFolder(
            path: GraphflowHome.folder(environment).appending(path: "approvals").path(percentEncoded: false))
    }

    /// Reserves approvals for a run that is about to begin.
    /// - Parameters:
    ///   - uses: What identifies the approvals, as ``CheckedApproval/use``.
    ///   - run: The run's name.
    ///   - exists: Whether a run of that name exists.
    /// - Returns: What must be completed before the run has an effect.
    /// - Throws: ``ApprovalRefusal`` if one of them was used, or if that cannot be known.
    package func reserve(
        _ uses: [String], for run: String, exists: (String) -> Bool
    ) throws(ApprovalRefusal) -> Reservation {
        do {
            try folder.makeWithParents()
            let lock = try FileLock(folder.path(of: "lock"), patience: Self.patience)
            do {
                for use in uses {
                    guard let former = try read(use), former.run != run else { continue }
                    // A process that was killed before its run existed had used it for nothing.
                    guard !former.hasBegun, !exists(former.run) else {
                        throw ApprovalRefusal("it was used by the run \(former.run)", hint: "approve again")
                    }
                }
                for use in uses { try write(use, run, hasBegun: false) }
                return Reservation(used: self, uses: uses, run: run, lock: lock)
            } catch {
                lock.release()
                throw error
            }
        } catch let error as ApprovalRefusal {
            throw error
        } catch {
            throw ApprovalRefusal("it cannot be recorded as used in \(folder.path): \(error)")
        }
    }

    /// Records that a run which exists has used approvals.
    package func complete(_ uses: [String], _ run: String) throws(ApprovalRefusal) {
        guard !uses.isEmpty else { return }
        try reserve(uses, for: run) { _ in true }.complete()
    }

    /// Approvals of a run that is about to begin; until it is completed or given up, no other run begins with one.
    package struct Reservation: Sendable {
        fileprivate let used: UsedApprovals
        fileprivate let uses: [String]
        fileprivate let run: String
        fileprivate let lock: FileLock

        /// Records that the run exists.
        package func complete() throws(ApprovalRefusal) {
            defer { lock.release() }
            do throws(SystemError) {
                for use in uses { try used.write(use, run, hasBegun: true) }
            } catch {
                throw ApprovalRefusal("it cannot be recorded as used in \(used.folder.path): \(error)")
            }
        }

        /// Gives the approvals back, because the run could not begin.
        package func giveUp() { lock.release() }
    }

    private func read(_ use: String) throws -> (run: String, hasBegun: Bool)? {
        let file: OpenFile
        do throws(SystemError) {
            file = try OpenFile(folder.path(of: use), for: .reading)
        } catch {
            guard error.isMissing else { throw error }
            return nil
        }
        // What cannot be read counts as used.
        let value = try Value(json: Data(try file.read(from: 0, count: try file.size)))
        return (value["run"]?.string ?? "", value["begun"] != false)
    }

    fileprivate func write(_ use: String, _ run: String, hasBegun: Bool) throws(SystemError) {
        let value: Value = ["run": .string(run), "begun": .bool(hasBegun)]
        try folder.replace(use) { file throws(SystemError) in try file.write(Array(value.jsonData())) }
        try folder.synchronize()
    }
}
