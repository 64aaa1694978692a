/// The output of `graphflow batch --report`: the shards of a batch as one.
struct BatchReport {
    /// One shard, or a whole batch without shards.
    private struct Part {
        /// The number of its items; nil if files of results do not say it.
        var total: Int?
        /// How many items have finished.
        var over = 0
        /// How many items have not finished, as far as that is known.
        var pending: Int { max(0, (total ?? over) - over) }
    }

    private let name: String
    /// The number of shards; nil for a batch without shards.
    private let shardCount: Int?
    private let statistics: BatchStatistics
    private let counts: BatchCounts
    /// The shards that were found, by their numbers; 0 for a batch without shards.
    private let parts: [Int: Part]

    /// - Parameters:
    ///   - folders: Folders of batches, folders that contain them, or files of results.
    ///   - name: The name of the batch; nil if there is only one.
    /// - Returns: The status of the whole batch.
    static func print(folders: [String], name: String?, json: Bool, on console: Console) throws -> ExitStatus {
        let report = try BatchReport(folders: folders, name: name)
        if json {
            console.print(report.json)
        } else {
            for line in report.lines(width: console.outputWidth, colour: console.outputHasColour) {
                console.print(painted: line)
            }
        }
        return report.status
    }

    private init(folders: [String], name: String?) throws {
        var contents = Contents(name: name)
        let records = Set(try folders.flatMap { try Self.files(in: $0) }).sorted().map { BatchRecord(path: $0) }
        statistics = try BatchStatistics { take, drop in
            contents.totals = []
            for (file, record) in records.enumerated() {
                let total = try record.read(
                    begin: { contents.ledger(of: $0, in: file) != nil },
                    { entry, head, line in
                        if let ledger = contents.ledger(of: head, in: file) { take(entry, line, ledger) }
                    }, drop: drop)
                contents.totals.append(total)
            }
        }
        let head = try contents.head()
        (self.name, shardCount) = (head.name, head.shard?.last)
        // Several machines may have begun one shard: its items count once.
        let over = statistics.fold.itemCounts(ofLedgers: contents.ledgers.count)
        var parts: [Int: Part] = [:]
        for (number, ledger) in contents.ledgers.enumerated() {
            var part = parts[ledger.head.shard?.first ?? 0] ?? Part()
            part.over += over[number]
            part.total = contents.totals[ledger.file].map { max($0, part.total ?? 0) } ?? part.total
            parts[ledger.head.shard?.first ?? 0] = part
        }
        counts = statistics.counts(of: parts.values.reduce(0) { $0 + $1.over + $1.pending })
        self.parts = parts
    }

    /// The contents of the files: each ledger, and each shard in a file of results.
    private struct Contents {
        /// The name of the batch; nil if there is only one.
        let name: String?
        private(set) var ledgers: [(head: BatchRecord.Head, file: Int)] = []
        /// The numbers of items that the files say.
        var totals: [Int?] = []
        private var numbers: [BatchRecord.Head: Int] = [:]
        private var file = -1

        init(name: String?) { self.name = name }

        /// The number of a batch's lines in a file; nil if the batch is not the requested one.
        mutating func ledger(of head: BatchRecord.Head, in file: Int) -> Int? {
            guard name == nil || head.name == name || head.batch == name else { return nil }
            if self.file != file { (self.file, numbers) = (file, [:]) }
            if let known = numbers[head] { return known }
            let number = ledgers.firstIndex { $0.head == head && $0.file == file } ?? ledgers.count
            if number == ledgers.count { ledgers.append((head, file)) }
            numbers[head] = number
            return number
        }

