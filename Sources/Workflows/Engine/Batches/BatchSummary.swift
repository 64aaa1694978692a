/// The totals of a batch's plan, computed from the items' JSON: a reader of the plan can verify them.
package struct BatchSummary: Sendable {
    package struct Repetition: Sendable {
        /// The address, or the file's path.
        package let name: String
        /// The number of mails to the address, or of writes to the file.
        package let count: Int
    }

    /// The number of requests of all items by method.
    package private(set) var requests: [String: Int] = [:]
    /// The number of items whose runs would end with an error.
    package private(set) var faulting = 0
    /// What the plans may leave out, each with the number of items.
    package private(set) var gaps: [(reason: String, items: Int)] = []
    /// The permissions that are needed with a signed-in user.
    package private(set) var delegated: [String] = []
    /// The permissions that are needed without a signed-in user.
    package private(set) var application: [String] = []
    /// The addresses that would get several mails, most mails first.
    package private(set) var repeatedRecipients: [Repetition] = []
    /// The files that several items would write, most writes first.
    package private(set) var repeatedPaths: [Repetition] = []
    /// What the batch uses of the service's limits.
    package private(set) var limits = PlannedLimits()

    /// Whether the plans have every request and program that a run can reach.
    package var isComplete: Bool { gaps.isEmpty && faulting == 0 }

    /// Adds up the items, given in the order of the source as ``PlannedItem/value``.
    init(of items: some Sequence<Value>) {
        var gaps = ItemTally(), delegated = ItemTally(), application = ItemTally()
        var mails = ItemTally(), writes = ItemTally()
        var paths: [String: String] = [:]
        for (number, item) in items.enumerated() {
            if item["error"] != nil { faulting += 1 }
            for (method, count) in item["requests"]?.object ?? [:] {
                requests[method, default: 0] += Self.count(count) ?? 0
            }
            for gap in item["gaps"]?.array ?? [] { gaps.add(gap.string, in: number) }
            let tally = item["tally"]
            for name in tally?["delegated"]?.array ?? [] { delegated.add(name.string, in: number) }
            for name in tally?["application"]?.array ?? [] { application.add(name.string, in: number) }
            for (address, count) in tally?["mails"]?.object ?? [:] { mails.add(address, in: number, Self.count(count)) }
            for (address, write) in tally?["writes"]?.object ?? [:] {
                writes.add(address, in: number, Self.count(write["count"]))
                paths[address] = write["path"]?.string
            }
            tally?["uses"].map { limits.add($0) }
        }
        self.gaps = gaps.sorted.map { ($0.key, $0.count) }
        self.delegated = delegated.sorted.map(\.key).least
        self.application = application.sorted.map(\.key).least
        repeatedRecipients = mails.repeated { $0 }
        repeatedPaths = writes.repeated { paths[$0] ?? $0 }
    }

    /// What one item adds, as in ``PlannedItem/value``.
    static func tally(of plan: Plan) -> Value {
        var delegated: Set<String> = [], application: Set<String> = []
        // Without mails to unknown addresses.
        var mails: [String: Int] = [:]
        // By address, because a path is another file in each user's drive.
        var writes: [String: (path: String, count: Int)] = [:]
        for request in plan.requests {
            delegated.formUnion(request.operation.scopes)
            application.formUnion(request.operation.applicationScopes)
            // Of several ways to send a mail, a run takes one.
            guard request.isUsual else { continue }
            for effect in request.operation.consequences {
                switch effect.kind {
                case .mail:
                    for address in Set(effect.addresses.map { $0.lowercased() }) where !isUnknown(address) {
                        mails[address, default: 0] += 1
                    }
                case .file:
                    let address = request.address
                    let path = effect.path.string ?? ""
                    if !isUnknown(address) { writes[address] = (path, (writes[address]?.count ?? 0) + 1) }
                default: break
                }
            }
        }
        return .members([
            ("delegated", .array(delegated.sorted().map(Value.string))),
            ("application", .array(application.sorted().map(Value.string))),
            ("mails", mails.isEmpty ? nil : counts(mails)),
            (
                "writes",
                writes.isEmpty
                    ? nil
                    : .object(
                        Object(
                            writes.sorted { $0.key < $1.key }.map { address, write in
                                (address, ["path": .string(write.path), "count": .integer(write.count)])
                            }))
            ),
            ("uses", PlannedLimits(of: plan).value),
        ])
    }

    /// Whether a text contains a drawing of an unknown.
    private static func isUnknown(_ text: String) -> Bool { text.unicodeScalars.contains(where: Drawing.isMark) }

    /// A count in a plan, or nil; the limit keeps edited plans from overflowing the totals.
    static func count(_ value: Value?) -> Int? {
        value?.integer.flatMap { 0...1_000_000_000_000 ~= $0 ? $0 : nil }
    }

    static func counts(_ counts: [String: Int]) -> Value {
        .object(Object(counts.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) }))
    }

    /// The summary in the plan's JSON; `missing` are the permissions that the token lacks, nil if unknown.
    func value(lacking missing: [String]?) -> Value {
        func repetitions(_ all: [Repetition], counting what: String) -> Value {
            .array(all.map { ["name": .string($0.name), what: .integer($0.count)] })
        }
        return .members([
            ("requests", Self.counts(requests)), ("faulting", .integer(faulting)),
            ("repeatedRecipients", repetitions(repeatedRecipients, counting: "mails")),
            ("repeatedPaths", repetitions(repeatedPaths, counting: "writes")),
            (
                "permissions",
                .members([
                    ("delegated", .array(delegated.map(Value.string))),
                    ("application", .array(application.map(Value.string))),
                    ("missing", missing.map { .array($0.map(Value.string)) }),
                ])
            ),
            (
                "estimate",
                [
                    "seconds": .integer(Int(limits.time.seconds.rounded(.up))),
                    "limits": .array(limits.uses.map(\.value)),
                ]
            ),
        ])
    }

    var gapsValue: Value? {
        gaps.isEmpty ? nil : .array(gaps.map { ["reason": .string($0.reason), "items": .integer($0.items)] })
    }
}

extension PlannedLimits.Use {
    fileprivate var value: Value {
        [
            "service": .string(service), "limit": .string(limit), "used": .integer(count),
            "seconds": .integer(Int(time.seconds.rounded(.up))),
        ]
    }
}

/// The number of each of several things, and the first item with it.
private struct ItemTally {
    private var found: [String: (first: Int, count: Int)] = [:]

    mutating func add(_ key: String?, in item: Int, _ count: Int? = 1) {
        guard let key, let count else { return }
        let before = found[key] ?? (item, 0)
        found[key] = (before.first, before.count + count)
    }

    var sorted: [(key: String, count: Int)] {
        found.sorted { ($0.value.first, $0.key) < ($1.value.first, $1.key) }.map { ($0.key, $0.value.count) }
    }

    /// The things that were found several times, the most frequent first.
    func repeated(_ name: (String) -> String) -> [BatchSummary.Repetition] {
        let all = sorted.filter { $0.count > 1 }
        let most = all.enumerated().sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }
        return most.map { BatchSummary.Repetition(name: name($0.element.key), count: $0.element.count) }
    }
}
