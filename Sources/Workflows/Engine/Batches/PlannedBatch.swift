/// What a batch would do: the plan of its first item for the shape, and what differs from item to item.
package struct PlannedBatch: Sendable {
    package let items: BatchItems
    /// The batch's name, by which its mails are found again; nil if nothing looks for them.
    package let name: String?
    /// The batch whose remaining items are planned; nil for a new batch.
    package let continuedBatch: String?
    package let sourceDigest: String
    package let mode: Plan.Mode
    package let plannedAt: Date
    /// The plan of the first item that has one; nil if none has.
    package let shape: Plan?
    package let planned: [PlannedItem]
    /// The SHA-256 of each file that a plan reads, by its path in the workflow's folder.
    package let files: [String: String]
    package let summary: BatchSummary
    /// The objects that several items write, so that what each finds there depends on their order.
    let contested: Set<String>
    /// The permissions that the token lacks; nil if the token's permissions are unknown.
    package let missingPermissions: [String]?

    /// Whether the plans have every request and program that a run can reach.
    package var isComplete: Bool { summary.isComplete }

    package var effects: [Effect] { planned.flatMap(\.effects) }

    /// The items whose runs would end with an error.
    package var failing: [PlannedItem] { planned.filter { $0.error != nil } }

    fileprivate init(
        _ items: BatchItems, named name: String?, continuing batch: String?, digest: String, mode: Plan.Mode,
        at moment: Date, planned: [PlannedItem], contested: Set<String>, _ findings: Findings
    ) {
        self.items = items
        (self.name, continuedBatch) = (name, batch)
        self.mode = mode
        plannedAt = moment
        (self.planned, self.contested) = (planned, contested)
        sourceDigest = digest
        shape = findings.shape?.plan
        files = findings.files
        let summary = BatchSummary(of: planned.lazy.map(\.countedValue))
        self.summary = summary
        let needed = shape?.isApplication == true ? summary.application : summary.delegated
        missingPermissions = shape?.grantedPermissions.map { granted in needed.filter { !granted.cover([$0]) } }
    }

    /// The findings in the plans of all items that no item keeps.
    fileprivate struct Findings: Sendable {
        var shape: (item: Int, plan: Plan)?
        var files: [String: String] = [:]

        mutating func add(_ plan: Plan, of item: Int) {
            if shape.map({ item <= $0.item }) ?? true { shape = (item, plan) }
            files.merge(plan.files) { $1 }
        }
    }
}

extension Runner {
    /// Few, because planning uses only this machine.
    private static let mostPlanned = 4

    /// Plans the runs of all items of a batch, of this machine's shard if there is one, or what is left of a batch.
    ///
    /// If there is a ``mailIdentity``, the plan has the lookups of mails; only the batch's name counts.
    /// - Parameters:
    ///   - digest: The source's hash, as ``BatchItems/check()`` returned it.
    ///   - mode: Whether requests that only read are sent.
    ///   - begun: The batch that continues; nil for a new one.
    ///   - isPinned: Whether runs are going to be compared with the plan, or others read it.
    /// - Returns: The plan; rejected if the source cannot be read, or an item's run cannot be planned for a reason that
    ///   is not the workflow's.
    package func plan(
        _ items: BatchItems, digest: String, mode: Plan.Mode = .dry, continuing begun: BatchPast.Opened? = nil,
        isPinned: Bool = true
    ) -> Promise<PlannedBatch> {
        let findings = Locked(PlannedBatch.Findings())
        let moment = now().inWholeMilliseconds
        let plans = ItemPlans(
            runner: self, items: items, mode: mode, at: moment, continuing: begun, isPinned: isPinned,
            findings: findings)
        return when(fulfilled: plans, concurrently: Self.mostPlanned).then { planned in
            let contested = planned.contested
            // Only now is it known what other items write, too.
            let again = plans.again(planned, contested)
            return when(fulfilled: again.plans, concurrently: Self.mostPlanned).map { new in
                var planned = planned
                for (place, item) in zip(again.places, new) { planned[place] = item }
                return PlannedBatch(
                    items, named: self.mailIdentity?.batch, continuing: begun?.journal.header.run, digest: digest,
                    mode: mode, at: moment, planned: planned, contested: contested, findings.withLock { $0 })
            }
        }
    }

    private struct ItemPlans: IteratorProtocol, Sendable {
        let runner: Runner
        let items: BatchItems
        let mode: Plan.Mode
        let moment: Date
        let begun: BatchPast.Opened?
        let isPinned: Bool
        let findings: Locked<PlannedBatch.Findings>
        private let library: WorkflowLibrary
        private var reader: BatchItems.Reader?
        private var count = 0
        private var isOver = false
        private var contested: Set<String> = []
        /// The places of the items that are planned; nil for all.
        private var places: Set<Int>?

        init(
            runner: Runner, items: BatchItems, mode: Plan.Mode, at moment: Date,
            continuing begun: BatchPast.Opened?, isPinned: Bool, findings: Locked<PlannedBatch.Findings>
        ) {
            (self.runner, self.items, self.mode, self.moment, self.findings) = (runner, items, mode, moment, findings)
            (self.begun, self.isPinned) = (begun, isPinned)
            library = WorkflowLibrary(of: items.workflow)
        }

        mutating func next() -> Promise<PlannedItem>? {
            guard !isOver else { return nil }
            do {
                var reader = try self.reader ?? items.reader()
                defer { self.reader = reader }
                while let item = try reader.next() {
                    guard begun?.past.wants(item.name) ?? true else { continue }
                    count += 1
                    if places?.contains(count - 1) ?? true { return plan(item, number: count) }
                }
                return nil
            } catch {
                isOver = true
                return Promise(error: error)
            }
        }

        /// The plans of those items that write what others write, too, and the items' places.
        func again(_ planned: [PlannedItem], _ contested: Set<String>) -> (plans: ItemPlans, places: [Int]) {
            var plans = self
            plans.contested = contested
            let places = planned.indices.filter { !planned[$0].objects.isDisjoint(with: contested) }
            plans.places = Set(places)
            plans.isOver = places.isEmpty
            return (plans, places)
        }

        private func plan(_ item: BatchItem, number: Int) -> Promise<PlannedItem> {
            let (runner, mode, moment, findings, contested) = (runner, mode, moment, findings, contested)
            let (workflow, library, begun, isPinned) = (items.workflow, library, begun, isPinned)
            return Place().perform {
                runner.plan(workflow, item, after: begun, mode: mode, at: moment, contested: contested, library)
            }.map(on: nil) { plan -> PlannedItem in
                findings.withLock { $0.add(plan, of: number) }
                return PlannedItem(item, plan, isPinned: isPinned)
            }.recover(on: nil) { error -> Promise<PlannedItem> in
                let error = error is UnsettledEffects ? Batch.question : error
                guard let error = error as? WorkflowError, !error.is(.cancelled) else { throw error }
                return .value(PlannedItem(item, failing: error))
            }
        }
    }
}

extension [PlannedItem] {
    /// The objects that more than one item writes.
    fileprivate var contested: Set<String> {
        var (once, often): (Set<String>, Set<String>) = ([], [])
        for item in self {
            often.formUnion(item.objects.intersection(once))
            once.formUnion(item.objects)
        }
        return often
    }
}
