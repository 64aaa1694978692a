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
    /// The other changes, each as the request's method and URL.
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
            note(task.steps.requests.filter { $0.operation.effect != .read })
        }
        gaps = plan.gaps
        tally = BatchSummary.tally(of: plan)
        digest = ApprovedBatch.digest(of: plan)
    }

    /// Notes what the requests of a task change.
    private mutating func note(_ requests: [PlannedRequest]) {
        func add(_ new: [String], to all: inout [String]) {
            for text in new where !all.contains(text) { all.append(text) }
        }
        var others: [PlannedRequest] = []
        for request in requests {
            switch request.operation.target {
            case .mail(let recipients, _): add(recipients, to: &self.recipients)
            case .file(let path, _, _): add([path], to: &paths)
            case .link, .change, nil: others.append(request)
            }
        }
        // Other requests of a task that sends a mail or writes a file are parts of that.
        guard others.count == requests.count else { return }
        for request in others {
            add(request.mailRecipients, to: &recipients)
            add(["\(request.request.method) \(request.address)"], to: &changes)
        }
    }
}

extension PlannedRequest {
    /// The recipients in a message of Graph that the function `graph` sends.
    fileprivate var mailRecipients: [String] {
        guard operation.name == "graph", case .json(let body)? = body else { return [] }
        let message = body["message"] ?? body["Message"] ?? body
        return ["toRecipients", "ccRecipients", "bccRecipients"].flatMap { name -> [String] in
            let list = message[name] ?? message[name.prefix(1).uppercased() + name.dropFirst()]
            return (list?.array ?? []).compactMap { $0["emailAddress"]?["address"]?.drawn().string }
        }
    }
}
