internal import GraphModel

/// A Microsoft Graph in memory for trials and tests: a signed-in user with a photo, a drive and a mailbox.
///
/// ``transport`` answers in process, for every host, without a network. ``SandboxServer`` serves the same sandbox at a
/// socket. Everything it accepted can be read back: ``outbox``, ``drive`` and ``requests``.
///
/// The signed-in user is Megan Bowen, megan@contoso.com, unless the contents say otherwise. A sharing link opens the
/// file's bytes: in any browser with a ``SandboxServer``, else only through ``transport``.
public final class Sandbox: Sendable {
    /// The address of Graph for use in process.
    public static let baseURL = URL(string: "https://graph.microsoft.com/v1.0") ?? URL(filePath: "/")

    /// These tokens are answered 401; every other one is accepted.
    static let refusedTokens: Set<String> = ["expired", "invalid", "revoked"]

    /// How the service behaves towards a correct client.
    public let profile: Profile
    /// The properties of the organisation.
    public let settings: Settings

    let now: @Sendable () -> Date
    let clock: any PromiseClock
    /// Sends notifications of changes: the only way out, which a sandbox does not have by itself.
    let notifier: (any HTTPTransport)?

    private let state: Locked<SandboxState>

    /// Creates a sandbox in its initial state.
    /// - Parameters:
    ///   - profile: How the service behaves towards a correct client.
    ///   - settings: The properties of the organisation.
    ///   - faults: The simulated failures; the first match applies.
    ///   - signIn: How it simulates the identity platform.
    ///   - now: The current date, for limits, sessions and mail in transit.
    ///   - clock: Measures delays of answers in process.
    ///   - random: The source of ids and links.
    ///   - notifier: Sends notifications to subscribers; nil for none, so that there is no subscription either.
    public convenience init(
        profile: Profile = .default, settings: Settings = Settings(), faults: [Fault] = [],
        signIn: SignInRules = SignInRules(),
        now: @escaping @Sendable () -> Date = { Date() }, clock: any PromiseClock = .continuous,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        notifier: (any HTTPTransport)? = nil
    ) {
        self.init(
            profile: profile, settings: settings, contents: Contents(), faults: faults, signIn: signIn, now: now,
            clock: clock, random: random, notifier: notifier)
    }

    package init(
        profile: Profile = .default, settings: Settings = Settings(), contents: Contents, faults: [Fault] = [],
        signIn: SignInRules = SignInRules(),
        now: @escaping @Sendable () -> Date = { Date() }, clock: any PromiseClock = .continuous,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        notifier: (any HTTPTransport)? = nil
    ) {
        self.notifier = notifier
        self.profile = profile
        self.settings = settings
        self.now = now
        self.clock = clock
        var first = SandboxState(
            profile: profile, settings: settings, contents: contents, faults: faults, random: random, at: now())
        first.signIn = SandboxSignIn(signIn)
        state = Locked(first)
    }

    /// A bearer token that it accepts, like any other except `expired`, `invalid` and `revoked`.
    ///
    /// With ``SignInRules/demandsIssuedTokens`` it accepts only tokens that it issued. It always checks their expiry
    /// and permissions.
    public var accessToken: String { "sandbox" }

    package var account: String { state.withLock { $0.directory.users[0].userPrincipalName } }

    /// The object id of the signed-in user.
    package var accountID: String { state.withLock { $0.directory.users[0].id } }

    /// The transport to it in process.
    public var transport: SandboxTransport { SandboxTransport(sandbox: self) }

    /// The accepted mails, in order.
    public var outbox: [Mail] { state.withLock { $0.mails } }

    /// The files of all drives, in order of creation.
    public var drive: [DriveItem] { state.withLock { $0.items } }

    /// The requests that each service refused because of its limit.
    public var throttles: [Throttle] { state.withLock { $0.throttles } }

    /// The latest ``Settings/keptRequests`` requests for Graph, in order, without those for the sandbox's own pages.
    public var requests: [Exchange] { state.withLock { $0.log.all } }

    /// Forgets everything: mails, files, requests, and which failures occurred.
    public func reset() {
        let date = now()
        state.withLock { $0.reset(at: date) }
    }

    /// The body must not call out.
    func withState<Result, Failure: Error>(
        _ body: (inout SandboxState) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try state.withLock { state throws(Failure) in try body(&state) }
    }

    func setOrigin(_ origin: String) {
        state.withLock { $0.origin = origin }
    }

    func answer(_ request: HTTPRequest) -> SandboxAnswer {
        let date = now()
        let call: SandboxCall
        do {
            call = try SandboxCall(request, at: date)
        } catch {
            return state.withLock { $0.answer(request, with: error, at: date) }
        }
        if let page = SandboxPage(call.target.segments) {
            return SandboxAnswer(state.withLock { $0.show(page, call) })
        }
        if let route = SandboxSignInRoute(call.target.segments) { return state.withLock { $0.answer(route, call) } }
        let answer = state.withLock { $0.answer(call) }
        deliverNotices()
        return answer
    }

    /// Records that an answer was sent, so its request no longer counts as concurrent.
    func finish(_ answer: SandboxAnswer) {
        guard let mailbox = answer.mailbox else { return }
        state.withLock { $0.finish(mailbox) }
    }

    /// The largest request body in bytes at the socket, somewhat above the limit that the service reports with its own
    /// error.
    static func bodyLimit(_ head: HTTPRequest) -> Int {
        let segments = (try? SandboxTarget(head.url))?.segments ?? []
        return switch (head.method, (try? SandboxRoute(segments))?.resource) {
        case ("PUT", .content): SandboxState.contentLimit
        case ("PUT", .upload): SandboxUpload.rangeLimit + 1 << 20
        default: 8 << 20
        }
    }

    func isReset(_ head: HTTPRequest) -> Bool {
        let date = now()
        guard let call = try? SandboxCall(head, at: date), SandboxPage(call.target.segments) == nil else {
            return false
        }
        return state.withLock { $0.isReset(call) }
    }
}

extension Sandbox {
    /// Whether a sandbox plays a request.
    /// - Parameter path: The path after the version.
    package static func plays(_ method: String, _ path: String) -> Bool {
        let segments = path.split(separator: "/").map { String($0).percentDecoded ?? String($0) }
        if let route = try? SandboxRoute(["v1.0"] + segments), route.resource != .unplayed {
            return route.methods.contains(method)
        }
        guard let address = try? GraphAddress(path), let operation = try? GraphOperation(method, address) else {
            return false
        }
        return SandboxStore.plays(operation)
    }
}
