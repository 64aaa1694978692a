/// The record of a batch in one file, also a copied one: a ledger, or the lines that the batch printed.
///
/// Unlike the folder of a batch, the file may belong to others and be readable by all.
package struct BatchRecord: Sendable {
    /// The batch that the items belong to.
    package struct Head: Sendable, Hashable {
        /// The batch's name in its folder, such as `newsletter-2-of-8`.
        package var batch: String
        /// The name that all shards share.
        package var name: String
        /// The number of the shard, from 1, and of all shards; nil if the batch is not divided.
        package var shard: [Int]?
    }

    package let path: String

    package init(path: String) { self.path = path }

    /// Reads the items, in the order in which they ended.
    ///
    /// A ledger has the items of one batch. Results can be those of several batches in one file: each line names its
    /// run.
    /// - Parameters:
    ///   - begin: Called with the first line of a ledger; its items are left out if it returns false.
    ///   - take: Called with each line about an item, its batch, and the line's number.
    ///   - drop: Called with an item that is no longer in the batch.
    /// - Returns: The number of all items; nil if the file does not say.
    /// - Throws: ``JournalError`` if it is neither a ledger nor the lines of a batch, or it is damaged.
    package func read(
        begin: (Head) -> Bool, _ take: (_ entry: BatchEntry, _ head: Head, _ number: Int) -> Void,
        drop: (_ item: String) -> Void
    ) throws(JournalError) -> Int? {
        var total: Int?
        var ledger: (head: Head, checksum: String)?
        // The lines of a batch are mostly together.
        var last: Head?
        try eachLine { line, number throws(JournalError) in
            if number == 1, let header = try Self.header(line) {
                ledger = (Head(header), "")
                guard begin(Head(header)) else { return false }
                total = header.total
            }
            guard let (head, previous) = ledger else {
                let entry = try Self.result(line, number)
                let own = last.flatMap { $0.batch == entry.batch ? $0 : nil } ?? Head(batch: String(entry.batch))
                last = own
                take(entry, own, number)
                return true
            }
            let (members, next) = try JournalLine.decode(line, number: number, after: previous, of: "ledger")
            ledger = (head, next)
            guard number > 1 else { return true }
            switch try BatchLedger.Line(members, number: number) {
            case .entry(let entry): take(entry, head, number)
            case .resumed(let resumption):
                total = resumption.total
                for item in resumption.dropped { drop(item) }
            }
            return true
        }
        return total
    }

    /// The first line of a ledger; nil if it is the line of a result.
    private static func header(_ line: Data) throws(JournalError) -> BatchLedger.Header? {
        guard let first = try? Value(json: line), first["format"] != nil else { return nil }
        try BatchLedger.Header.checkVersion(first)
        return try BatchLedger.Header(first.object ?? [:])
    }

    private static func result(_ line: Data, _ number: Int) throws(JournalError) -> BatchEntry {
        guard let entry = (try? Value(json: line)).flatMap(BatchEntry.init(result:)) else {
            throw JournalError(.damaged, "line \(number) is not the result of an item", line: number)
        }
        return entry
    }

    /// Calls the closure with each complete line until it returns false; the last line may be cut off.
    private func eachLine(_ take: (Data, Int) throws(JournalError) -> Bool) throws(JournalError) {
        let (descriptor, size): (Int32, Int)
        do throws(SystemError) {
            // A pipe would wait for its writer.
            guard let bytes = try SystemCall.sizeOfFile(path) else { throw SystemError("it is not a regular file") }
            (descriptor, size) = (try SystemCall.open(reading: path), bytes)
        } catch {
            throw JournalError(error, "\(PlainText.exact(path, limit: 500)) cannot be read")
        }
        defer { SystemCall.close(descriptor) }
        var lines = JournalLines(size: size)
        var number = 1
        do throws(JournalError) {
            while let line = try lines.next(
                number: number, of: "ledger",
                from: { offset, count throws(JournalError) in
                    try Self.read(descriptor, from: offset, count: count, path)
                })
            {
                guard try take(line, number) else { return }
                number += 1
            }
        } catch {
            throw JournalError(
                error.code, "\(PlainText.exact(path, limit: 500)): \(error.message)", line: error.line)
        }
    }

    private static func read(
        _ descriptor: Int32, from offset: Int, count: Int, _ path: String
    ) throws(JournalError) -> [UInt8] {
        var bytes = Data(count: count)
        do throws(SystemError) {
            let size = try SystemCall.read(descriptor, at: offset, into: &bytes)
            return Array(bytes.prefix(size))
        } catch {
            throw JournalError(error, "it cannot be read")
        }
    }
}

extension BatchRecord.Head {
    fileprivate init(_ header: BatchLedger.Header) {
        self.init(batch: header.batch, name: header.name ?? header.batch, shard: header.shard)
    }

    /// The head of results, which only have the batch's name: `NAME-I-of-N` is a shard of `NAME`.
    fileprivate init(batch: String) {
        self.init(batch: batch, name: batch)
        let parts = batch.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count > 3, parts[parts.count - 2] == "of", let count = parts.last.flatMap({ Int($0) }),
            let index = Int(parts[parts.count - 3]), count > 0, 1...count ~= index
        else { return }
        name = parts.dropLast(3).joined(separator: "-")
        shard = [index, count]
    }
}

extension BatchEntry {
    /// The item of a line that a batch printed, which has no times.
    fileprivate init?(result: Value) {
        guard let key = result["key"], let run = result["run"]?.string, let dot = run.lastIndex(of: "."),
            let state = result["state"]?.string.flatMap(State.init)
        else { return nil }
        self.init(
            item: String(run[run.index(after: dot)...]), key: key, state: state, run: run, place: 0,
            error: result["error"]?.object, startedAt: .distantPast, endedAt: .distantPast)
    }

    fileprivate var batch: Substring { run[..<(run.lastIndex(of: ".") ?? run.startIndex)] }
}