        /// The head that all files share.
        func head() throws(UsageError) -> BatchRecord.Head {
            guard let head = ledgers.first?.head else {
                throw UsageError(
                    name.map { "there is no batch '\(PlainText.exact($0, limit: 100))' there" }
                        ?? "there is no batch there",
                    hint: "name folders of batches, folders that have them, or files of their results")
            }
            let names = Set(ledgers.map(\.head.name)).sorted().map { PlainText.exact($0, limit: 100) }
            guard names.count == 1 else {
                let some = names.prefix(5).joined(separator: ", ") + (names.count > 5 ? ", …" : "")
                throw UsageError("there are \(names.count) batches there: \(some)", hint: "choose one with '--name'")
            }
            let divisions = Set(ledgers.map { $0.head.shard?.last ?? 1 }).sorted().map(String.init)
            guard divisions.count == 1 else {
                throw UsageError(
                    "the shards do not belong together: some are of \(divisions.joined(separator: ", some of "))",
                    hint: "each shard must have been started with the same N of '--shard I/N'")
            }
            return head
        }
    }

    /// The ledgers in a folder; without any, its files of results.
    private static func files(in path: String) throws -> [String] {
        let manager = FileManager.default
        guard let entries = try? manager.contentsOfDirectory(atPath: path) else { return [path] }
        if entries.contains("ledger.jsonl") { return ["\(path)/ledger.jsonl"] }
        let folder = entries.contains("batches") ? "\(path)/batches" : path
        let inside = folder == path ? entries : (try? manager.contentsOfDirectory(atPath: folder)) ?? []
        let ledgers = inside.filter { !$0.hasPrefix(".") }.map { "\(folder)/\($0)/ledger.jsonl" }
            .filter { manager.fileExists(atPath: $0) }
        let found = ledgers.isEmpty ? inside.filter { $0.hasSuffix(".jsonl") }.map { "\(folder)/\($0)" } : ledgers
        guard !found.isEmpty else {
            throw UsageError("there is no batch in '\(PlainText.exact(path, limit: 500))'")
        }
        return found
    }

    /// The numbers of the shards that were not found.
    private var missing: [Int] { shardCount.map { (1...$0).filter { parts[$0] == nil } } ?? [] }

    private var knowsTotal: Bool { parts.values.allSatisfy { $0.total != nil } }

    private var status: ExitStatus {
        if counts.unknown > 0 { return .unknownOutcome }
        return counts.isWhole && missing.isEmpty ? .success : .faulted
    }

    private func lines(width: Int?, colour: Bool) -> [String] {
        func line(_ title: String, _ text: String) -> String { RunReport.line(title, text, width) }
        let shards = shardCount.map { $0 == 1 ? ", 1 shard" : ", \($0.grouped) shards" } ?? ""
        var lines = [line("batch", name + shards), line("items", counts.sentence)]
        if !knowsTotal { lines.append(line("", "files of results do not say whether there are more")) }
        if !missing.isEmpty {
            let some = missing.prefix(20).map(String.init).joined(separator: ", ") + (missing.count > 20 ? ", …" : "")
            lines.append(line("missing", (missing.count == 1 ? "shard " : "\(missing.count) shards: ") + some))
        }
        for (number, part) in parts.sorted(by: { $0.key < $1.key }) where number > 0 && part.pending > 0 {
            lines.append(
                line("shard \(number)", "\(part.pending.grouped) of \((part.total ?? 0).grouped) not finished"))
        }
        let shared = statistics.fold.sharedCount
        if shared > 0 {
            let items = shared == 1 ? "1 item is" : "\(shared.grouped) items are"
            lines.append(line("overlap", "\(items) in more than one ledger, counted once"))
        }
        return lines + statistics.lines(width: width, colour: colour)
    }

    private var json: Value {
        var object: Object = ["name": .string(name), "counts": counts.json, "complete": .bool(status == .success)]
        object["shards"] = shardCount.map(Value.integer)
        object["missing"] = .array(missing.map(Value.integer))
        object["pending"] = .array(
            parts.sorted { $0.key < $1.key }.filter { $0.key > 0 && $0.value.pending > 0 }.map { number, part in
                ["shard": .integer(number), "total": .integer(part.total ?? 0), "pending": .integer(part.pending)]
            })
        object["overlapping"] = .integer(statistics.fold.sharedCount)
        object["hasTotals"] = .bool(knowsTotal)
        statistics.describe(in: &object)
        return .object(object)
    }
}
