extension Plan {
    /// The version of the plan's JSON format.
    public static let formatVersion = "1.0"

    /// The plan as JSON, which `graphflow run --dry-run --format json` prints and ``schema`` describes.
    ///
    /// Tokens and secrets are redacted. The same workflow, input, moment and responses result in the same plan.
    public var value: Value {
        let metadata = workflow.metadata
        let effects = effects
        return .members([
            ("plan", .string(Self.formatVersion)),
            (
                "workflow",
                .members([
                    ("namespace", .string(metadata.namespace)), ("name", .string(metadata.name)),
                    ("version", .string(metadata.version)), ("title", metadata.title.map(Value.string)),
                ])
            ),
            ("mode", .string(mode.rawValue)), ("plannedAt", .string(plannedAt.iso8601)),
            ("plannedBy", plannedBy.map(Value.string) ?? .null), ("continuedRun", continuedRun.map(Value.string)),
            (
                "files",
                files.isEmpty
                    ? nil
                    : .object(Object(files.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
            ), ("input", input.drawn(isBesideDrawings: false)), ("tasks", .array(tasks.map(\.value))),
            ("output", output), ("effects", .array(effects.map(\.value))), ("totals", EffectTotals(effects).value),
            ("account", perspective.value), ("summary", summary.value),
            ("complete", .bool(isComplete)), ("gaps", gaps.isEmpty ? nil : .array(gaps.map(Value.string))),
            ("grantedPermissions", grantedPermissions.map { .array($0.map(Value.string)) }),
        ])
    }
}

extension PlannedTask {
    /// The task in the plan's JSON.
    public var value: Value {
        let outcome: String
        var error: Value?
        switch self.outcome {
        case .performed: outcome = "performed"
        case .skipped: outcome = "skipped"
        case .faulted(let fault): (outcome, error) = ("faulted", .object(fault.members))
        case .unknown(let why): (outcome, error) = ("unknown", ["detail": .string(why)])
        }
        return .members([
            ("number", .string(number)), ("name", .string(name)), ("reference", .string(reference.description)),
            ("kind", .string(kind.rawValue)), ("subject", subject.map(Value.string)), ("certainty", certainty.value),
            ("outcome", .string(outcome)), ("error", error),
            ("steps", steps.isEmpty ? nil : .array(steps.map(\.value))), ("wait", wait?.value),
            ("timeout", timeout?.value), ("concurrency", concurrency.map(Value.integer)), ("retry", retry?.value),
            ("branches", branches.isEmpty ? nil : .array(branches.map(\.value))), ("output", output),
        ])
    }
}

extension PlannedTask.Retry {
    var value: Value {
        .members([
            ("attempts", attempts.map(Value.integer)), ("waits", .array(waits.map(\.value))),
            ("longestWait", longestWait?.value), ("words", .string(words)),
        ])
    }
}

extension PlannedBranch {
    package var value: Value {
        let end: Value? =
            switch self.end {
            case nil: nil
            case .workflow: ["kind": "end"]
            case .fault(let error): ["kind": "fault", "error": .object(error.members)]
            case .again(let task): ["kind": "again", "task": .string(task)]
            }
        return .members([
            ("kind", .string(kind.rawValue)), ("title", title.isEmpty ? nil : .string(title)),
            ("certainty", certainty.value), ("tasks", .array(tasks.map(\.value))), ("end", end),
        ])
    }
}

extension PlannedCertainty {
    var value: Value {
        .members([
            ("kind", .string(word)), ("words", self == .certain ? nil : .string(description)),
        ])
    }
}

extension PlannedStep {
    /// The step in the plan's JSON.
    public var value: Value {
        switch self {
        case .request(let request): request.value
        case .process(let process):
            .members([
                ("type", "program"), ("call", .array(process.call.map(Value.string))),
                ("standardInput", process.standardInput.map(Value.string)),
                ("variables", .array(process.variables.map(Value.string))), ("isAwaited", .bool(process.isAwaited)),
            ])
        }
    }
}

extension PlannedRequest {
    /// The request in the plan's JSON, without secrets.
    public var value: Value {
        let shown = request.redacted
        return .members([
            ("type", "request"), ("condition", condition.map(Value.string)), ("function", .string(operation.name)),
            ("method", .string(shown.method)),
            ("url", .string(shown.url.absoluteString)),
            ("headers", .array(shown.headers.fields.map { ["name": .string($0.name), "value": .string($0.value)] })),
            ("body", body?.value), ("effect", .string(operation.effect.rawValue)),
            (
                "permissions",
                operation.hasUnknownNeeds
                    ? .null
                    : [
                        "delegated": .array(operation.scopes.map(Value.string)),
                        "application": .array(operation.applicationScopes.map(Value.string)),
                    ]
            ),
            ("service", .string(service)), ("attempts", .integer(operation.attempts)),
            ("longestWait", operation.longestWait.value), ("timeout", operation.timeout.value),
            ("existing", existing.map(value(of:))), ("status", status.map(Value.integer)),
            ("unread", unread.map(Value.string)),
        ])
    }
}

extension PlannedBody {
    var value: Value {
        switch self {
        case .json(let value): ["kind": "json", "json": value.drawn()]
        case .text: ["kind": "text", "text": .string(drawn)]
        case .bytes(let type, let size, let sha256):
            ["kind": "bytes", "type": .string(type), "size": .integer(size), "sha256": .string(sha256)]
        case .unknown(_, let type): ["kind": "unknown", "symbol": .string(drawn), "type": .string(type)]
        }
    }
}

extension PlannedRequest {
    private func value(of existing: Existing) -> Value {
        var version: Value?
        if case .version(let text)? = precondition { version = .string(text) }
        return switch existing {
        case .file(let size, let changedAt):
            .members([
                ("kind", "file"), ("size", size.map(Value.integer)), ("changedAt", changedAt.map(Value.string)),
                ("version", version),
            ])
        case .object(let properties):
            .members([("kind", "object"), ("properties", .object(properties)), ("version", version)])
        case .nothing: ["kind": "nothing"]
        case .unknown(let why): ["kind": "unknown", "why": .string(why)]
        }
    }
}

extension PlanSummary {
    /// The summary in the plan's JSON.
    public var value: Value {
        .members([
            ("reads", .integer(reads)),
            (
                "permissions",
                .members([
                    ("delegated", .array(delegatedPermissions.map(\.value))),
                    ("application", .array(applicationPermissions.map(\.value))),
                    ("unknown", unknownNeeds.isEmpty ? nil : .array(unknownNeeds.map(Value.string))),
                    ("missing", missingPermissions.map { .array($0.map(\.value)) }),
                ])
            ),
            (
                "requests",
                .array(loads.map { ["service": .string($0.service), "requests": .integer($0.requests)] })
            ),
            ("shortestTime", shortestTime.value), ("longestTime", longestTime?.value ?? .null),
            ("unclear", .array(unclear.map(Value.string))),
        ])
    }
}

extension PlanSummary.Need {
    var value: Value {
        ["permission": .string(permission), "functions": .array(functions.map(Value.string))]
    }
}

extension Duration {
    fileprivate var value: Value {
        let seconds = self.seconds
        return seconds == seconds.rounded() ? .integer(Int(seconds)) : .double(seconds)
    }
}
