import Dispatch
import Foundation
import Promises

extension RunsFolder {
    /// How many journals are looked at side by side before it is asked whether there are enough.
    private static let groupSize = 64

    /// The names of all runs, the newest first.
    ///
    /// - Throws: ``JournalError`` where the folder cannot be read; one that is not there has no runs.
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

    /// What there is to say about a run.
    public func summary(of run: String) throws(JournalError) -> RunSummary { try folder(of: run).summary() }

    /// What there is to say about runs, the newest first.
    ///
    /// Of each journal only the beginning and the end are read.
    /// - Parameters:
    ///   - limit: How many are wanted at most; nil for all.
    ///   - isWanted: Whether a run is one of them.
    /// - Throws: ``JournalError`` where the folder cannot be read.
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

    private static func summaries(of names: [String], in folder: PrivateFolder) -> [RunSummary] {
        let found = Locked([RunSummary?](repeating: nil, count: names.count))
        DispatchQueue.concurrentPerform(iterations: names.count) { index in
            let run = RunFolder(run: names[index], folder: PrivateFolder(path: folder.path(of: names[index])))
            let summary = run.summary()
            found.withLock { $0[index] = summary }
        }
        return found.withLock { $0 }.compactMap(\.self)
    }

    /// The run whose name begins like that, in capital or small letters.
    ///
    /// - Throws: ``JournalError`` where there is none, or more than one.
    public func run(beginningWith prefix: String) throws(JournalError) -> String {
        let names = try names
        if names.contains(prefix) { return prefix }
        let found = names.filter { !prefix.isEmpty && $0.uppercased().hasPrefix(prefix.uppercased()) }
        guard let run = found.first else { throw Self.noRun(prefix) }
        guard found.count == 1 else {
            let some = found.prefix(3).joined(separator: ", ")
            throw JournalError(
                .ambiguous, "\(found.count) runs begin with '\(PlainText.line(prefix, limit: 100))'",
                hint: "write more of the name: \(some)\(found.count > 3 ? ", …" : "")")
        }
        return run
    }
}
