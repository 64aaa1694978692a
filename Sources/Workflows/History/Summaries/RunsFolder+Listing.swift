extension RunsFolder {
    /// How many journals are read concurrently before the limit is checked.
    private static let groupSize = 64

    /// The names of all runs, newest first; empty if the folder does not exist.
    /// - Throws: ``JournalError`` if the folder cannot be read.
    public var names: [String] {
        get throws(JournalError) {
            do throws(SystemError) {
                try folder.check()
                return try folder.names().filter(Self.isName).sorted(by: >)
            } catch {
                guard !error.isMissing else { return [] }
                throw JournalError(error, "the folder of runs \(folder.path) cannot be used")
            }
        }
    }

    package func header(of run: String) throws -> Journal.Header {
        let file = try OpenFile(try folder(of: run).journal, for: .reading)
        return try RunFolder.header(file, file.size)
    }

    /// Summarizes a run.
    public func summary(of run: String) throws(JournalError) -> RunSummary { try folder(of: run).summary() }

    /// Summarizes runs, newest first; only the beginning and the end of each journal are read.
    /// - Parameters:
    ///   - limit: The maximum number of summaries; nil for all.
    ///   - isWanted: Whether to include a run.
    /// - Throws: ``JournalError`` if the folder cannot be read.
    public func summaries(
        limit: Int? = nil, where isWanted: (RunSummary) -> Bool = { _ in true }
    ) throws(JournalError) -> [RunSummary] {
        var wanted: [RunSummary] = []
        var rest = try names[...]
        while !rest.isEmpty, wanted.count < limit ?? .max {
            let group = rest.prefix(max(Self.groupSize, min(limit ?? .max, 4_096)))
            rest = rest.dropFirst(group.count)
            wanted += Self.summaries(of: Array(group), in: folder).filter(isWanted)
        }
        return Array(wanted.prefix(limit ?? .max))
    }

    static func summaries(of names: [String], in folder: PrivateFolder) -> [RunSummary] {
        let found = Locked([RunSummary?](repeating: nil, count: names.count))
        DispatchQueue.concurrentPerform(iterations: names.count) { index in
            let run = RunFolder(run: names[index], folder: PrivateFolder(path: folder.path(of: names[index])))
            let summary = run.summary()
            found.withLock { $0[index] = summary }
        }
        return found.withLock { $0 }.compactMap(\.self)
    }

    package static func noLast(isEmpty: Bool) -> JournalError {
        JournalError(
            .notFound, isEmpty ? "there are no runs yet" : "there is no run that can be resumed",
            hint: isEmpty ? "'graphflow run FILE' starts one" : "'graphflow runs' lists all runs")
    }

    /// The run whose name begins with a prefix, in upper or lower case.
    /// - Throws: ``JournalError`` if there is none or more than one.
    public func run(beginningWith prefix: String) throws(JournalError) -> String {
        let names = try names
        if names.contains(prefix) { return prefix }
        let found = Self.names(names, beginningWith: prefix)
        guard let run = found.first else { throw Self.noRun(prefix) }
        guard found.count == 1 else { throw Self.ambiguous(prefix, found) }
        return run
    }

    /// The names that begin with a prefix, in upper or lower case.
    package static func names(_ names: [String], beginningWith prefix: String) -> [String] {
        names.filter { !prefix.isEmpty && $0.uppercased().hasPrefix(prefix.uppercased()) }
    }

    /// The error of a prefix with several matches.
    /// - Parameter kind: The kind of the named things, in the plural.
    package static func ambiguous(_ prefix: String, _ found: [String], of kind: String = "runs") -> JournalError {
        let some = found.prefix(3).joined(separator: ", ")
        return JournalError(
            .ambiguous, "\(found.count) \(kind) begin with '\(PlainText.exact(prefix, limit: 100))'",
            hint: "write more of the name: \(some)\(found.count > 3 ? ", …" : "")")
    }
}
