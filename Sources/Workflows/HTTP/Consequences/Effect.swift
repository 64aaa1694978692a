/// What a request, a program or an event does to people and things: an entry of a plan, an approval or an account.
///
/// Its members are those of its kind, in a fixed order. In a plan they can hold unknowns.
public struct Effect: Sendable, Hashable {
    /// The kinds of effects.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A message, sent or saved as a draft.
        case mail
        /// A file in a drive.
        case file
        /// A folder in a drive.
        case folder
        /// A link or an invitation that gives others access to a file.
        case link
        /// An event in a calendar.
        case event
        /// Something new, such as a user or a group.
        case create
        /// Something with other properties than before.
        case change
        /// Something that is removed.
        case delete
        /// Who is in a group.
        case member
        /// Who has a license.
        case license
        /// A program that is started on this machine.
        case program
        /// A file on this machine.
        case localFile
        /// An event that others are notified of.
        case notification
        /// A request of which only its address is known.
        case request
        /// A tool of another server.
        case tool
    }

    /// Whether an effect can be taken back.
    public enum Undo: String, Sendable, Hashable, CaseIterable {
        /// As if it had not happened.
        case exact
        /// Not all of it, or only if what was there before is known.
        case partly
        /// Not at all.
        case no
    }

    /// How often an effect happens.
    public struct Count: Sendable, Hashable {
        /// How often it certainly happens.
        public var atLeast: Int
        /// How often it happens at most; nil for no limit.
        public var atMost: Int?

        /// Creates a count.
        public init(atLeast: Int, atMost: Int?) { (self.atLeast, self.atMost) = (atLeast, atMost) }

        /// It happens once.
        public static let one = Count(atLeast: 1, atMost: 1)
    }

    /// What became of an effect.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// It has begun and must not happen twice; if nothing follows, it is unknown whether it happened.
        case begun
        /// It happened.
        case done
        /// It may have happened.
        case unknown
        /// It was refused, and did not happen.
        case refused
        /// It happened and was taken back.
        case undone
    }

    /// What it is.
    public let kind: Kind
    /// The members of its kind; what is not known is null.
    public private(set) var members: Object
    /// The task that has it; nil for a chain composed in Swift.
    public var task: JSONPointer?
    /// The path of the repetitions around the task, in a plan with `*` for a number that only a run finds out.
    public var rounds = ""
    /// How often it happens.
    public var count = Count.one
    /// When it happens, in words; nil if nothing is known to prevent it.
    public var condition: String?
    /// Whether it must not happen twice.
    public var isOnce = false
    /// The words of an effect that was read back from an account.
    var words: String?
    /// What people call those of its members that are ids.
    package var itemNames: [String: Value] = [:]
    /// Whether the signed-in account sends, organizes or owns it.
    package var isOwn = false

    /// Creates an effect; members that are not given are unknown.
    package init(_ kind: Kind, _ members: Object, isOwn: Bool = false) {
        self.kind = kind
        self.members = Object(kind.names.map { ($0, members[$0] ?? .null) })
        self.isOwn = isOwn
    }

    /// A member of its kind; null if it is not known.
    public subscript(name: String) -> Value { members[name] ?? .null }

    /// The same effect with a member of its kind.
    package func with(_ name: String, _ value: Value) -> Effect {
        var effect = self
        effect.members[name] = value
        return effect
    }
}

extension Effect.Kind {
    /// The names of its members, in order.
    package var names: [String] {
        switch self {
        case .mail: ["from", "to", "cc", "bcc", "subject", "attachments", "external", "sent"]
        case .file, .folder: ["owner", "path", "replaces", "size"]
        case .link: ["owner", "item", "type", "scope", "expires", "password"]
        case .event: ["organizer", "attendees", "external", "subject", "start", "end"]
        case .create, .change, .delete: ["what", "id", "name", "properties"]
        case .member: ["group", "member", "added"]
        case .license: ["user", "license", "added"]
        case .program: ["command"]
        case .localFile: ["path"]
        case .notification: ["type", "source"]
        case .request: ["method", "host", "path"]
        case .tool: ["server", "tool"]
        }
    }

