/// A plan in JSON for people, whether new or saved.
package struct PlanView {
    /// The plan of a run or of a batch as it was read.
    package let source: Value
    /// The plan as ``Plan/value`` has it; for a batch, the plan of its first item with facts about all items.
    package let plan: Value
    package let effects: [Effect]
    /// The items of a batch's plan; empty for a run.
    package let items: [Item]
    /// The plan of a run that was just made, with the bytes and unknowns of its requests; nil for another.
    package private(set) var made: Plan?
    /// Whether it was just made, for the token in use.
    package private(set) var isNew = false
    /// The address of Microsoft Graph in its requests.
    package private(set) var base = GraphClient.publicURL

    /// - Parameter plan: The plan as ``Plan/value`` has it.
    package init(_ plan: Value) {
        source = plan
        self.plan = plan
        items = []
        effects = Self.effects(of: plan)
    }

    /// - Parameters:
    ///   - plan: A new plan.
    ///   - base: The address of Microsoft Graph.
    package init(_ plan: Plan, base: URL) {
        self.init(plan.value)
        made = plan
        isNew = true
        self.base = base.absoluteString
    }

    private static func effects(of plan: Value) -> [Effect] {
        (plan["effects"]?.array ?? []).compactMap { Effect($0) }
    }

    /// - Parameter batch: The plan of a batch as ``PlannedBatch/value`` has it.
    package init(batch: Value) {
        let items = (batch["items"]?.array ?? []).map { item in
            let key = item["key"] ?? .null
            let error = item["error"].map(Self.words)
            return Item(key: key.string ?? key.json(), effects: Self.effects(of: item), error: error)
        }
        self.init(batch, items)
    }

    /// The plan of a new batch; a page needs only the effects of its items.
    package init(_ batch: PlannedBatch) {
        let items = batch.planned.map { item in
            let key = item.key.drawn()
            let effects = item.effects.compactMap { Effect($0.value) }
            return Item(
                key: key.string ?? key.json(), effects: effects,
                error: item.error.map { Self.words(.object($0.members)) })
        }
        self.init(batch.head, items)
        isNew = true
    }

    private static func words(_ error: Value) -> String {
        [error["title"]?.string, error["detail"]?.string].compactMap(\.self).joined(separator: ": ")
    }

    private init(_ batch: Value, _ items: [Item]) {
        var members = batch["shape"]?.object ?? [:]
        for name in ["workflow", "mode", "plannedAt", "complete", "totals"] { members[name] = batch[name] }
        var gaps = (batch["gaps"]?.array ?? []).map { gap in
            "\(gap["reason"]?.string ?? "?") (\(Self.counted(gap["items"]?.integer ?? 1)))"
        }
        let failing = batch["summary"]?["faulting"]?.integer ?? 0
        if failing > 0 { gaps.append("\(Self.counted(failing)) would fault") }
        members["gaps"] = .array(gaps.map(Value.string))
        var permissions = batch["summary"]?["permissions"]?.object ?? [:]
        permissions["unknown"] = batch["shape"]?["summary"]?["permissions"]?["unknown"]
        members["summary"] = ["permissions": .object(permissions)]
        source = batch
        plan = .object(members)
        self.items = items
        effects = items.flatMap(\.effects)
    }

    /// Reads a plan that was saved, or printed as JSON.
    /// - Throws: ``PlanMismatch`` if it was changed after it was saved.
    /// - Returns: Nil if the value is not a plan.
    package static func saved(_ value: Value) throws(PlanMismatch) -> PlanView? {
        if value["approvedPlan"] != nil { return PlanView(try ApprovedPlan(value).plan) }
        if value["approvedBatch"] != nil { return PlanView(batch: try ApprovedBatch(value).plan) }
        if value["batchPlan"]?.string != nil, value["items"] != nil { return PlanView(batch: value) }
        return value["plan"]?.string != nil && value["effects"] != nil ? PlanView(value) : nil
    }

    package struct Item {
        package let key: String
        package let effects: [Effect]
        /// Why its run would fail; nil if it would not.
        package let error: String?
    }

    package var isOfBatch: Bool { source["batchPlan"] != nil }

    /// The workflow, and how many items a batch has.
    package var title: String {
        if let run = plan["continuedRun"]?.string { return "the rest of \(name), run \(run)" }
        guard isOfBatch else { return name }
        let batch = source["continuedBatch"]?.string.map { ", batch \($0)," }
        return "\(batch == nil ? "" : "the rest of ")\(name)\(batch ?? "") for \(Self.counted(items.count))"
    }

    /// A number of items in words.
    package static func counted(_ items: Int) -> String { items == 1 ? "1 item" : "\(items) items" }

    package var name: String {
        [plan["workflow"]?["name"]?.string, plan["workflow"]?["version"]?.string].compactMap(\.self)
            .joined(separator: " ")
    }

    /// The title of the file, with the name and the version.
    package var heading: String {
        plan["workflow"]?["title"]?.string.map { "\($0) (\(title))" } ?? title
    }

    /// What was sent to make the plan, in words.
    package var origin: String {
        plan["mode"] == "read" ? "only requests that read were sent" : "nothing was sent"
    }

    package var isComplete: Bool { plan["complete"] == true }

    /// Why the plan may leave something out.
    package var gaps: [String] { (plan["gaps"]?.array ?? []).compactMap(\.string) }

    /// The permissions for a signed-in user, for an application, those that the token lacks, or the requests with
    /// unknown permissions.
    package func permissions(_ name: String) -> [String] {
        (plan["summary"]?["permissions"]?[name]?.array ?? []).compactMap { $0["permission"]?.string ?? $0.string }
    }

    /// Whether the permissions of the token were known.
    package var knowsMissingPermissions: Bool { plan["summary"]?["permissions"]?["missing"] != nil }

    /// The permissions of one of these kinds in words.
    package func permissionWords(_ name: String) -> String {
        let all = permissions(name)
        return all.isEmpty ? permissions("unknown").isEmpty ? "none" : "not known" : all.joined(separator: ", ")
    }

    /// The tasks at every depth, in order.
    package var tasks: [Value] { ApprovedPlan.tasks(of: plan["tasks"]) }

    package struct Failure {
        package let task: String
        package let count: Int
        package let total: Int
        /// Why the first of them would fail.
        package let reason: String
    }

    /// The tasks of which items would fail.
    package var failures: [Failure] {
        tasks.compactMap { task in
            let items = (task["branches"]?.array ?? []).filter { $0["kind"] == "item" }
            let failed = items.compactMap { item in item["end"]?["kind"] == "fault" ? item["end"]?["error"] : nil }
            guard let first = failed.first else { return nil }
            return Failure(
                task: task["name"]?.string ?? "", count: failed.count, total: items.count, reason: Self.words(first))
        }
    }

    /// The names of the tasks that wait for a person's approval, each once.
    package var questions: [String] {
        var seen: Set<String> = []
        return tasks.filter { $0["kind"] == "call" && $0["subject"] == "approval" }
            .compactMap { $0["name"]?.string }.filter { seen.insert($0).inserted }
    }

    package static func label(of task: Value) -> String {
        ["number", "name"].compactMap { task[$0]?.string }.joined(separator: " ")
    }

    /// The requests in the order of a run, each with its task.
    package var requests: [(step: Value, task: Value)] {
        tasks.flatMap { task in
            (task["steps"]?.array ?? []).filter { $0["type"] == "request" }.map { ($0, task) }
        }
    }

    /// Who planned it, for the person who approves it.
    package var planner: String {
        let claim =
            plan["plannedBy"]?.string.map { "It says that \($0) planned it" } ?? "It does not say who planned it"
        return "\(claim), and nothing proves that. Proven are who approves and who runs it."
    }

    package struct Message: Hashable {
        package let task: String
        package let subject: String
        package let to: String
        package let body: String
        package let isHTML: Bool
    }

    /// The messages in the requests, each once: a draft and the request that is sent without one have the same.
    package var messages: [Message] {
        var seen: Set<Message> = []
        return tasks.flatMap { task in
            (task["steps"]?.array ?? []).compactMap { step -> Message? in
                guard step["method"] == "POST", let json = step["body"]?["json"],
                    let body = (json["message"] ?? json)["body"]?.object, let content = body["content"]?.string
                else { return nil }
                let message = json["message"] ?? json
                let to = ["toRecipients", "ccRecipients", "bccRecipients"].flatMap { message[$0]?.array ?? [] }
                return Message(
                    task: task["number"]?.string ?? "", subject: message["subject"]?.string ?? "",
                    to: to.compactMap { $0["emailAddress"]?["address"]?.string }.joined(separator: ", "),
                    body: content, isHTML: body["contentType"]?.string?.lowercased() == "html")
            }
        }.filter { seen.insert($0).inserted }
    }
}
