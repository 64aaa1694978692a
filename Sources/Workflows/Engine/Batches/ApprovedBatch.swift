import Essentials

/// A plan of a batch that was approved: the digests of everything that it was made from, and of each item's plan.
///
/// `graphflow batch --dry-run --plan-out FILE` writes one, and `graphflow batch --plan FILE` does exactly that.
package struct ApprovedBatch: Sendable {
    /// The version of the format of approved plans of batches.
    package static let formatVersion = "1.0"

    /// The plan in the form of ``PlannedBatch/value``.
    package let plan: Value
    /// How the plan was made.
    package let mode: Plan.Mode
    private let workflow: String
    private let references: [String: String]
    /// The digest of each item's plan by the item's name; nil for an item without a plan.
    private let digests: [String: String?]

    /// Creates an approved plan from a plan.
    package init(_ planned: PlannedBatch) {
        plan = planned.value
        mode = planned.mode
        workflow = ApprovedPlan.digest(of: planned.items.workflow)
        references = ApprovedPlan.references(of: planned.items.workflow)
        digests = Self.digests(of: plan)
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
            let mode = plan["mode"]?.string.flatMap({ Plan.Mode(rawValue: $0) }), plan["items"]?.array != nil
        else { throw PlanMismatch(["the plan is incomplete: make it again with '--plan-out'"]) }
        guard digest == Self.digest(of: plan) else {
            throw PlanMismatch(["the plan itself was changed after it was made"])
        }
        self.plan = plan
        self.mode = mode
        self.workflow = workflow
        self.references = references.reduce(into: [:]) { $0[$1.key] = $1.value.string }
        self.digests = Self.digests(of: plan)
    }

    /// The approved plan as JSON.
    package var value: Value {
        [
            "approvedBatch": .string(Self.formatVersion),
            "digests": [
                "workflow": .string(workflow),
                "references": .object(
                    Object(references.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })),
                "plan": .string(Self.digest(of: plan)),
            ],
            "plan": plan,
        ]
    }

    /// How the items and the workflow differ from what was approved, one difference per line.
    ///
    /// Items of one shard may be run as a plan of all items says.
    /// - Parameters:
    ///   - name: The batch's name, by which its mails are found again; nil if nothing looks for them.
    ///   - digest: The source's hash, as ``BatchItems/check()`` returned it.
    package func differences(to items: BatchItems, named name: String? = nil, digest: String) -> [String] {
        var differences = ApprovedPlan.differences(of: items.workflow, to: workflow, references)
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

    /// Fails unless the items and the workflow are as they were approved.
    package func demand(_ items: BatchItems, named name: String?, digest: String) throws(PlanMismatch) {
        let differences = differences(to: items, named: name, digest: digest)
        guard differences.isEmpty else { throw PlanMismatch(differences) }
    }

    /// The digest of what a run of a plan does.
    static func digest(of plan: Plan) -> String {
        let value = plan.value
        // The same parts as ``ApprovedPlan/differences(to:)`` compares.
        return digest(of: ["tasks": value["tasks"] ?? nil, "files": value["files"] ?? [:], "output": plan.output])
    }

    private static func digest(of value: Value) -> String {
        var hash = SHA256()
        hash.update(value.canonicalJSON)
        return hash.finalize().hex
    }

    private static func digests(of plan: Value) -> [String: String?] {
        (plan["items"]?.array ?? []).reduce(into: [:]) { digests, item in
            if let name = item["item"]?.string { digests[name] = .some(item["digest"]?.string) }
        }
    }
}

extension ApprovedBatch {
    /// Fails unless the plan has an item, and a new plan of its run is the same.
    func demand(_ plan: Plan, of item: String) throws(PlanMismatch) {
        guard let approved = digests[item] else { throw PlanMismatch(["the plan has no item \(item)"]) }
        guard approved == Self.digest(of: plan) else {
            throw PlanMismatch([
                "the run of the item \(item) would do something else than in the plan: undo what has changed, or "
                    + "approve a new plan for a batch of the items that are left"
            ])
        }
    }
}
