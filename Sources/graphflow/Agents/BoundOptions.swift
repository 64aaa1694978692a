/// The options that bound what the plans of agents may do.
struct BoundOptions: OptionGroup {
    @Option("max-mails", "N", "Refuse plans that may send more mails than this.", as: .count(from: 0))
    private var mostMails: Int?
    @Flag("no-deletes", "Refuse plans that may delete something.") private var isWithoutDeletes
    @Flag("no-grants", "Refuse plans that may give somebody a right: a role, an owner, a share.")
    private var isWithoutGrants
    @Flag(
        "internal-only",
        "Refuse plans that may reach someone outside of the organization: by a mail,\nan event, a link, a right, a post, a program or another service."
    )
    private var isInternal
    @Option("only", "KIND,…", "Refuse plans with effects of other kinds: mail, file, link…", as: Conversion(kinds))
    private var kinds: Set<Effect.Kind>?

    private static func kinds(_ text: String, _ name: String) throws -> Set<Effect.Kind> {
        var kinds: Set<Effect.Kind> = []
        for word in text.split(separator: ",").map({ $0.trimming(\.isWhitespace) }) {
            guard let kind = Effect.Kind(rawValue: String(word)) else {
                let known = Effect.Kind.allCases.map(\.rawValue)
                throw UsageError(
                    "there is no kind of effect '\(PlainText.exact(String(word), limit: 100))'",
                    hint: Diagnostic.didYouMean(String(word), among: known)
                        ?? "the kinds are \(known.joined(separator: ", "))")
            }
            kinds.insert(kind)
        }
        guard !kinds.isEmpty else { throw UsageError("'\(name)' needs kinds", hint: "\(name) mail,file") }
        return kinds
    }

    var bounds: EffectBounds {
        var bounds = EffectBounds()
        (bounds.mostMails, bounds.allowsDeletes) = (mostMails, !isWithoutDeletes)
        bounds.allowsGrants = !isWithoutGrants
        (bounds.isInternal, bounds.kinds) = (isInternal, kinds)
        return bounds
    }
}
