/// Effects in words: what happens to whom; a sign and a colour mark those that need a second look.
///
/// Many effects of one task are merged into one line.
struct EffectLines {
    /// More effects of one task are merged into one line.
    private static let mostAlone = 3
    /// How many addresses and names a line has.
    private static let mostNamed = 5

    struct Entry {
        var words: String
        var isMarked: Bool
        /// When the effect happens; nil if nothing is known to prevent it.
        var condition: String?
    }

    private let effects: [Effect]

    init(_ effects: [Effect]) { self.effects = effects }

    func lines(_ style: PlanStyle) -> [String] {
        entries.map { entry in
            let words = entry.isMarked ? style.warning(entry.words) : entry.words
            let condition = entry.condition.map { " " + style.mark("[\($0)]") } ?? ""
            return (entry.isMarked ? style.warning("!") + " " : "  ") + words + condition
        }
    }

    /// The lines below a heading, with the totals.
    /// - Parameter none: The text if there are no effects.
    func paragraph(_ style: PlanStyle, ifNone none: String) -> String {
        guard !effects.isEmpty else { return "\(style.bold("Effects")): \(none)" }
        let totals = EffectTotals(effects).words
        // Calls of tools and notifications are not counted.
        var last = totals.isEmpty ? [] : ["  \(style.dim("In all: \(totals)"))"]
        if let undo { last.append("  \(style.dim("Undo: \(undo)"))") }
        return ([style.bold("Effects")] + lines(style) + last).joined(separator: "\n")
    }

    /// How many effects an undo takes back, in words; nil if the run does not keep what it changes.
    var undo: String? {
        guard effects.contains(where: \.isFormerKept) else { return nil }
        let counts = [(Effect.Undo.exact, "taken back"), (.partly, "in part"), (.no, "not at all")]
        return counts.compactMap { undo, words in
            let count = effects.count { $0.undo == undo }
            return count == 0 ? nil : "\(count) \(words)"
        }.joined(separator: ", ")
    }

    var entries: [Entry] { groups.flatMap(entries) }

    /// The effects of each task and kind, in the order of the first ones.
    private var groups: [[Effect]] {
        struct Key: Hashable {
            let task: JSONPointer?
            let kind: Effect.Kind
        }
        var keys: [Key] = []
        var groups: [Key: [Effect]] = [:]
        for effect in effects {
            let key = Key(task: effect.task, kind: effect.kind)
            if groups[key] == nil { keys.append(key) }
            groups[key, default: []].append(effect)
        }
        return keys.compactMap { groups[$0] }
    }

    private func entries(of group: [Effect]) -> [Entry] {
        guard group.count > Self.mostAlone, let first = group.first else { return group.map(entry) }
        let external = Self.external(of: group)
        var words = "\(Self.counted(group.count, first.kind)): \(Self.line(first.summary)), and so on"
        let addresses = Self.different(group.flatMap(\.addresses))
        if !addresses.isEmpty, first.kind != .mail, first.kind != .event {
            words += "; in all for \(Self.named(addresses))"
        } else if !addresses.isEmpty {
            words =
                "\(Self.counted(group.count, first.kind)) to \(addresses.count) "
                + "\(addresses.count == 1 ? "person" : "people"): \(Self.named(addresses))"
                + (first.subject.isNull ? "" : ", the first '\(Self.line(first.subject.drawn().string ?? ""))'")
        }
        if !external.isEmpty { words += "; outside of the organization: \(Self.named(external, most: 20))" }
        let isMarked = !external.isEmpty || group.contains { Self.warning(of: $0) != nil }
        return [Entry(words: words, isMarked: isMarked, condition: condition(of: first))]
    }

    private func entry(_ effect: Effect) -> Entry {
        let warning = Self.warning(of: effect)
        let words = Self.line(effect.summary) + (warning.map { " (\($0))" } ?? "") + often(effect)
        return Entry(words: words, isMarked: warning != nil, condition: condition(of: effect))
    }

