extension Journal {
    /// Creates a run's folder with its journal, both or neither.
    /// - Parameters:
    ///   - header: The first line of the journal.
    ///   - text: The bytes of the workflow's file, which are copied to the run's folder.
    ///   - kept: Blobs that the run has from its beginning.
    ///   - runs: The folder of runs, which is created if it does not exist.
    /// - Throws: ``JournalError`` if a run of that name exists or writing fails.
    public static func begin(
        _ header: Header, text: Data, keeping kept: [Blob] = [], in runs: RunsFolder = .standard()
    ) throws(JournalError) -> Journal {
        guard RunsFolder.isName(header.run) else {
            throw JournalError(.refused, "'\(PlainText.exact(header.run, limit: 100))' cannot be the name of a run")
        }
        do throws(SystemError) {
            try runs.folder.makeWithParents()
        } catch {
            throw JournalError(error, "the folder of runs \(runs.folder.path) cannot be used", hint: Self.elsewhere)
        }
        let place = try runs.folder(of: header.run)
        // Created under another name, so an incomplete folder is never visible. The random part separates two processes
        // that begin a run of the same name at the same time.
        let new = ".new-\(header.run)-\(UInt32.random(in: 0...UInt32.max))"
        let made = RunFolder(run: header.run, folder: PrivateFolder(path: runs.folder.path(of: new)))
        do throws(SystemError) {
            try made.folder.make()
        } catch {
            throw JournalError(error, "the folder of the run \(header.run) cannot be created", hint: Self.elsewhere)
        }
        do {
            let lock = try made.takeLock()
            do throws(SystemError) {
                try made.blobs.make()
                let blobs = BlobStore(folder: BlobFolder(made.blobs, named: place.blobs))
                for blob in kept { blobs.keep(blob) }
                let workflow = try OpenFile(made.workflow, for: .making)
                try workflow.write(text)
                try workflow.synchronize()
                let json = JournalBounds.json(of: header.members, inside: nil, blobs)
                if let failure = blobs.failure { throw failure }
                try blobs.synchronize()
                let log = try AppendOnlyLog(creating: RunFolder.journal, in: made.folder, json)
                guard !FileManager.default.fileExists(atPath: place.folder.path) else {
                    throw SystemError(code: EEXIST)
                }
                try made.folder.move(to: place.folder)
                try runs.flush.perform { () throws(SystemError) in try runs.folder.synchronize() }
                blobs.settle()
                return Journal(header, blobs, in: place, sealedBy: runs.keyFile, log, lock)
            } catch {
                lock.release()
                guard error.code != EEXIST, error.code != ENOTEMPTY else {
                    throw JournalError(
                        .held, "the run \(header.run) was begun by another process a moment ago",
                        hint: "repeat the command when that process has ended")
                }
                throw JournalError(
                    error, "the folder of the run \(header.run) cannot be created", hint: Self.elsewhere)
            }
        } catch {
            try? FileManager.default.removeItem(atPath: made.folder.path)
            throw error as? JournalError ?? JournalError(.failed, "\(error)")
        }
    }

    private static let elsewhere =
        "set GRAPHFLOW_HOME to a folder that you may write to, or run with '--no-journal'"

    /// Opens the journal of a run to resume the run.
    /// - Parameters:
    ///   - run: The run's name.
    ///   - runs: The folder of runs.
    /// - Returns: The journal, and the events that it holds.
    /// - Throws: ``JournalError`` if there is no such run, another process is performing it, or its journal is damaged.
    public static func open(
        _ run: String, in runs: RunsFolder = .standard()
    ) throws(JournalError) -> (journal: Journal, events: [Event]) {
        var events: [Event] = []
        let journal = try open(run, in: runs) { events.append($0) }
        return (journal, events)
    }

    /// Opens a journal as ``open(_:in:)`` does, without keeping its events.
    package static func open(
        _ run: String, in runs: RunsFolder, _ take: (Event) -> Void
    ) throws(JournalError) -> Journal { try open(run, in: runs, asIn: nil, take).journal }

