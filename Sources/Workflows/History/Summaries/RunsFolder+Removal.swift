extension RunsFolder {
    /// Removes a run and all its files.
    /// - Throws: ``JournalError`` if there is no such run, or a process is performing it.
    public func remove(_ run: String) throws(JournalError) {
        let place = try folder(of: run)
        try place.check(in: self)
        // A brief lock writes nothing: writing and freeing a disk block takes longer than all the rest.
        let lock = try place.takeLock(isBrief: true)
        defer { lock.release() }
        // Moved to another name first, so an incomplete run is never visible.
        let hidden = PrivateFolder(path: folder.path(of: ".removed-\(run)-\(UInt32.random(in: 0...UInt32.max))"))
        do throws(SystemError) {
            try place.folder.move(to: hidden)
        } catch {
            throw JournalError(error, "the run \(run) cannot be removed")
        }
        do {
            try FileManager.default.removeItem(atPath: hidden.path)
        } catch {
            throw JournalError(.failed, "the run \(run) cannot be removed completely: \(SystemError(error))")
        }
    }

    /// Removes all but the newest of the runs that have ended.
    ///
    /// Runs that are active, resumable or damaged are kept and not counted.
    /// - Parameter count: How many ended runs to keep.
    /// - Returns: The names of the removed runs.
    @discardableResult public func prune(keeping count: Int) throws(JournalError) -> [String] {
        var over: Set<String> = []
        return try prune(keeping: count, over: &over)
    }

    /// Removes all but the newest ended runs, for a program that starts many.
    /// - Parameters:
    ///   - count: How many ended runs to keep.
    ///   - over: The runs that are known to have ended; their journals are not read again.
    ///   - prepare: Called before runs are removed; if it returns false, they are kept for now.
    @discardableResult package func prune(
        keeping count: Int, over: inout Set<String>, after prepare: () -> Bool = { true }
    ) throws(JournalError) -> [String] {
        sweep()
        let names = try names
        // Usually there are so few that no journal needs to be read.
        guard names.count > max(0, count) else { return [] }
        let others = names.filter { !over.contains($0) }
        for summary in Self.summaries(of: others, in: folder) where summary.isOver { over.insert(summary.run) }
        let ended = names.filter(over.contains)
        let surplus = ended.dropFirst(max(0, count))
        let removed = surplus.isEmpty || !prepare() ? [] : remove(surplus)
        over = Set(ended).subtracting(removed)
        return removed
    }

    /// Removes runs that ended before a moment.
    /// - Returns: The names of the removed runs.
    @discardableResult public func prune(endedBefore moment: Date) throws(JournalError) -> [String] {
        sweep()
        return remove(try summaries { $0.isOver && $0.endedAt ?? .distantFuture < moment }.map(\.run)[...])
    }

    /// Removes runs concurrently, because each has to wait for the disk.
    ///
    /// Runs that cannot be removed are skipped: another process may be removing them too.
    private func remove(_ runs: ArraySlice<String>) -> [String] {
        let names = Array(runs)
        let removed = Locked<Set<String>>([])
        DispatchQueue.concurrentPerform(iterations: names.count) { index in
            guard (try? remove(names[index])) != nil else { return }
            removed.withLock { _ = $0.insert(names[index]) }
        }
        return removed.withLock { removed in names.filter(removed.contains) }
    }

    /// Removes the folders of processes that ended while creating or removing a run, an hour ago or more, and what runs
    /// no longer keep for an undo.
    private func sweep() {
        let names = (try? folder.names()) ?? []
        BeforeImages.removeExpired(of: names, in: folder, at: Date())
        for name in names where name.hasPrefix(".new-") || name.hasPrefix(".removed-") {
            let path = folder.path(of: name)
            let changed = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
            guard let changed, changed.timeIntervalSinceNow < -3_600, !FileLock.isHeld("\(path)/lock") else { continue }
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    /// Removes a folder without a ledger, which a process left before it began the batch.
    /// - Throws: ``JournalError`` if a process works on the batch.
    package func removeUnbegun(_ name: String) throws(JournalError) {
        let batch = try batch(name)
        guard (try? batch.check()) != nil, !FileManager.default.fileExists(atPath: batch.ledger) else { return }
        do throws(JournalError) { try remove(name) } catch {
            // Another process may have removed it as well.
            guard error.code != .notFound else { return }
            throw error.naming(batch: name)
        }
    }
}
