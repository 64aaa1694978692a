/// The traffic of a batch at the service, and how long the service's limits make it take.
///
/// The limits are those that Microsoft documents for one application; the lowest if they depend on the tenant's size.
package struct PlannedLimits: Sendable {
    package struct Use: Sendable {
        package let service: String
        /// The limit in words: `10,000 requests in 10 minutes`.
        package let limit: String
        /// How much of it is used, in the limit's unit.
        package let count: Int
        /// The minimum time because of the limit.
        package let time: Duration
    }

    private struct Limit {
        let words: String
        let count: Int
        let time: Duration
    }

    /// The requests by the part of the service, and of mailboxes also the messages.
    private var units: [GraphService: Int] = [:]
    private var messages: [GraphService: Int] = [:]

    init(of plan: Plan) {
        for task in plan.allTasks {
            let requests = task.steps.requests.filter { $0.operation.service != nil }
            for (load, count) in requests.counts(by: Load.init) {
                guard let service = load.service else { continue }
                units[service, default: 0] += count * load.cost
                if load.isMail { messages[service, default: 0] += count }
            }
        }
    }

    init() {}

    /// Adds the traffic of an item, as in ``value``.
    mutating func add(_ uses: Value) {
        for (name, use) in uses.object ?? [:] {
            guard let service = GraphService(name) else { continue }
            if let count = BatchSummary.count(use["units"]) { units[service, default: 0] += count }
            if let count = BatchSummary.count(use["messages"]) { messages[service, default: 0] += count }
        }
    }

    /// The traffic as JSON: the units and messages by service.
    var value: Value {
        let uses = units.map { service, count in
            (
                service.description,
                Value.members([("units", .integer(count)), ("messages", messages[service].map(Value.integer))])
            )
        }
        return .object(Object(uses.sorted { $0.0 < $1.0 }))
    }

    private struct Load: Hashable {
        let service: GraphService?
        let cost: Int
        let isMail: Bool

        init(_ request: PlannedRequest) {
            service = request.operation.service.flatMap { GraphService($0) }
            cost = service?.cost(of: request.request.method, request.operation.name) ?? 0
            isMail = request.operation.consequences.contains { $0.mail?.sent == true }
        }
    }

    /// The limits, slowest first; for mailboxes only the slowest.
    package var uses: [Use] {
        var uses: [Use] = []
        func add(_ service: GraphService, _ count: Int, _ limit: Limit) {
            let time = limit.time * (Double(count) / Double(limit.count))
            uses.append(Use(service: service.description, limit: limit.words, count: count, time: time))
        }
        if let (mailbox, count) = Self.most(units) {
            add(mailbox, count, Limit(words: "10,000 requests in 10 minutes", count: 10_000, time: .seconds(600)))
        }
        if let (mailbox, count) = Self.most(messages) {
            add(mailbox, count, Limit(words: "30 messages in a minute", count: 30, time: .seconds(60)))
        }
        if let count = units[.files] {
            add(.files, count, Limit(words: "1,200 units in a minute", count: 1200, time: .seconds(60)))
        }
        if let count = units[.directory] {
            add(.directory, count, Limit(words: "3,500 units in 10 seconds", count: 3500, time: .seconds(10)))
        }
        return uses.sorted { $0.time > $1.time }
    }

    /// The minimum time of the whole batch, if nothing else is slower.
    package var time: Duration { uses.first?.time ?? .zero }

    /// The mailbox with the highest count; of several, the first by name.
    private static func most(_ counts: [GraphService: Int]) -> (GraphService, Int)? {
        counts.filter { if case .mailbox = $0.key { true } else { false } }
            .max { ($0.value, $1.key.description) < ($1.value, $0.key.description) }
            .map { ($0.key, $0.value) }
    }
}

extension Plan {
    /// The minimum time of a run because of the service's limits; nil if it uses no limited service.
    package var timeAtLimits: Duration? { PlannedLimits(of: self).uses.first?.time }
}