    /// Opens a journal that was read before, and reads it only if it has changed since.
    /// - Parameters:
    ///   - known: The journal as it was read.
    ///   - take: Called with each event in order if it is read.
    package static func open(
        _ run: String, in runs: RunsFolder, asIn known: JournalText?, _ take: (Event) -> Void
    ) throws(JournalError) -> (journal: Journal, isAsKnown: Bool) {
        let folder = try runs.folder(of: run)
        try folder.check(in: runs)
        let lock = try folder.takeLock()
        do {
            let blobs = BlobStore(folder: BlobFolder(folder.blobs))
            let (file, text) = try folder.text(for: .appending, blobs, asIn: known) { take($1) }
            // An approval serves one run: a copy of its folder would be a second run of the same name.
            guard text.header.run == run else {
                throw JournalError(.damaged, "the folder of the run \(run) has the journal of another run")
            }
            let log: AppendOnlyLog
            do throws(SystemError) { log = try AppendOnlyLog(file, after: text.end) } catch {
                throw JournalError(error, "the journal of the run \(run) cannot be written")
            }
            let journal = Journal(text.header, blobs, in: folder, sealedBy: runs.keyFile, log, lock)
            return (journal, text.end == known?.end)
        } catch {
            lock.release()
            throw error as? JournalError ?? JournalError(.failed, "\(error)")
        }
    }

    /// Reads the journal of a run without changing it, even while a process is performing the run.
    /// - Throws: ``JournalError`` if there is no such run, or its journal is damaged.
    public static func read(
        _ run: String, in runs: RunsFolder = .standard()
    ) throws(JournalError) -> (header: Header, events: [Event]) {
        var events: [Event] = []
        let header = try read(run, in: runs) { events.append($1) }
        return (header, events)
    }

    /// Reads the journal of a run as ``read(_:in:)`` does, without keeping its events.
    /// - Parameter take: Called with each event in order.
    /// - Returns: The journal's first line.
    package static func read(
        _ run: String, in runs: RunsFolder, _ take: (_ header: Header, _ event: Event) -> Void
    ) throws(JournalError) -> Header { try text(of: run, in: runs, take).header }

    /// The same, for a journal that is opened later.
    package static func text(
        of run: String, in runs: RunsFolder, _ take: (_ header: Header, _ event: Event) -> Void
    ) throws(JournalError) -> JournalText {
        let folder = try runs.folder(of: run)
        try folder.check(in: runs)
        var isCompleted = false
        let text = try folder.text(for: .reading, BlobStore(folder: BlobFolder(folder.blobs))) { header, event in
            if event.run == run, case .workflowCompleted = event.kind { isCompleted = true }
            take(header, event)
        }.text
        if isCompleted { folder.restoreOutput() }
        return text
    }

    /// Reads the copy of the workflow file that a run keeps.
    /// - Throws: ``JournalError`` if there is no such run, or the file cannot be read.
    package static func workflowText(of run: String, in runs: RunsFolder) throws(JournalError) -> Data {
        let folder = try runs.folder(of: run)
        try folder.check(in: runs)
        return try folder.workflowText
    }
}

extension RunFolder {
    /// Fails if there is no such run, or its folder is not as it was created.
    func check(in runs: RunsFolder) throws(JournalError) {
        for folder in [runs.folder, folder] {
            do throws(SystemError) {
                try folder.check()
            } catch {
                guard !error.isMissing else { throw RunsFolder.noRun(run) }
                throw JournalError(error, "the folder \(folder.path) cannot be used")
            }
        }
    }

    var workflowText: Data {
        get throws(JournalError) {
            do throws(SystemError) {
                let file = try OpenFile(workflow, for: .reading)
                return Data(try file.read(from: 0, count: try file.size))
            } catch {
                throw JournalError(error, "the workflow file of the run \(run) cannot be read")
            }
        }
    }

    func text(
        for use: OpenFile.Use, _ blobs: BlobStore, asIn known: JournalText? = nil,
        _ take: (Journal.Header, Event) -> Void
    ) throws(JournalError) -> (file: OpenFile, text: JournalText) {
        let (file, size, source) = try OpenFile.log(journal, for: use) { [run] error in
            error.isMissing
                ? RunsFolder.noRun(run) : JournalError(error, "the journal of the run \(run) cannot be read")
        }
        if let known, known.end.size == size { return (file, known) }
        return (file, try JournalText(size: size, blobs, from: source, take))
    }
}
