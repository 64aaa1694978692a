/// An approved plan of a batch: the digests of everything it was made from, and of each item's plan.
///
/// `graphflow batch --dry-run --plan-out FILE` writes one, and `graphflow batch --plan FILE` follows it.
package struct ApprovedBatch: Sendable {
    package static let formatVersion = "1.0"

    /// The plan in the form of ``PlannedBatch/value``.
    package let plan: Value
    package let mode: Plan.Mode
    package let plannedAt: Date
    private let workflow: String
    private let references: [String: String]
    /// The environment variables that programs get in addition to the usual ones.
    private let variables: VariableDigests
    /// The objects that several items write.
    let contested: Set<String>
    /// What the plan says of each item, by the item's name.
    private let planned: [String: Value]

    package init(_ planned: PlannedBatch) {
        var members = planned.pinnedValue.object ?? [:]
        members["shape"] = planned.shape?.shapeValue
        plan = .object(members)
        mode = planned.mode
        plannedAt = planned.plannedAt
        workflow = ApprovedPlan.digest(of: planned.items.workflow)
        references = ApprovedPlan.references(
            of: planned.items.workflow, without: planned.shape?.ownFiles ?? OwnFiles())
        variables = VariableDigests(planned.shape?.variables ?? [:])
        self.planned = Self.items(of: plan)
        contested = planned.contested
    }

    /// Reads an approved plan.
    /// - Throws: ``PlanMismatch`` if the data is not an approved plan of a batch, or was changed.
    package init(_ value: Value) throws(PlanMismatch) {
        guard let version = value["approvedBatch"]?.string else {
            throw PlanMismatch(["the file is not a plan written by 'graphflow batch --dry-run --plan-out FILE'"])
        }
        guard version == Self.formatVersion else {
            throw PlanMismatch(["the plan has version \(version), and this graphflow reads \(Self.formatVersion)"])
        }
        let digests = value["digests"]
        guard let plan = value["plan"], let workflow = digests?["workflow"]?.string,
            let references = digests?["references"]?.object, let digest = digests?["plan"]?.string,
            let mode = plan["mode"]?.string.flatMap({ Plan.Mode(rawValue: $0) }),
            let plannedAt = plan["plannedAt"]?.string.flatMap({ Date(iso8601: $0) }),
            let items = plan["items"]?.array, let variables = VariableDigests(digests?["variables"])
        else { throw PlanMismatch(["the plan is incomplete: make it again with '--plan-out'"]) }
        guard digest == ApprovedPlan.digest(of: plan) else {
            throw PlanMismatch(["the plan was changed after it was made"])
        }
        self.plan = plan
        self.mode = mode
        self.plannedAt = plannedAt
        self.workflow = workflow
        self.references = references.reduce(into: [:]) { $0[$1.key] = $1.value.string }
        self.variables = variables
        planned = Self.items(of: plan)
        contested = Set(plan["contested"]?.array?.compactMap(\.string) ?? [])
        // Refuses members that nothing is compared with.
        guard self.value == value, planned.count == items.count, plan["total"]?.integer == items.count else {
            throw PlanMismatch(["the plan has unknown members"])
        }
        try Self.demandSums(of: plan, over: items)
    }

    /// Fails unless the plan's totals match its items; runs compare only the plans of their items.
    private static func demandSums(of plan: Value, over items: [Value]) throws(PlanMismatch) {
        if let name = plan.object?.keys.first(where: { !PlannedBatch.memberNames.contains($0) }) {
            throw PlanMismatch(["the plan has '\(PlainText.exact(name, limit: 100))', which is not a member of a plan"])
        }
        let summary = BatchSummary(of: items)
        let effects = items.flatMap { $0["effects"]?.array ?? [] }.compactMap { Effect($0) }
        let differences = [
            ("summary", summary.value(lacking: nil)), ("complete", .bool(summary.isComplete)),
            ("gaps", summary.gapsValue ?? []), ("totals", EffectTotals(effects).value),
        ].flatMap { name, sum in
            ApprovedPlan.compare(plan[name] ?? [], sum, "the sum of the items, \(name)")
        }
        guard differences.isEmpty else { throw PlanMismatch(differences) }
    }

    package var value: Value {
        [
            "approvedBatch": .string(Self.formatVersion),
            "digests": .members([
                ("workflow", .string(workflow)),
                (
                    "references",
                    .object(Object(references.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
                ), ("variables", variables.value), ("plan", .string(ApprovedPlan.digest(of: plan))),
            ]),
            "plan": plan,
        ]
    }

    /// How the items and the workflow differ from what was approved, one difference per line.
    ///
    /// A plan of all items also covers the items of one shard.
    package func differences(
        to items: BatchItems, named name: String? = nil, digest: String, variables present: [String: String] = [:],
        without own: OwnFiles = OwnFiles()
    ) -> [String] {
        var differences = ApprovedPlan.differences(of: items.workflow, to: workflow, references, without: own)
        differences += variables.differences(to: present)
        differences += ApprovedPlan.compare(
            ["batchPlan": plan["batchPlan"] ?? .null, "workflow": plan["workflow"] ?? .null],
            [
                "batchPlan": .string(PlannedBatch.formatVersion),
                "workflow": PlannedBatch.value(of: items.workflow.metadata),
            ], "the plan")
        differences += ApprovedPlan.compare(
            plan["input"] ?? [:], Value.object(items.common).drawn(), "the input of all items")
        if plan["sourceDigest"]?.string != digest {
            differences.append("the source \(PlainText.line(items.source.name, limit: 200)) was changed")
        }
        func compare(_ name: String, _ present: Value?, _ what: String) {
            let approved = plan[name]
            guard approved != present else { return }
            let shown = [present, approved].map { $0.map { PlainText.line($0.json(), limit: 120) } ?? "not given" }
            differences.append("\(what) is \(shown[0]), and \(shown[1]) in the plan")
        }
        compare("name", name.map(Value.string), "'--name', by which mails are looked up,")
        compare("key", items.key.map { .string($0.source) }, "'--key'")
        compare("allowDuplicates", .bool(items.allowsDuplicates), "'--allow-duplicates'")
        if plan["shard"] != nil {
            compare("shard", items.shard.map { [.integer($0.index), .integer($0.count)] }, "'--shard'")
        }
        return differences
    }

    package func demand(
        _ items: BatchItems, named name: String?, digest: String, variables: [String: String], without own: OwnFiles
    ) throws(PlanMismatch) {
        let differences = differences(to: items, named: name, digest: digest, variables: variables, without: own)
        guard differences.isEmpty else { throw PlanMismatch(differences) }
    }

    static func digest(of plan: Plan) -> String {
        // What people read is in the item itself, and the files are in the batch.
        ApprovedPlan.digest(of: ["tasks": .array(plan.tasks.map(\.value)), "output": plan.output])
    }

    private static func items(of plan: Value) -> [String: Value] {
        (plan["items"]?.array ?? []).reduce(into: [:]) { items, item in
            if let name = item["item"]?.string { items[name] = item }
        }
    }
}

extension Plan {
    /// The plan as the shape of an approved batch, without the files, which the batch has.
    fileprivate var shapeValue: Value {
        var members = pinnedValue.object ?? [:]
        members["files"] = nil
        return .object(members)
    }
}

extension ApprovedBatch {
    /// Fails unless the plan has an item, and a new plan of its run is the same.
    func demand(_ plan: Plan, of item: BatchItem) throws(PlanMismatch) {
        guard let approved = planned[item.name] else { throw PlanMismatch(["the plan has no item \(item.name)"]) }
        // The shape is the plan of the first item that has one.
        let first = self.plan["items"]?.array?.first { $0["error"] == nil }
        let isShape = first?["item"]?.string == item.name
        let files = plan.pinnedFiles(of: self.plan)
        var plan = plan
        plan.perspective = EffectPerspective(self.plan["shape"]?["account"])
        guard approved == PlannedItem(item, plan).value, !isShape || self.plan["shape"] == plan.shapeValue,
            files.allSatisfy({ self.plan["files"]?[$0.key] == $0.value })
        else {
            throw PlanMismatch([
                "the run of the item \(item.name) would differ from the plan: undo what has changed, or "
                    + "approve a new plan for a batch of the remaining items"
            ])
        }
    }
}
