/// How many effects of each kind a plan has, at least and at most.
public struct EffectTotals: Sendable, Hashable {
    /// Messages, drafts included.
    public private(set) var mails = zero
    /// Different addresses.
    public private(set) var recipients = zero
    /// Different addresses that are outside.
    public private(set) var externalRecipients = zero
    /// Files that are written.
    public private(set) var files = zero
    /// Links.
    public private(set) var links = zero
    /// Links that anyone can open.
    public private(set) var anonymousLinks = zero
    /// Events.
    public private(set) var events = zero
    /// What is created, folders included.
    public private(set) var creates = zero
    /// What is changed, members and licenses included.
    public private(set) var changes = zero
    /// What is deleted.
    public private(set) var deletes = zero
    /// Rights that somebody gets.
    public private(set) var grants = zero
    /// Rights that somebody outside gets.
    public private(set) var externalGrants = zero
    /// Rules that send mail on.
    public private(set) var forwards = zero
    /// Messages in channels, chats and groups.
    public private(set) var posts = zero
    /// What is done with objects.
    public private(set) var actions = zero
    /// Programs.
    public private(set) var programs = zero
    /// Other requests that may change something.
    public private(set) var requests = zero

    private static let zero = Effect.Count(atLeast: 0, atMost: 0)

    /// Counts effects.
    public init(_ effects: [Effect]) {
        var everyone = Addresses()
        var outside = Addresses()
        for effect in effects {
            add(effect)
            guard effect.kind == .mail || effect.kind == .event, let audience = effect.audience else { continue }
            let recipients = effect.recipients
            everyone.add(recipients, effect.count)
            let external = audience.external.array.map { $0.map(\.string) }
            outside.add(external ?? recipients, effect.count, isCertain: external != nil)
        }
        (recipients, externalRecipients) = (everyone.count, outside.count)
    }

    private mutating func add(_ effect: Effect) {
        let count = effect.count
        switch effect.details {
        case .mail: mails.add(count)
        case .file: files.add(count)
        case .folder, .create: creates.add(count)
        case .link(let link):
            links.add(count)
            switch link.scope.string {
            case "anonymous": anonymousLinks.add(count)
            case nil: anonymousLinks.add(Effect.Count(atLeast: 0, atMost: count.atMost))
            default: break
            }
        case .event: events.add(count)
        case .change, .member, .license, .autoReply: changes.add(count)
        case .grant(let grant) where grant.added == false: changes.add(count)
        case .grant(let grant):
            grants.add(count)
            guard grant.external != [] else { break }
            let isKnown = grant.external.array != nil
            externalGrants.add(isKnown ? count : Effect.Count(atLeast: 0, atMost: count.atMost))
        case .forward: forwards.add(count)
        case .post: posts.add(count)
        case .action: actions.add(count)
        case .delete: deletes.add(count)
        case .program: programs.add(count)
        case .request: requests.add(count)
        case .localFile, .notification, .tool: break
        }
    }

    private struct Addresses {
        private var certain: Set<String> = []
        private var possible: Set<String> = []
        /// The number of unknown addresses; nil for no limit.
        private var unknown: Int? = 0

        mutating func add(_ addresses: [String?]?, _ count: Effect.Count, isCertain: Bool = true) {
            guard let addresses else {
                if count.atMost != 0 { unknown = nil }
                return
            }
            for address in addresses {
                guard let address = address?.lowercased() else {
                    unknown = unknown.flatMap { known in count.atMost.map { known + $0 } }
                    continue
                }
                possible.insert(address)
                if isCertain, count.atLeast > 0 { certain.insert(address) }
            }
        }

        var count: Effect.Count {
            Effect.Count(atLeast: certain.count, atMost: unknown.map { $0 + possible.count })
        }
    }

    /// The totals by their names, in order.
    public var all: [(name: String, count: Effect.Count)] {
        [
            ("mails", mails), ("recipients", recipients), ("externalRecipients", externalRecipients),
            ("files", files), ("links", links), ("anonymousLinks", anonymousLinks), ("events", events),
            ("creates", creates), ("changes", changes), ("deletes", deletes), ("grants", grants),
            ("externalGrants", externalGrants), ("forwards", forwards), ("posts", posts), ("actions", actions),
            ("programs", programs), ("requests", requests),
        ]
    }

    /// The totals in the plan's JSON.
    public var value: Value { .object(Object(all.map { ($0.name, $0.count.value) })) }
}

extension Effect.Count {
    package mutating func add(_ other: Effect.Count) {
        atLeast += other.atLeast
        atMost = atMost.flatMap { known in other.atMost.map { known + $0 } }
    }
}
