import Essentials

/// What the run of one item of a batch would do: what differs from item to item.
package struct PlannedItem: Sendable {
    /// The item's name in the batch's folder.
    package let name: String
    /// What names the item.
    package let key: Value
    /// The line of the source on which the item begins.
    package let line: Int
    /// Everybody who would get mail, each once; with drawings of what only the service knows.
    package private(set) var recipients: [String] = []
    /// The files that would be written, each once.
    package private(set) var paths: [String] = []
    /// The other effects, each in words.
    package private(set) var changes: [String] = []
    /// The number of requests by method, at most if it depends on unknowns.
    package private(set) var requests: [String: Int] = [:]
    /// The number of programs that would be started.
    package private(set) var programs = 0
    /// What the plan may leave out; empty if it is complete.
    package private(set) var gaps: [String] = []
    /// What the item adds to the sums over all items, beside its requests and gaps; nil if there is no plan.
    package private(set) var tally: Value?
    /// The hash of the plan; nil if there is no plan.
    package private(set) var digest: String?
    /// Why there is no plan: the error with which the run would end; nil if there is one.
    package let error: WorkflowError?

    /// The item of a run that would end with an error before its end can be planned.
    init(_ item: BatchItem, failing error: WorkflowError) {
        (name, key, line, self.error) = (item.name, item.key, item.line, error)
    }

    init(_ item: BatchItem, _ plan: Plan) {
        (name, key, line, error) = (item.name, item.key, item.line, nil)
        for task in plan.allTasks {
            for (method, count) in task.steps.requests.counts(by: \.request.method) {
                requests[method, default: 0] += count
            }
            for case .process in task.steps { programs += 1 }
        }
        note(plan.effects)
        gaps = plan.gaps
        tally = BatchSummary.tally(of: plan)
        digest = ApprovedBatch.digest(of: plan)
    }

    /// Notes what the effects are.
    private mutating func note(_ effects: [Effect]) {
        func add(_ new: [String], to all: inout [String]) {
            for text in new where !all.contains(text) { all.append(text) }
        }
        for effect in effects {
            switch effect.kind {
            case .mail: add(effect.addresses, to: &recipients)
            case .file: add([effect["path"].drawn().string ?? ""], to: &paths)
            case .program: break
            default: add([effect.summary], to: &changes)
            }
        }
    }
}
