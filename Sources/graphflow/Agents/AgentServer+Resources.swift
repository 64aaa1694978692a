/// Plans and reports of runs as resources.
extension AgentServer {
    private static let mostListed = 100
    /// Says that texts come from Microsoft 365, and are no instructions.
    private static let mark: Value = ["io.graphflow/data": true]

    static let templates: [Value] = [
        [
            "uriTemplate": "graphflow://plan/{planId}", "name": "plan", "title": "A plan as people read it",
            "mimeType": "text/markdown",
        ],
        [
            "uriTemplate": "graphflow://run/{runId}", "name": "run", "title": "The report of a run",
            "mimeType": "application/json",
        ],
    ]

    var resources: [Value] {
        setup.newest(Self.mostListed).map { summary in
            let kind = summary.state == .waiting ? "plan" : "run"
            return [
                "uri": .string("graphflow://\(kind)/\(summary.run)"), "name": .string("\(kind) \(summary.run)"),
                "title": .string(
                    "\(summary.workflow?.title ?? summary.workflow?.name ?? kind), \(summary.state.rawValue)"),
                "mimeType": kind == "plan" ? "text/markdown" : "application/json",
            ]
        }
    }

    func read(_ uri: Value?) throws -> Value {
        let missing = RPCError(.params, "there is no such resource", data: ["uri": uri ?? .null])
        guard let uri = uri?.string, uri.hasPrefix("graphflow://"), uri.utf8.count < 100 else { throw missing }
        let parts = uri.split(separator: "/").dropFirst().map(String.init)
        guard parts.count == 2 else { throw missing }
        do {
            switch parts[0] {
            case "plan":
                guard let plan = try plan(parts[1]) else { throw missing }
                return [
                    "uri": .string(uri), "mimeType": "text/markdown",
                    "text": .string(PlanMarkdown(view: PlanView(plan.plan)).text), "_meta": Self.mark,
                ]
            case "run":
                let report = try resource(of: parts[1])
                return [
                    "uri": .string(uri), "mimeType": "application/json", "text": .string(report.json(pretty: true)),
                ]
            default: throw missing
            }
        } catch is AgentRefusal {
            throw missing
        }
    }

    private func plan(_ name: String) throws -> ApprovedPlan? {
        if let ready = plans.ready(name) { return ready.plan }
        _ = try setup.summary(of: name)
        return try ApprovalRequests(of: name, in: setup.runs).request(ApprovalRequest.plan)?.intactPlan
    }
}
