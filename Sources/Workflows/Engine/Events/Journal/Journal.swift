public import Foundation
import Promises

/// What happened in a run, on disk: one event a line, so that the run can be resumed and shown.
///
/// A journal is one file in the folder of its run, which is locked as long as somebody writes to it. A line is there as
/// a whole or not at all: one that was being written when its process ended is dropped by whoever opens the journal next.
public final class Journal: Sendable {
    /// How far the journal is written.
    struct State {
        var lineCount: Int
        var checksum: String
        /// Whether lines were written that a loss of power might take.
        var isUnsafe = false
        /// Why nothing more can be written.
        var failure: JournalError?
    }

    /// What the journal says of its run.
    public let header: Header
    /// The bytes of the run, which lie in its folder.
    public let blobs: BlobStore
    private let folder: RunFolder
    private let file: OpenFile
    private let lock: FileLock
    private let state: Locked<State>

    init(
        _ header: Header, _ blobs: BlobStore, in folder: RunFolder, _ file: OpenFile, _ lock: FileLock, _ state: State
    ) {
        self.header = header
        self.blobs = blobs
        self.folder = folder
        self.file = file
        self.lock = lock
        self.state = Locked(state)
    }

    deinit { lock.release() }

    /// The workflow file as it was run.
    public var workflowText: Data {
        get throws(JournalError) {
            do throws(SystemError) {
                let file = try OpenFile(folder.workflow, for: .reading)
                return Data(try file.read(from: 0, count: try file.size))
            } catch {
                throw JournalError(error, "the workflow file of the run \(header.run) cannot be read")
            }
        }
    }

    /// Writes an event behind the others; it may be lost with the power until ``flush()``.
    ///
    /// - Throws: ``JournalError`` where the system does not write; nothing more can be written then.
    public func append(_ event: Event) throws(JournalError) {
        guard let members = event.record.object else { return }
        let json = JournalBounds.json(of: members, inside: "data", blobs)
        try write { (state) throws(SystemError) in
            if let failure = self.blobs.failure { throw failure }
            let (line, checksum) = JournalLine.encode(json, number: state.lineCount + 1, after: state.checksum)
            guard line.count <= JournalLine.largest else { throw SystemError("an event is too large") }
            state.isUnsafe = true
            try self.file.write(line)
            state.lineCount += 1
            state.checksum = checksum
        }
    }

    /// Waits until what was written is safe from a loss of power; does nothing where it is.
    ///
    /// - Returns: Whether there was anything to wait for.
    /// - Throws: ``JournalError`` where the system does not write; nothing more can be written then.
    @discardableResult public func flush() throws(JournalError) -> Bool {
        try write { (state) throws(SystemError) in
            guard state.isUnsafe else { return false }
            // What a line names must be there when the line is.
            try self.blobs.synchronize()
            try self.file.synchronize()
            state.isUnsafe = false
            return true
        }
    }

    /// Keeps the run's output as `output.json`, all at once.
    ///
    /// - Throws: ``JournalError`` where the system does not write.
    public func finish(output: Value) throws(JournalError) {
        var json = output.jsonData(pretty: true)
        json.append(UInt8(ascii: "\n"))
        do throws(SystemError) {
            try PrivateFile(path: folder.output).write(json)
        } catch {
            throw JournalError(.failed, "the output of the run \(header.run) cannot be kept: \(error)")
        }
    }

    /// Does what writes, one at a time; the lock is held meanwhile, because lines have an order.
    private func write<Result: Sendable>(
        _ body: (inout State) throws(SystemError) -> Result
    ) throws(JournalError) -> Result {
        try state.withLock { state throws(JournalError) -> Result in
            if let failure = state.failure { throw failure }
            do throws(SystemError) {
                return try body(&state)
            } catch {
                let failure = JournalError(
                    error, "the journal of the run \(header.run) cannot be written",
                    hint: "what is in it is whole: when there is room again, 'graphflow resume \(header.run)' goes on")
                state.failure = failure
                throw failure
            }
        }
    }
}
