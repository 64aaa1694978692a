/// Reads the lines of an ``AppendOnlyLog`` in order, and finds the end of the valid ones.
///
/// An incomplete last line is left out. Lines are checked and decoded on all processors. A line's checksum covers the
/// one written in the line before, so each line can be checked alone.
struct LogReader {
    typealias Source = (_ offset: Int, _ count: Int) throws(JournalError) -> [UInt8]
    private typealias Decoded = Result<(members: Object, checksum: String), JournalError>

    /// Where a block that a power failure kept from the disk is no damage.
    enum Loss {
        case lastLine
        /// Anywhere: that line and all after it are left out.
        case rest
    }

    /// How many lines, and about how many bytes, are decoded together.
    private static let most = (lines: 4_096, bytes: 1 << 20)
    private static let partSize = 512

    private let name: String
    private let loss: Loss
    private let source: Source
    private var lines: JournalLines
    private var group: (lines: [Data], decoded: [Decoded], next: Int) = ([], [], 0)
    /// Why no more lines can be read after those of the group.
    private var failure: JournalError?
    private var isOver = false
    /// The end of the line that was returned last.
    private(set) var end: AppendOnlyLog.End

    /// Creates a reader.
    /// - Parameters:
    ///   - name: The file's name in errors.
    ///   - size: How many bytes to read; a process may be appending more.
    ///   - start: The end of the lines that are not read.
    init(
        _ name: String, size: Int, after start: AppendOnlyLog.End = AppendOnlyLog.End(), losing loss: Loss = .lastLine,
        from source: @escaping Source
    ) {
        (self.name, self.loss, self.source, end) = (name, loss, source, start)
        lines = JournalLines(size: size, from: start.size)
    }

    /// The members of the first line; nil if it is incomplete.
    /// - Parameter check: Fails if the line has another format or a newer version, whatever its checksum is.
    mutating func first(_ check: (Value) throws(JournalError) -> Void = { _ in }) throws(JournalError) -> Object? {
        guard let line = try lines.next(number: 1, of: name, from: source) else { return nil }
        if let value = try? Value(json: line) { try check(value) }
        let (members, checksum) = try JournalLine.decode(line, number: 1, after: "", of: name)
        end = AppendOnlyLog.End(size: lines.offset, lineCount: 1, checksum: checksum)
        return members
    }

    mutating func next() throws(JournalError) -> Object? {
        if group.next == group.lines.count, !isOver { try readGroup() }
        guard !isOver, group.next < group.lines.count else { return nil }
        let line = group.lines[group.next]
        do throws(JournalError) {
            let (members, checksum) = try group.decoded[group.next].get()
            group.next += 1
            end = AppendOnlyLog.End(
                size: end.size + line.count + 1, lineCount: end.lineCount + 1, checksum: checksum)
            return members
        } catch {
            let isLast = group.next == group.lines.count - 1 && failure == nil && lines.isAtEnd
            guard loss == .rest || isLast, JournalLines.isUnwritten(line) else { throw error }
            isOver = true
            return nil
        }
    }

    private mutating func readGroup() throws(JournalError) {
        if let failure { throw failure }
        var (read, size) = ([Data](), 0)
        do throws(JournalError) {
            while read.count < Self.most.lines, size < Self.most.bytes,
                let line = try lines.next(number: end.lineCount + read.count + 1, of: name, from: source)
            {
                read.append(line)
                size += line.count
            }
        } catch {
            // Lines before it may be damaged as well.
            failure = error
            guard !read.isEmpty else { throw error }
        }
        group = (read, decoded(read), 0)
    }

    private func decoded(_ lines: [Data]) -> [Decoded] {
        let parts = stride(from: 0, to: lines.count, by: Self.partSize).map {
            $0..<min($0 + Self.partSize, lines.count)
        }
        let results = Locked<[Int: [Decoded]]>([:])
        DispatchQueue.concurrentPerform(iterations: parts.count) { [name, end] index in
            let part = parts[index]
            var place = end
            if part.lowerBound > 0 { place.checksum = JournalLine.checksum(in: lines[part.lowerBound - 1]) }
            place.lineCount += part.lowerBound
            let own = Self.decoded(lines[part], after: place, name)
            results.withLock { $0[index] = own }
        }
        return results.withLock { results in parts.indices.flatMap { results[$0] ?? [] } }
    }

    /// The lines up to the first one that is damaged.
    private static func decoded(
        _ lines: ArraySlice<Data>, after end: AppendOnlyLog.End, _ name: String
    ) -> [Decoded] {
        var (checksum, number, decoded) = (end.checksum, end.lineCount, [Decoded]())
        decoded.reserveCapacity(lines.count)
        for line in lines {
            number += 1
            do throws(JournalError) {
                let line = try JournalLine.decode(line, number: number, after: checksum, of: name)
                decoded.append(.success(line))
                checksum = line.checksum
            } catch {
                return decoded + [.failure(error)]
            }
        }
        return decoded
    }
}

extension OpenFile {
    /// Opens the file of a log, and returns it with its current size in bytes.
    static func log(
        _ path: String, for use: Use, _ unreadable: @escaping (SystemError) -> JournalError
    ) throws(JournalError) -> (file: OpenFile, size: Int, source: LogReader.Source) {
        do throws(SystemError) {
            let file = try OpenFile(path, for: use)
            return (file, try file.size, file.source(unreadable))
        } catch {
            throw unreadable(error)
        }
    }

    func source(
        _ unreadable: @escaping (SystemError) -> JournalError = { JournalError(.failed, $0.description) }
    ) -> LogReader.Source {
        { offset, count throws(JournalError) in
            do throws(SystemError) { return try self.read(from: offset, count: count) } catch {
                throw unreadable(error)
            }
        }
    }
}
