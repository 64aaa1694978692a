/// What the plans of an agent may do, as the person who starts the server says it.
struct EffectBounds: OptionGroup {
    @Option("max-mails", "N", "Refuse plans that may send more mails than this.", as: .count(from: 0))
    private var mostMails: Int?
    @Flag("no-deletes", "Refuse plans that may delete something.") private var isWithoutDeletes
    @Flag(
        "internal-only",
        "Refuse plans that may reach someone outside of the organization: by a mail,\nan event, a link, a program or another service."
    )
    private var isInternal
    @Option("only", "KIND,…", "Refuse plans with effects of other kinds: mail, file, link…", as: Conversion(kinds))
    private var kinds: Set<Effect.Kind>?

    /// Objects that reach people, or other services, at addresses that an effect does not list as external.
    private static let openObjects: Set<String> = ["guest", "mail rule", "subscription"]
    /// Properties that invite people or give them access, in lower case.
    private static let openProperties: Set<String> = ["attendees", "forward", "grantedto", "grantedtov2", "roles"]

    /// Whether an effect may leave the organization without an address that can be checked.
    private static func isOpen(_ effect: Effect) -> Bool {
        let what = effect["what"].string ?? ""
        switch effect.kind {
        case .program, .request, .notification, .tool: return true
        case .link: return effect["scope"] == "users"
        case .create: return openObjects.contains(what) || what == "message"
        case .change:
            guard !openObjects.contains(what) else { return true }
            guard let properties = effect["properties"].object else { return ["event", "driveItem"].contains(what) }
            return properties.contains { openProperties.contains($0.key.lowercased()) }
        case .mail, .file, .folder, .event, .delete, .member, .license, .localFile: return false
        }
    }

    private static func kinds(_ text: String, _ name: String) throws -> Set<Effect.Kind> {
        var kinds: Set<Effect.Kind> = []
        for word in text.split(separator: ",").map({ $0.trimming(\.isWhitespace) }) {
            guard let kind = Effect.Kind(rawValue: String(word)) else {
                let known = Effect.Kind.allCases.map(\.rawValue)
                throw UsageError(
                    "there is no kind of effect '\(PlainText.line(String(word), limit: 100))'",
                    hint: Diagnostic.didYouMean(String(word), among: known)
                        ?? "the kinds are \(known.joined(separator: ", "))")
            }
            kinds.insert(kind)
        }
        guard !kinds.isEmpty else { throw UsageError("'\(name)' needs kinds", hint: "\(name) mail,file") }
        return kinds
    }

    /// Why a plan with these effects is refused, one reason a line; empty if it is within the bounds.
    func refusals(of effects: [Effect]) -> [String] {
        let totals = EffectTotals(effects)
        func most(_ count: Effect.Count) -> String { count.atMost.map { "at most \($0)" } ?? "without a limit" }
        var refusals: [String] = []
        if let mostMails, totals.mails.atMost ?? .max > mostMails {
            refusals.append("its mails (\(most(totals.mails))) are more than '--max-mails' allows, \(mostMails)")
        }
        if isWithoutDeletes, totals.deletes.atMost != 0 {
            refusals.append("it may delete something (\(most(totals.deletes))), and '--no-deletes' allows nothing")
        }
        if isInternal {
            for (count, what) in [
                (totals.externalRecipients, "people outside of the organization"),
                (totals.anonymousLinks, "links that anyone can open"),
            ] where count.atMost != 0 {
                refusals.append("it may reach \(what) (\(most(count))), and '--internal-only' allows none")
            }
            if let effect = effects.first(where: Self.isOpen) {
                let what = effect["what"].string.map { " (\($0))" } ?? ""
                refusals.append(
                    "it has an effect of the kind '\(effect.kind.rawValue)'\(what), which may leave the organization, "
                        + "and '--internal-only' allows none")
            }
        }
        if let kinds, let effect = effects.first(where: { !kinds.contains($0.kind) }) {
            refusals.append("it has an effect of the kind '\(effect.kind.rawValue)', which '--only' leaves out")
        }
        return refusals
    }
}
