/// A file of JSON lines that only grows: the journal of a run, the ledger of a batch, a segment of an inbox.
///
/// Each line has its number and a checksum that also covers the line before it. ``LogReader`` finds the end of the
/// valid lines. The rest, left by a killed process or a power failure, is cut off before the next line is written. One
/// process at a time writes: the owner of the log holds a lock.
struct AppendOnlyLog: Sendable {
    /// The end of the valid lines.
    struct End: Sendable, Hashable {
        /// The size of the lines in bytes.
        var size = 0
        var lineCount = 0
        var checksum = ""
    }

    /// The file, for threads that wait for the disk while others append.
    let file: OpenFile
    private(set) var end: End
    /// Why nothing more can be written: the file's content is unknown.
    private(set) var failure: SystemError?

    /// Continues a log that was read, and cuts off what follows its end.
    init(_ file: OpenFile, after end: End) throws(SystemError) {
        (self.file, self.end) = (file, end)
        guard try file.size > end.size else { return }
        try file.truncate(to: end.size)
        try file.synchronize()
    }

    /// Creates a log with its first line, safe from a power failure; a killed process leaves no part of it.
    init(creating name: String, in folder: PrivateFolder, _ first: some Sequence<UInt8>) throws(SystemError) {
        var (bytes, end) = ([UInt8](), End())
        end.append(Array(first), to: &bytes)
        try folder.replace(name) { [bytes] file throws(SystemError) in try file.write(bytes) }
        try folder.synchronize()
        (file, self.end) = (try OpenFile(folder.path(of: name), for: .appending), end)
    }

    /// Appends lines given as JSON, all or none; a power failure may lose them until ``synchronize()``.
    mutating func append(_ lines: [[UInt8]]) throws(SystemError) {
        if let failure { throw failure }
        var (bytes, next) = ([UInt8](), end)
        for line in lines {
            // It could not be read back.
            guard JournalLine.size(of: line, number: next.lineCount + 1) <= JournalLine.largest else {
                throw SystemError("a line is too large")
            }
            next.append(line, to: &bytes)
        }
        do throws(SystemError) { try file.write(bytes) } catch {
            // A partially written line must not precede the next one.
            do throws(SystemError) { try file.truncate(to: end.size) } catch { failure = error }
            throw error
        }
        end = next
    }

    mutating func synchronize() throws(SystemError) {
        if let failure { throw failure }
        do throws(SystemError) { try file.synchronize() } catch {
            failure = error
            throw error
        }
    }
}

extension AppendOnlyLog.End {
    fileprivate mutating func append(_ line: [UInt8], to bytes: inout [UInt8]) {
        let start = bytes.count
        lineCount += 1
        checksum = JournalLine.append(line, to: &bytes, number: lineCount, after: checksum)
        size += bytes.count - start
    }
}
