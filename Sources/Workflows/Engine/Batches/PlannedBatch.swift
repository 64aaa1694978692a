import Dispatch
import Essentials
package import Promises

/// What a batch would do: the plan of its first item for the shape, and what differs from item to item.
package struct PlannedBatch: Sendable {
    /// What is done to several items, such as a mail to one address.
    package struct Repetition: Sendable {
        /// The address, or the file's path.
        package let name: String
        /// How many mails it would get, or how often it would be written.
        package let count: Int
    }

    /// The items that were planned.
    package let items: BatchItems
    /// The batch's name, by which its mails are found again; nil if nothing looks for them.
    package let name: String?
    /// The hash of their source.
    package let sourceDigest: String
    /// How the plan was made.
    package let mode: Plan.Mode
    /// The plan of the first item that has one; nil if none has.
    package let shape: Plan?
    /// What each item's run would do, in the order of the source.
    package let planned: [PlannedItem]
    /// The SHA-256 of each file that a plan reads, by its path in the workflow's folder.
    package let files: [String: String]
    /// What the plans may leave out, each with the number of items.
    package let gaps: [(reason: String, items: Int)]
    /// The permissions that are needed with a signed-in user, without one, and that the token lacks; nil for the last if
    /// the token's permissions are unknown.
    package let permissions: (delegated: [String], application: [String], missing: [String]?)
    /// The addresses that would get several mails, those with the most first.
    package let repeatedRecipients: [Repetition]
    /// The files that several items would write, those most often written first.
    package let repeatedPaths: [Repetition]
    /// What the batch uses of the service's limits.
    package let limits: PlannedLimits

    /// Whether every request and program that a run can reach is in the plans.
    package var isComplete: Bool { gaps.isEmpty && planned.allSatisfy { $0.error == nil } }

    /// The number of requests of all items by method.
    package var requests: [String: Int] {
        planned.reduce(into: [:]) { $0.merge($1.requests, uniquingKeysWith: +) }
    }

    /// The items whose runs would end with an error.
    package var failing: [PlannedItem] { planned.filter { $0.error != nil } }

    fileprivate init(
        _ items: BatchItems, named name: String?, digest: String, mode: Plan.Mode, planned: [PlannedItem],
        _ findings: Findings
    ) {
        self.items = items
        self.name = name
        self.mode = mode
        self.planned = planned
        sourceDigest = digest
        shape = findings.shape?.plan
        gaps = findings.gaps.sorted(by: <).map { ($0.key, $0.count) }
        limits = findings.limits
        files = findings.files
        func repeated(_ tally: ItemTally<String>, _ name: (String) -> String) -> [Repetition] {
            let all = tally.sorted(by: <).filter { $0.count > 1 }
            let most = all.enumerated().sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }
            return most.map { Repetition(name: name($0.element.key), count: $0.element.count) }
        }
        repeatedRecipients = repeated(findings.recipients) { $0 }
        let paths = findings.paths
        repeatedPaths = repeated(findings.addresses) { paths[$0] ?? $0 }
        let delegated = findings.delegated.sorted(by: <).map(\.key)
        let application = findings.application.sorted(by: <).map(\.key)
        let needed = shape?.isApplication == true ? application : delegated
        let missing = shape?.grantedPermissions.map { granted in needed.filter { !granted.cover([$0]) } }
        permissions = (delegated, application, missing)
    }

    /// What was found in the plans of all items.
    fileprivate struct Findings: Sendable {
        var shape: (item: Int, plan: Plan)?
        var gaps = ItemTally<String>()
        var delegated = ItemTally<String>()
        var application = ItemTally<String>()
        /// The mails by address, without those to addresses that only a run knows.
        var recipients = ItemTally<String>()
        /// The files by their addresses, which are different for each user's drive.
        var addresses = ItemTally<String>()
        var paths: [String: String] = [:]
        var limits = PlannedLimits()
        var files: [String: String] = [:]

        mutating func add(_ plan: Plan, of item: Int) {
            if shape.map({ item < $0.item }) ?? true { shape = (item, plan) }
            limits.add(plan)
            files.merge(plan.files) { $1 }
            for gap in plan.gaps { gaps.add(gap, in: item) }
            for request in plan.requests {
                for scope in request.operation.scopes { delegated.add(scope, in: item) }
                for scope in request.operation.applicationScopes { application.add(scope, in: item) }
                // Of several ways to send a mail, a run takes one.
                guard request.isUsual else { continue }
                switch request.operation.target {
                case .mail(let addresses, _):
                    for address in Set(addresses.map { $0.lowercased() }) where !Self.isUnknown(address) {
                        recipients.add(address, in: item)
                    }
                case .file(let path, _, _):
                    let address = request.address
                    guard !Self.isUnknown(address) else { continue }
                    addresses.add(address, in: item)
                    paths[address] = path
                case .link, .change, nil: break
                }
            }
        }

        /// Whether a text has a drawing in it, in place of what only a run knows.
        private static func isUnknown(_ text: String) -> Bool { text.unicodeScalars.contains(where: Drawing.isMark) }
    }
}