    /// The member that names the signed-in account where it is the account's own.
    fileprivate var owner: String? {
        switch self {
        case .mail: "from"
        case .file, .folder, .link: "owner"
        case .event: "organizer"
        case .license: "user"
        default: nil
        }
    }

    /// The members with the addresses of people.
    package var recipients: [String] {
        switch self {
        case .mail: ["to", "cc", "bcc"]
        case .event: ["attendees"]
        default: []
        }
    }
}

extension Effect {
    /// Whether it can be taken back.
    public var undo: Undo {
        switch kind {
        case .mail: self["sent"] == false ? .exact : .no
        case .file: self["replaces"] == false ? .exact : .partly
        case .event: self["attendees"] == [] ? .exact : .partly
        case .change: .partly
        case .delete: ["user", "group"].contains(self["what"].string ?? "") ? .partly : .no
        case .folder, .link, .create, .member, .license: .exact
        case .program, .localFile, .notification, .request, .tool: .no
        }
    }

    /// The addresses of the people that it is for; nil in place of one that is not known.
    ///
    /// - Returns: Nil if it is not known how many there are.
    public var recipients: [String?]? {
        var all: [String?] = []
        for name in kind.recipients {
            guard let addresses = self[name].array else { return nil }
            all += addresses.map(\.string)
        }
        return all
    }

    /// The addresses of the people that it is for, with drawings of those that are not known.
    package var addresses: [String] {
        kind.recipients.flatMap { name -> [String] in
            let list = self[name]
            return (list.array ?? [list]).filter { !$0.isNull }.map { $0.drawn().string ?? "" }
        }
    }

    /// The same effect as an account sees it: whose it is, and who is outside.
    package func seen(by perspective: EffectPerspective) -> Effect {
        var effect = self
        if isOwn, let owner = kind.owner, let address = perspective.account {
            effect.members[owner] = .string(address)
        }
        if !kind.recipients.isEmpty { effect.members["external"] = perspective.external(recipients) }
        return effect
    }

    /// The same effect with other members.
    package func mapping(_ change: (Value) -> Value) -> Effect {
        var effect = self
        for (name, value) in members { effect.members[name] = change(value) }
        effect.itemNames = itemNames.mapValues(change)
        return effect
    }
}

extension [Effect] {
    /// The effects of a request that may, or must not, be repeated.
    package func of(_ idempotency: Idempotency) -> [Effect] {
        map { effect in
            var effect = effect
            effect.isOnce = idempotency == .once
            return effect
        }
    }
}

/// Whose account a plan or a run has, and which addresses are inside.
public struct EffectPerspective: Sendable, Hashable {
    /// The address of the signed-in account; nil if it is not known.
    public var account: String?
    /// The domains that are inside, in lower case; none if they are not known.
    public var domains: Set<String>

    /// - Parameters:
    ///   - account: The address of the signed-in account; nil if it is not known.
    ///   - domains: The domains that are inside; none for that of the account.
    public init(account: String? = nil, domains: [String] = []) {
        self.account = account
        let own = account.flatMap(Self.domain(of:))
        self.domains = Set(domains.isEmpty ? [own].compactMap(\.self) : domains.map { $0.lowercased() })
    }

    /// The addresses that are outside; null if the domains inside or the addresses are not known.
    func external(_ addresses: [String?]?) -> Value {
        guard !domains.isEmpty, let addresses, !addresses.contains(nil) else { return .null }
        var seen: Set<String> = []
        return .array(
            addresses.compactMap(\.self).filter { isExternal($0) && seen.insert($0.lowercased()).inserted }
                .map(Value.string))
    }

    /// Whether an address is outside.
    private func isExternal(_ address: String) -> Bool {
        Self.domain(of: address).map { !domains.contains($0) } ?? true
    }

    private static func domain(of address: String) -> String? {
        guard let at = address.lastIndex(of: "@") else { return nil }
        let domain = address[address.index(after: at)...].lowercased()
        return domain.isEmpty ? nil : domain
    }
}
