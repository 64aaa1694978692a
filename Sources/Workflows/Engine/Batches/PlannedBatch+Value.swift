extension PlannedBatch {
    package static let formatVersion = "1.0"

    /// The plan as JSON, which `graphflow batch --dry-run --format json` prints; the same inputs give the same plan.
    package var value: Value { value(lacking: missingPermissions, .array(planned.map(\.value))) }

    package var head: Value { value(lacking: missingPermissions, nil) }

    /// The plan as an approved one keeps it, without the token's permissions.
    var pinnedValue: Value { value(lacking: nil, .array(planned.map(\.value))) }

    static let memberNames: Set<String> = [
        "batchPlan", "workflow", "name", "mode", "plannedAt", "source", "sourceDigest", "key", "allowDuplicates",
        "shard", "input", "total", "files", "items", "totals", "summary", "complete", "gaps", "shape",
        "contested",
    ]

    private func value(lacking missing: [String]?, _ items: Value?) -> Value {
        let key: Value? = self.items.key.map { .string($0.source) }
        let shard: Value? = self.items.shard.map { [.integer($0.index), .integer($0.count)] }
        let digests = Object(files.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
        return .members([
            ("batchPlan", .string(Self.formatVersion)),
            ("workflow", Self.value(of: self.items.workflow.metadata)),
            ("name", name.map(Value.string)), ("continuedBatch", continuedBatch.map(Value.string)),
            ("mode", .string(mode.rawValue)),
            ("plannedAt", .string(plannedAt.iso8601)), ("source", .string(self.items.source.name)),
            ("sourceDigest", .string(sourceDigest)), ("key", key),
            ("allowDuplicates", .bool(self.items.allowsDuplicates)),
            ("shard", shard),
            ("input", Value.object(self.items.common).drawn()), ("total", .integer(planned.count)),
            ("files", digests.isEmpty ? nil : .object(digests)), ("items", items),
            ("totals", EffectTotals(effects).value),
            ("summary", summary.value(lacking: missing)),
            ("complete", .bool(isComplete)), ("gaps", summary.gapsValue),
            ("contested", contested.isEmpty ? nil : .array(contested.sorted().map(Value.string))),
            ("shape", shape?.value),
        ])
    }

    static func value(of metadata: Workflow.Metadata) -> Value {
        [
            "namespace": .string(metadata.namespace), "name": .string(metadata.name),
            "version": .string(metadata.version),
        ]
    }
}

extension PlannedItem {
    package var value: Value { value(with: .array(effects.map(\.value))) }

    /// The item without its effects, from which the totals are computed.
    var countedValue: Value { value(with: nil) }

    private func value(with effects: Value?) -> Value {
        .members([
            ("item", .string(name)), ("key", key.drawn()), ("line", .integer(line)),
            ("recipients", .array(recipients.map(Value.string))), ("paths", .array(paths.map(Value.string))),
            ("effects", effects), ("requests", BatchSummary.counts(requests)),
            ("gaps", gaps.isEmpty ? nil : .array(gaps.map(Value.string))),
            ("tally", tally), ("digest", digest.map(Value.string)), ("error", error.map { .object($0.members) }),
        ])
    }
}