extension Runner {
    /// How many items are planned at the same time: planning needs only this machine.
    private static let mostPlanned = 4

    /// Plans the runs of all items of a batch, of this machine's shard if there is one.
    ///
    /// With a ``mailIdentity``, of which only the batch's name counts, the plan has the lookups of mails.
    /// - Parameters:
    ///   - digest: The source's hash, as ``BatchItems/check()`` returned it.
    ///   - mode: Whether requests that only read are sent.
    /// - Returns: The plan; rejected if the source cannot be read, or an item's run cannot be planned for a reason that
    ///   is not the workflow's.
    package func plan(_ items: BatchItems, digest: String, mode: Plan.Mode = .dry) -> Promise<PlannedBatch> {
        let findings = Locked(PlannedBatch.Findings())
        let plans = ItemPlans(runner: self, items: items, mode: mode, findings: findings)
        return when(fulfilled: plans, concurrently: Self.mostPlanned).map { planned in
            PlannedBatch(
                items, named: mailIdentity?.batch, digest: digest, mode: mode, planned: planned,
                findings.withLock { $0 })
        }
    }

    /// Plans one item after the other, each when there is room for it.
    private struct ItemPlans: IteratorProtocol, Sendable {
        let runner: Runner
        let items: BatchItems
        let mode: Plan.Mode
        let findings: Locked<PlannedBatch.Findings>
        private let library: WorkflowLibrary
        private var reader: BatchItems.Reader?
        private var count = 0
        private var isOver = false

        init(runner: Runner, items: BatchItems, mode: Plan.Mode, findings: Locked<PlannedBatch.Findings>) {
            (self.runner, self.items, self.mode, self.findings) = (runner, items, mode, findings)
            library = WorkflowLibrary(folder: items.workflow.folder)
        }

        mutating func next() -> Promise<PlannedItem>? {
            guard !isOver else { return nil }
            do {
                var reader = try self.reader ?? items.reader()
                let item = try reader.next()
                self.reader = reader
                guard let item else { return nil }
                count += 1
                return plan(item, number: count)
            } catch {
                isOver = true
                return Promise(error: error)
            }
        }

        private func plan(_ item: BatchItem, number: Int) -> Promise<PlannedItem> {
            let (runner, mode, findings, workflow, library) = (runner, mode, findings, items.workflow, library)
            return DispatchQueue.global().async(.promise) {}.then(on: nil) {
                runner.plan(workflow, item, mode: mode, library)
            }.map(on: nil) { plan -> PlannedItem in
                findings.withLock { $0.add(plan, of: number) }
                return PlannedItem(item, plan)
            }.recover(on: nil) { error -> Promise<PlannedItem> in
                guard let error = error as? WorkflowError, !error.is(.cancelled) else { throw error }
                return .value(PlannedItem(item, failing: error))
            }
        }
    }
}
