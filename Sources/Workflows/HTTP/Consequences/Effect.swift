/// What a request, program or event does to people and things: an entry of a plan, an approval or an account.
///
/// This target only carries effects: each request has those that it may have. What they say in words and as JSON, and
/// how they are taken back, is in `MicrosoftGraph`.
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
        /// A membership of a group, a team, a chat or an administrative unit.
        case member
        /// A license of a user.
        case license
        /// A right that somebody gains or loses: a role, an owner, access to a file or a calendar, a credential.
        case grant
        /// A rule that sends the mail of a mailbox on.
        case forward
        /// The automatic answers of a mailbox.
        case autoReply
        /// A message in a channel, a chat or a group.
        case post
        /// Something that is done with an object, such as ending its sessions.
        case action
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

    /// An object that a request names on the way to what it is about.
    package struct Holder: Sendable, Hashable {
        /// The model's type.
        package let what: String
        package let id: Value

        package init(what: String, id: Value) { (self.what, self.id) = (what, id) }
    }

    /// What it does, in the form of its kind.
    package var details: Details
    /// Members of its JSON that this version does not know, or not of that type: they are written as they were read.
    package var others = Object()
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
    /// How often a plan may try it until it happens; nil for no limit.
    package var mostTries: Int? = 1
    package var words: Value?
    /// What names it from its first record to its undoing: the id of the event with which it began; nil in a plan.
    package var identity: String?
    /// The object that it made or changed, as the service answered; nil if the answer does not name it.
    package var object: ObjectVersion?
    /// What holds its object, the nearest first, for words: the channel of a message, and the team of the channel.
    package var holders: [Holder] = []
    /// Names for ids among its members.
    package var itemNames: [Value: Value] = [:]
    /// Whether its run keeps what it changes, so that it can be set back.
    package var isFormerKept = false
    /// Whether the signed-in account sends, organizes or owns it.
    package var isOwn = false

    package init(_ details: Details, isOwn: Bool = false) {
        self.details = details
        self.isOwn = isOwn
    }

    /// The path of the repetitions around a place, without the attempts of a `try`, which repeat an effect.
    package static func withoutAttempts(_ rounds: String) -> String {
        rounds.split(separator: "/").filter { !$0.hasPrefix("try:") }.joined(separator: "/")
    }

    /// The effect with other words for people.
    package func described(as words: String) -> Effect {
        var effect = self
        effect.words = .string(words)
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

/// An object of a service, in the version that an effect left.
package struct ObjectVersion: Sendable, Hashable {
    /// Nil if the answer did not name it.
    package var id: String?
    /// Nil for objects without one.
    package var etag: String?
    /// Where it is after the service's base, percent-encoded, without a query; nil if that is not known.
    package var path: String?

    package init(id: String?, etag: String?, path: String? = nil) { (self.id, self.etag, self.path) = (id, etag, path) }
}
