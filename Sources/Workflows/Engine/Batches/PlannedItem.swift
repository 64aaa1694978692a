/// What the run of one item of a batch would do: what differs from item to item.
package struct PlannedItem: Sendable {
    package let name: String
    package let key: Value
    package let line: Int
    package private(set) var effects: [Effect] = []
    /// The number of requests by method, at most if it depends on unknowns.
    package private(set) var requests: [String: Int] = [:]
    /// What the plan may leave out; empty if it is complete.
    package private(set) var gaps: [String] = []
    /// What the item adds to the totals in addition to its requests and gaps; nil if there is no plan.
    package private(set) var tally: Value?
    /// The hash of the plan; nil if there is no plan, or nothing will be compared with it.
    package private(set) var digest: String?
    /// The objects that the item writes, as far as the plan read what is there.
    let objects: Set<String>
    /// The error with which the run would end, so it has no plan; nil if there is a plan.
    package let error: WorkflowError?

    init(_ item: BatchItem, failing error: WorkflowError) {
        (name, key, line, self.error, objects) = (item.name, item.key, item.line, error, [])
    }

    /// Creates the item of a plan; `isPinned` if a run will be compared with the plan's hash.
    init(_ item: BatchItem, _ plan: Plan, isPinned: Bool = true) {
        (name, key, line, error) = (item.name, item.key, item.line, nil)
        var objects: Set<String> = []
        for task in plan.allTasks {
            for request in task.steps.requests { objects.formUnion(request.objects) }
            for (method, count) in task.steps.requests.counts(by: \.request.method) {
                requests[method, default: 0] += count
            }
        }
        self.objects = objects
        effects = plan.effects
        gaps = plan.gaps
        tally = BatchSummary.tally(of: plan)
        digest = isPinned ? ApprovedBatch.digest(of: plan) : nil
    }

    /// Everyone who would get mail, each once; with drawings of what only the service knows.
    package var recipients: [String] { different(effects.filter { $0.kind == .mail }.flatMap(\.addresses)) }

    package var paths: [String] {
        different(effects.filter { $0.kind == .file }.map { $0.path.drawn().string ?? "" })
    }

    private func different(_ all: [String]) -> [String] {
        var seen: Set<String> = []
        return all.filter { seen.insert($0).inserted }
    }
}