    private func often(_ effect: Effect) -> String {
        let tries =
            switch effect.mostTries {
            case nil: " (tried until it succeeds)"
            case 1?: ""
            case let most?: " (tried up to \(most) times)"
            }
        let times =
            switch effect.count.atMost {
            case nil: ", any number of times"
            case 0?, 1?: ""
            case let most?: ", \(effect.count.atLeast == most ? "" : "up to ")\(most) times"
            }
        return tries + times
    }

    private func condition(of effect: Effect) -> String? {
        effect.count.atLeast == 0 ? Self.line(effect.condition ?? "not always") : nil
    }

    /// Rights by which others can do much.
    private static let strongRights = [
        "role": "an administrator can change much", "owner": "an owner can change it and its members",
        "appRole": "without a person who signs in", "delegatedPermission": "on behalf of those who sign in",
        "credential": "anyone who has it can act as it",
    ]

    /// Why an effect needs a second look; nil if it does not.
    private static func warning(of effect: Effect) -> String? {
        switch effect.details {
        case .link(let link) where link.scope == "anonymous": return "no sign-in is needed"
        case .link(let link) where link.scope.isNull: return "which may be anyone"
        case .grant(let grant) where grant.added == false: return nil
        case .mail, .event, .grant, .forward:
            let external = external(of: [effect])
            if !external.isEmpty { return "outside of the organization: \(named(external, most: 20))" }
            return effect.grant.flatMap { strongRights[$0.what ?? ""] }
        case .autoReply(let reply) where reply.audience == "all": return "outside of the organization as well"
        case .request: return "what it does is not known"
        case .delete: return effect.undo == .no ? "this cannot be undone" : "this is lost unless it is restored"
        case .file(let file) where file.replaces == true: return "its former content is replaced"
        case .program: return "it may do anything that you may do on this machine"
        default: return nil
        }
    }

    private static func external(of effects: [Effect]) -> [String] {
        different(effects.flatMap { $0.audience?.external.array ?? [] }.compactMap { $0.drawn().string })
    }

    private static func different(_ addresses: [String]) -> [String] {
        var seen: Set<String> = []
        return addresses.filter { seen.insert($0.lowercased()).inserted }
    }

    private static func named(_ all: [String], most: Int = mostNamed) -> String {
        let shown = all.prefix(most).map(line).joined(separator: ", ")
        return all.count > most ? "\(shown) and \(all.count - most) more" : shown
    }

    private static func counted(_ count: Int, _ kind: Effect.Kind) -> String {
        let noun =
            switch kind {
            case .mail: "mails"
            case .file, .localFile: "files"
            case .folder: "folders"
            case .link: "links"
            case .event: "events"
            case .create: "times something new"
            case .change: "changes"
            case .delete: "deletions"
            case .member: "changes of group members"
            case .license: "changes of licenses"
            case .grant: "changes of rights"
            case .forward: "rules that send mail on"
            case .autoReply: "changes of automatic replies"
            case .post: "posts"
            case .action: "actions"
            case .program: "programs"
            case .notification: "notifications"
            case .request: "requests"
            case .tool: "calls of tools"
            }
        return "\(count) \(noun)"
    }

    /// Text from the file or a service on one line; it is never cut, because people decide by it.
    private static func line(_ text: String) -> String { PlainText.escaped(text) }
}

extension EffectTotals {
    /// The same in words.
    static func words(_ account: [AccountedEffect]) -> String {
        counted(account).map { "\($0.number) \($0.what)" }.joined(separator: ", ")
    }

    /// The totals of effects that happened and of those with an unknown outcome, each with what is counted.
    static func counted(_ account: [AccountedEffect]) -> [(number: String, what: String)] {
        let open = account.count { $0.state == .unknown }
        return EffectTotals(account.filter { $0.state == .done }.map(\.effect)).counted
            + (open > 0 ? [(open.grouped, open == 1 ? "unknown outcome" : "unknown outcomes")] : [])
    }
}

extension Idempotency {
    /// What it means, for people.
    var words: String {
        switch self {
        case .read: "changes nothing"
        case .idempotent: "doing it twice has the same effect as doing it once"
        case .once: "must not happen twice: never repeated after an unknown outcome"
        }
    }
}
