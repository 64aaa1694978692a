/// What a request, program or event does to people and things: an entry of a plan, an approval or an account.
///
/// Its members depend on its kind and have a fixed order. In a plan they can hold unknowns.
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
        /// A new object, such as a user or group.
        case create
        /// A change of an object's properties.
        case change
        /// The removal of an object.
        case delete
        /// A group membership.
        case member
        /// A license of a user.
        case license
        /// A program that is started on this machine.
        case program
        /// A file on this machine.
        case localFile
        /// An event sent to others.
        case notification
        /// A request of which only the address is known.
        case request
        /// A tool of another server.
        case tool
    }

    /// Whether an effect can be undone.
    public enum Undo: String, Sendable, Hashable, CaseIterable {
        /// Completely.
        case exact
        /// In part, or only if the former state is known.
        case partly
        /// Not at all.
        case no
    }

    /// How often an effect happens.
    public struct Count: Sendable, Hashable {
        /// The minimum.
        public var atLeast: Int
        /// The maximum; nil for no limit.
        public var atMost: Int?

        /// Creates a count.
        public init(atLeast: Int, atMost: Int?) { (self.atLeast, self.atMost) = (atLeast, atMost) }

        /// It happens once.
        public static let one = Count(atLeast: 1, atMost: 1)
    }

    /// The outcome of an effect.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// It has begun and must not happen twice; if nothing follows, its outcome is unknown.
        case begun
        /// It happened.
        case done
        /// It may have happened.
        case unknown
        /// It was refused, and did not happen.
        case refused
        /// It happened and was undone.
        case undone
    }

    /// The kind of effect.
    public let kind: Kind
    /// The members of its kind; unknown ones are null.
    public private(set) var members: Object
    /// The task that causes it; nil for a chain composed in Swift.
    public var task: JSONPointer?
    /// The path of the loop iterations around the task; a plan writes `*` for a number that is only known at run time.
    public var rounds = ""
    /// How often it happens.
    public var count = Count.one
    /// When it happens, in words; nil if it always happens as far as known.
    public var condition: String?
    /// Whether it must not happen twice.
    public var isOnce = false
    var words: Value?
    /// What names it from its first record to its undoing: the id of the event with which it began; nil in a plan.
    package var identity: String?
    /// The object that it made or changed, as the service answered; nil if the answer does not name it.
    package var object: ObjectVersion?
    /// Names for members that are ids.
    package var itemNames: [String: Value] = [:]
    /// Whether its run keeps what it changes, so that it can be set back.
    package var isFormerKept = false
    /// Whether the signed-in account sends, organizes or owns it.
    package var isOwn = false

    /// Members that are not given are unknown.
    package init(_ kind: Kind, _ members: Object, isOwn: Bool = false) {
        self.kind = kind
        var all = Object()
        // Members are given in their order, so that they are rarely searched for.
        var given = members.makeIterator()
        var next = given.next()
        for name in kind.names {
            if let (key, value) = next, key == name {
                all.append(name, value)
                next = given.next()
            } else {
                all.append(name, next == nil ? .null : members[name] ?? .null)
            }
        }
        self.members = all
        self.isOwn = isOwn
    }

    /// A member of its kind; null if it is unknown.
    public subscript(name: String) -> Value { members[name] ?? .null }

    /// What stays the same if its request is sent again: names, addresses and the answer may become known in between.
    package var likeness: Likeness {
        let open = ["name", "external", kind.owner]
        return Likeness(kind: kind, values: members.filter { !open.contains($0.key) }.map(\.value))
    }

    package struct Likeness: Hashable {
        fileprivate let kind: Kind
        fileprivate let values: [Value]
    }

    /// The path of the repetitions around a place, without the attempts of a `try`, which repeat an effect.
    package static func withoutAttempts(_ rounds: String) -> String {
        rounds.split(separator: "/").filter { !$0.hasPrefix("try:") }.joined(separator: "/")
    }

    package func with(_ name: String, _ value: Value) -> Effect {
        var effect = self
        effect.members[name] = value
        return effect
    }
}

extension Effect.Kind {
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

    fileprivate var owner: String? {
        switch self {
        case .mail: "from"
        case .file, .folder, .link: "owner"
        case .event: "organizer"
        case .license: "user"
        default: nil
        }
    }

