/// What agents get of plans and runs.
extension AgentServer {
    /// A larger output is left out of an answer, and read as a resource.
    private static let largestOutput = 100_000
    /// More effects are left out of an answer.
    private static let mostEffects = 200

    /// What an agent gets of a plan that was made.
    func answer(_ made: AgentPlans.Made) -> Object {
        let (name, plan, needsApproval) = (made.name, made.plan, made.needsApproval)
        let summary = plan.summary
        let needs = plan.isApplication ? summary.applicationPermissions : summary.delegatedPermissions
        var members: Object = [
            "planId": .string(name), "digest": .string(ApprovedPlan.digest(of: made.approved.value)),
            "complete": .bool(plan.isComplete),
            "gaps": .array(plan.gaps.map(Value.string)),
            "effects": .array(plan.effects.map(\.value)), "totals": EffectTotals(plan.effects).value,
            "permissions": .array(needs.map { .string($0.permission) }),
        ]
        if !summary.unknownNeeds.isEmpty {
            members["unknownPermissions"] = .array(
                summary.unknownNeeds.map { ["request": .string($0), "permissions": .null] })
        }
        if let missing = summary.missingPermissions, !missing.isEmpty {
            members["missingPermissions"] = .array(missing.map { .string($0.permission) })
        }
        members["plannedAt"] = .string(plan.plannedAt.iso8601)
        members["expires"] = .string(made.expires.iso8601)
        members["approve"] = [
            "needed": .bool(needsApproval),
            "command": needsApproval ? .string("graphflow approve \(name)") : .null,
            "url": needsApproval ? address.url(of: name).map(Value.string) ?? .null : .null,
        ]
        members["next"] = .string(
            needsApproval
                ? "A person approves it with the command or at the address. Then call run_plan."
                : "It only reads, and needs no approval: call run_plan.")
        return members
    }

    /// What an agent gets of a run: its state, its output or error, and what it did.
    func report(of name: String) throws -> Object {
        let summary = try setup.summary(of: name)
        var members: Object = ["runId": .string(name), "state": .string(summary.state.rawValue)]
        if summary.state == .waiting {
            members["effects"] = []
            members["next"] = .string(setup.ways(name))
            return members
        }
        let report = try resource(of: name)
        let output = report["output"] ?? .null
        if summary.state == .completed {
            let isShort = output.jsonData().count <= Self.largestOutput
            members["output"] = isShort ? output : .null
            if !isShort { members["outputIn"] = .string("graphflow://run/\(name)") }
        }
        members["error"] = report["error"]
        let effects = report["effects"]?.array ?? []
        members["effects"] = .array(Array(effects.prefix(Self.mostEffects)))
        if effects.count > Self.mostEffects {
            members["effectsCount"] = .integer(effects.count)
            members["effectsIn"] = .string("graphflow://run/\(name)")
        }
        members["next"] = next(after: summary).map(Value.string)
        return members
    }

    private func next(after summary: RunSummary) -> String? {
        switch summary.state {
        case .completed, .running, .waiting: nil
        case .interrupted, .suspended,
            .unknown where summary.needsAnswer == false:
            summary.isResumable ? "Call run_plan again: it continues." : "Plan the workflow again."
        case .unknown:
            "It is unknown whether an effect happened. A person has to find out, and then run 'graphflow resume "
                + "\(summary.run) --assume sent' or '--assume not-sent'. Do not plan the same effect again."
        case .faulted, .cancelled:
            summary.isRefused
                ? "Plan the workflow again, if the person wants it."
                : "A person can continue it with 'graphflow resume \(summary.run)'."
        case .damaged: "A person has to look at 'graphflow show \(summary.run)'."
        }
    }

    /// The whole report of a run, as `graphflow show --format json` has it.
    func resource(of name: String) throws -> Value {
        _ = try setup.summary(of: name)
        let workflow = RunReport.workflow(of: name, in: setup.runs)
        return shown(
            try RunReport(of: name, in: setup.runs, workflow, keepsData: true, unfolds: false, now: Date())
                .json(hasInputs: false))
    }

    /// A value with the tokens and secrets of this process concealed.
    func shown(_ value: Value) -> Value {
        let bytes = value.jsonData()
        let concealed = setup.conceal(bytes)
        return concealed == bytes ? value : (try? Value(json: concealed)) ?? .null
    }
}
