import Essentials

extension PlannedBatch {
    /// The version of the plan's JSON format.
    package static let formatVersion = "1.0"

    /// The plan as JSON, which `graphflow batch --dry-run --format json` prints.
    ///
    /// The same workflow, items and responses result in the same plan.
    package var value: Value {
        let metadata = items.workflow.metadata
        return .members([
            ("batchPlan", .string(Self.formatVersion)),
            (
                "workflow",
                [
                    "namespace": .string(metadata.namespace), "name": .string(metadata.name),
                    "version": .string(metadata.version),
                ]
            ),
            ("name", name.map(Value.string)), ("mode", .string(mode.rawValue)), ("source", .string(items.source.name)),
            ("sourceDigest", .string(sourceDigest)), ("key", items.key.map { .string($0.source) }),
            ("allowDuplicates", .bool(items.allowsDuplicates)),
            ("shard", items.shard.map { [.integer($0.index), .integer($0.count)] }),
            ("input", Value.object(items.common).drawn()), ("total", .integer(planned.count)),
            (
                "files",
                files.isEmpty
                    ? nil : .object(Object(files.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
            ),
            ("items", .array(planned.map(\.value))), ("summary", summary),
            ("complete", .bool(isComplete)),
            (
                "gaps",
                gaps.isEmpty
                    ? nil : .array(gaps.map { ["reason": .string($0.reason), "items": .integer($0.items)] })
            ),
            ("shape", shape?.value),
        ])
    }

    private var summary: Value {
        .members([
            ("requests", Self.counts(requests)), ("faulting", .integer(failing.count)),
            ("repeatedRecipients", .array(repeatedRecipients.map { $0.value(counting: "mails") })),
            ("repeatedPaths", .array(repeatedPaths.map { $0.value(counting: "writes") })),
            (
                "permissions",
                .members([
                    ("delegated", .array(permissions.delegated.map(Value.string))),
                    ("application", .array(permissions.application.map(Value.string))),
                    ("missing", permissions.missing.map { .array($0.map(Value.string)) }),
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

    /// Counts by method, in the order of the methods' names.
    fileprivate static func counts(_ counts: [String: Int]) -> Value {
        .object(Object(counts.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) }))
    }
}

extension PlannedItem {
    /// The item in the plan's JSON.
    package var value: Value {
        .members([
            ("item", .string(name)), ("key", key.drawn()), ("line", .integer(line)),
            ("recipients", .array(recipients.map(Value.string))), ("paths", .array(paths.map(Value.string))),
            ("requests", PlannedBatch.counts(requests)),
            ("changes", changes.isEmpty ? nil : .array(changes.map(Value.string))),
            ("programs", programs == 0 ? nil : .integer(programs)),
            ("gaps", gaps.isEmpty ? nil : .array(gaps.map(Value.string))),
            ("digest", digest.map(Value.string)), ("error", error.map { .object($0.members) }),
        ])
    }
}

extension PlannedBatch.Repetition {
    fileprivate func value(counting what: String) -> Value { ["name": .string(name), what: .integer(count)] }
}

extension PlannedLimits.Use {
    fileprivate var value: Value {
        [
            "service": .string(service), "limit": .string(limit), "used": .integer(count),
            "seconds": .integer(Int(time.seconds.rounded(.up))),
        ]
    }
}
