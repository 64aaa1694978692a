extension BatchLedger {
    /// The first line of a ledger: the batch, its items and its limits.
    package struct Header: Sendable, Hashable {
        /// The batch's id, which is the name of its folder.
        package var batch: String
        /// The name that the user gave; nil for none.
        package var name: String?
        /// The absolute path of the items' file; `-` for standard input.
        package var source: String
        /// The SHA-256 of the source's bytes.
        package var sourceDigest: String
        /// The jq expression of an item's key; nil for the whole item.
        package var key: String?
        /// The number of the shard, from 1, and the number of all shards; nil for all items.
        package var shard: [Int]?
        /// The number of items, of this shard only.
        package var total: Int
        /// When the batch began, in whole milliseconds.
        package var startedAt: Date
        package var allowsDuplicates = false
        /// The separator of the table, as the user gave it; nil if it is found.
        package var separator: String?
        /// The maximum number of concurrent items; nil if that adapts.
        package var concurrency: Int?
        /// The maximum number of items begun per second, by all shards together; nil for no limit.
        package var rate: Double?
        /// Whether the mails of a named batch are looked up before they are written, if they may have been sent.
        package var looksUpMails = true
        /// How many seconds after a start a mail that is not found counts as not sent; nil for the usual time.
        package var lookupDelay: Int?
        /// The name by which mails are looked up; nil if they are not.
        package var mailName: String? { looksUpMails ? name : nil }
        /// The SHA-256 of the approved plan that new items must follow; nil without one.
        package var plan: String?
        /// When the batch stops taking items, as the user wrote it: `5` or `5%`; nil for never.
        package var maxFailures: String?

        package init(
            batch: String, name: String? = nil, source: String, sourceDigest: String, key: String? = nil,
            shard: [Int]? = nil, total: Int, startedAt: Date
        ) {
            self.batch = batch
            self.name = name
            self.source = source
            self.sourceDigest = sourceDigest
            self.key = key
            self.shard = shard
            self.total = total
            self.startedAt = startedAt.inWholeMilliseconds
        }
    }

    /// The line of a continued batch.
    package struct Resumption: Sendable, Hashable {
        package var time: Date
        /// The SHA-256 of the source's bytes at that time.
        package var sourceDigest: String
        /// The number of items from then on.
        package var total: Int
        /// The hash of the workflow's file, if it has changed and that was accepted.
        package var workflowDigest: String?
        /// The names of the items that are no longer in the source.
        package var dropped: [String]

        package init(
            time: Date, sourceDigest: String, total: Int, workflowDigest: String? = nil, dropped: [String] = []
        ) {
            self.dropped = dropped
            self.time = time.inWholeMilliseconds
            self.workflowDigest = workflowDigest
            self.sourceDigest = sourceDigest
            self.total = total
        }
    }

    /// A line after the first one.
    package enum Line: Sendable, Hashable {
        /// A finished item; a later line of the same item replaces this one.
        case entry(BatchEntry)
        case resumed(Resumption)
    }
}

extension BatchLedger.Header {
    private static let format = "graphflow-batch"
    /// The version of the format that is written, and the newest that can be read.
    private static let version = 1

    /// The line without its number and checksum.
    var members: Object {
        var members: Object = [
            "format": .string(Self.format), "version": .integer(Self.version), "batch": .string(batch),
            "name": name.map(Value.string) ?? .null, "source": .string(source),
            "sourceDigest": .string(sourceDigest), "key": key.map(Value.string) ?? .null,
            "shard": shard.map { .array($0.map(Value.integer)) } ?? .null, "total": .integer(total),
            "startedAt": .string(startedAt.iso8601), "allowDuplicates": .bool(allowsDuplicates),
            "concurrency": concurrency.map(Value.integer) ?? .null, "rate": rate.map { .double($0) } ?? .null,
            "maxFailures": maxFailures.map(Value.string) ?? .null,
        ]
        if !looksUpMails { members["lookup"] = false }
        members["lookupDelay"] = lookupDelay.map(Value.integer)
        members["plan"] = plan.map(Value.string)
        members["separator"] = separator.map(Value.string)
        return members
    }

    package static func checkVersion(_ line: Value) throws(JournalError) {
        guard line["format"]?.string == format, let version = line["version"]?.integer, version > 0 else {
            throw JournalError(.damaged, "line 1 is not the first line of a ledger", line: 1)
        }
        guard version <= Self.version else {
            throw JournalError(
                .newerVersion, "the ledger has version \(version), and this graphflow reads up to \(Self.version)",
                hint: "use the version of graphflow that made the batch, or a newer one")
        }
    }

    package init(_ line: Object) throws(JournalError) {
        guard let batch = line["batch"]?.string, let source = line["source"]?.string,
            let digest = line["sourceDigest"]?.string, let total = line["total"]?.integer,
            let startedAt = line["startedAt"]?.string.flatMap({ Date(iso8601: $0) })
        else { throw JournalError(.damaged, "line 1 is not a complete header of a ledger", line: 1) }
        self.init(
            batch: batch, name: line["name"]?.string, source: source, sourceDigest: digest, key: line["key"]?.string,
            shard: line["shard"]?.array?.compactMap(\.integer), total: total, startedAt: startedAt)
        allowsDuplicates = line["allowDuplicates"]?.bool ?? false
        concurrency = line["concurrency"]?.integer
        rate = line["rate"]?.double
        maxFailures = line["maxFailures"]?.string
        looksUpMails = line["lookup"]?.bool ?? true
        lookupDelay = line["lookupDelay"]?.integer
        plan = line["plan"]?.string
        separator = line["separator"]?.string
    }
}

extension BatchLedger.Line {
    /// The line without its number and checksum.
    var members: Object {
        switch self {
        case .resumed(let resumption):
            var members: Object = [
                "resumed": .string(resumption.time.iso8601), "sourceDigest": .string(resumption.sourceDigest),
                "total": .integer(resumption.total),
            ]
            members["workflowDigest"] = resumption.workflowDigest.map(Value.string)
            if !resumption.dropped.isEmpty { members["dropped"] = .array(resumption.dropped.map(Value.string)) }
            return members
        case .entry(let entry):
            var members: Object = [
                "item": .string(entry.item), "key": entry.key, "state": .string(entry.state.rawValue),
                "run": .string(entry.run), "place": .integer(entry.place),
            ]
            members["error"] = entry.error.map(Value.object)
            members["startedAt"] = .string(entry.startedAt.iso8601)
            members["endedAt"] = .string(entry.endedAt.iso8601)
            return members
        }
    }

    package init(_ line: Object, number: Int) throws(JournalError) {
        func date(_ name: String) -> Date? { line[name]?.string.flatMap { Date(iso8601: $0) } }
        if let time = date("resumed"), let digest = line["sourceDigest"]?.string, let total = line["total"]?.integer {
            self = .resumed(
                BatchLedger.Resumption(
                    time: time, sourceDigest: digest, total: total, workflowDigest: line["workflowDigest"]?.string,
                    dropped: (line["dropped"]?.array ?? []).compactMap(\.string)))
        } else if let item = line["item"]?.string, let key = line["key"], let run = line["run"]?.string,
            let state = line["state"]?.string.flatMap(BatchEntry.State.init), let place = line["place"]?.integer,
            let startedAt = date("startedAt"), let endedAt = date("endedAt")
        {
            self = .entry(
                BatchEntry(
                    item: item, key: key, state: state, run: run, place: place, error: line["error"]?.object,
                    startedAt: startedAt, endedAt: endedAt))
        } else {
            throw JournalLine.damaged(number, of: "ledger", "it is not the line of an item")
        }
    }
}
