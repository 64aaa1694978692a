import Essentials
import Workflows

/// What a plan in JSON says to a person, whether it was just made or saved before.
struct PlanView {
    /// The plan, as ``Plan/value`` has it.
    let plan: Value
    let effects: [Effect]

    /// - Parameter plan: The plan as ``Plan/value`` has it.
    init(_ plan: Value) {
        self.plan = plan
        effects = (plan["effects"]?.array ?? []).compactMap { Effect($0) }
    }

    /// Reads a plan that was saved, or printed as JSON.
    /// - Throws: ``PlanMismatch`` if it was changed after it was saved.
    /// - Returns: Nil if it is no plan.
    static func saved(_ value: Value) throws(PlanMismatch) -> PlanView? {
        if value["approvedPlan"] != nil { return PlanView(try ApprovedPlan(value).plan) }
        return value["plan"]?.string != nil && value["effects"] != nil ? PlanView(value) : nil
    }

    /// The workflow's name and version.
    var name: String {
        [plan["workflow"]?["name"]?.string, plan["workflow"]?["version"]?.string].compactMap(\.self)
            .joined(separator: " ")
    }

    /// What was sent to make the plan, in words.
    var origin: String {
        plan["mode"] == "read" ? "only requests that read were sent" : "nothing was sent"
    }

    var isComplete: Bool { plan["complete"] == true }

    /// Why the plan may leave something out.
    var gaps: [String] { (plan["gaps"]?.array ?? []).compactMap(\.string) }

    /// The permissions for a signed-in user, for an application, those that the token lacks, and the requests of which
    /// they are not known.
    func permissions(_ name: String) -> [String] {
        (plan["summary"]?["permissions"]?[name]?.array ?? []).compactMap { $0["permission"]?.string ?? $0.string }
    }

    /// The tasks at every depth, in order.
    var tasks: [Value] { Self.flat(plan["tasks"]) }

    private static func flat(_ tasks: Value?) -> [Value] {
        (tasks?.array ?? []).flatMap { task in
            [task] + (task["branches"]?.array ?? []).flatMap { flat($0["tasks"]) }
        }
    }

    /// A person with what is sent to them.
    struct Person {
        let address: String
        var isExternal: Bool
        var effects: [Effect]
    }

    /// The people that effects are for, in the order of their first ones; without those that only a run knows.
    var people: [Person] {
        var people: [Person] = []
        var places: [String: Int] = [:]
        for effect in effects {
            let external = Set((effect["external"].array ?? []).compactMap { $0.string?.lowercased() })
            for address in (effect.recipients ?? []).compactMap(\.self) {
                let key = address.lowercased()
                guard let place = places[key] else {
                    places[key] = people.count
                    people.append(Person(address: address, isExternal: external.contains(key), effects: [effect]))
                    continue
                }
                if external.contains(key) { people[place].isExternal = true }
                if people[place].effects.last != effect { people[place].effects.append(effect) }
            }
        }
        return people
    }

    /// A message as its reader sees it.
    struct Message: Hashable {
        /// The number of its task.
        let task: String
        let subject: String
        let to: String
        let body: String
        let isHTML: Bool
    }

    /// The messages in the requests, each once: a draft and the request that is sent without one have the same.
    var messages: [Message] {
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