    package var recipients: [String] {
        switch self {
        case .mail: ["to", "cc", "bcc"]
        case .event: ["attendees"]
        default: []
        }
    }
}

extension Effect {
    /// Whether it can be undone.
    public var undo: Undo {
        switch kind {
        case .mail: self["sent"] == false ? .exact : .no
        case .file: self["replaces"] == false || isFormerKept ? .exact : .partly
        case .event: self["attendees"] == [] ? .exact : .partly
        case .change: isFormerKept ? .exact : .partly
        case .create: ["user", "group", "contact"].contains(self["what"].string ?? "") ? .exact : .no
        case .delete: ["user", "group"].contains(self["what"].string ?? "") ? .partly : .no
        case .license: .partly
        case .folder, .link, .member: .exact
        case .program, .localFile, .notification, .request, .tool: .no
        }
    }

    /// The addresses of the people it concerns; nil for each unknown one.
    ///
    /// - Returns: Nil if their number is unknown.
    public var recipients: [String?]? {
        var all: [String?] = []
        for name in kind.recipients {
            guard let addresses = self[name].array else { return nil }
            all += addresses.map(\.string)
        }
        return all
    }

    /// The addresses of the people it concerns, with drawings of unknown ones.
    package var addresses: [String] {
        kind.recipients.flatMap { name -> [String] in
            let list = self[name]
            return (list.array ?? [list]).filter { !$0.isNull }.map { $0.drawn().string ?? "" }
        }
    }

    /// The effect with its owner and its external recipients filled in.
    package func seen(by perspective: EffectPerspective) -> Effect {
        var effect = self
        if isOwn, let owner = kind.owner, let address = perspective.account {
            effect.members[owner] = .string(address)
        }
        if !kind.recipients.isEmpty { effect.members["external"] = perspective.external(recipients) }
        return effect
    }

    package func mapping(_ change: (Value) -> Value) -> Effect {
        var effect = self
        for (name, value) in members { effect.members[name] = change(value) }
        effect.itemNames = itemNames.mapValues(change)
        effect.words = words.map(change)
        // An address in which something is concealed leads nowhere.
        if let path = object?.path, change(.string(path)) != .string(path) { effect.object?.path = nil }
        if let id = object?.id, change(.string(id)) != .string(id) { effect.object = nil }
        return effect
    }
}

extension [Effect] {
    /// The effects, marked as once if the request must not be repeated.
    package func of(_ idempotency: Idempotency) -> [Effect] {
        map { effect in
            var effect = effect
            effect.isOnce = idempotency == .once
            return effect
        }
    }
}

/// The signed-in account of a plan or run, and the domains that count as internal.
public struct EffectPerspective: Sendable, Hashable {
    /// The address of the signed-in account; nil if unknown.
    public var account: String?
    /// The internal domains, in lower case; empty if unknown.
    public var domains: Set<String>
    /// The object id of the signed-in account or application, which is no part of a plan's account; nil if unknown.
    public var objectID: String?

    /// Creates a perspective.
    /// - Parameters:
    ///   - account: The address of the signed-in account; nil if unknown.
    ///   - domains: The internal domains; empty for the account's own domain.
    public init(account: String? = nil, domains: [String] = []) {
        self.account = account
        let own = account.flatMap(Self.domain(of:))
        self.domains = Set(domains.isEmpty ? [own].compactMap(\.self) : domains.map { $0.lowercased() })
    }

    /// The external addresses; null if the internal domains or the addresses are unknown.
    func external(_ addresses: [String?]?) -> Value {
        guard !domains.isEmpty, let addresses, !addresses.contains(nil) else { return .null }
        var seen: Set<String> = []
        return .array(
            addresses.compactMap(\.self).filter { isExternal($0) && seen.insert($0.lowercased()).inserted }
                .map(Value.string))
    }

    private func isExternal(_ address: String) -> Bool {
        Self.domain(of: address).map { !domains.contains($0) } ?? true
    }

    private static func domain(of address: String) -> String? {
        guard let at = address.lastIndex(of: "@") else { return nil }
        let domain = address[address.index(after: at)...].lowercased()
        return domain.isEmpty ? nil : domain
    }
}
