public import Foundation
public import Promises

/// A Microsoft Graph in memory: a signed-in user with a photo, a drive and a mailbox, for trying out and for tests.
///
/// It is a transport first: ``transport`` answers in process, for every host, without a network. ``SandboxServer`` puts
/// the same sandbox behind a socket. Everything it accepted can be read back: ``outbox``, ``drive`` and ``requests``.
///
/// The signed-in user is Megan Bowen, megan@contoso.com. A sharing link opens the file's bytes: behind a
/// ``SandboxServer`` in any browser; in process only through ``transport``, since nothing else knows the sandbox.
public final class Sandbox: Sendable {
    /// The address of Graph for use in process.
    public static let baseURL = URL(string: "https://graph.microsoft.com/v1.0") ?? URL(filePath: "/")

    /// Bearer tokens that are answered 401; every other one is accepted.
    static let refusedTokens: Set<String> = ["expired", "invalid", "revoked"]

    /// How it behaves towards a correct client.
    public let profile: Profile
    /// What the organisation is like.
    public let settings: Settings

    let now: @Sendable () -> Date
    /// What measures how long an answer takes.
    let clock: any PromiseClock

    private let state: Locked<SandboxState>

    /// Creates a sandbox in its first state.
    /// - Parameters:
    ///   - profile: How it behaves towards a correct client.
    ///   - settings: What the organisation is like.
    ///   - faults: Failures to play, the first that matches a request first.
    ///   - signIn: How it plays the identity platform.
    ///   - now: The date, which limits, sessions and mail on its way follow.
    ///   - clock: What measures how long answers take in process.
    ///   - random: Where ids and links come from.
    public init(
        profile: Profile = .default, settings: Settings = Settings(), faults: [Fault] = [],
        signIn: SignInRules = SignInRules(),
        now: @escaping @Sendable () -> Date = { Date() }, clock: any PromiseClock = .continuous,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.profile = profile
        self.settings = settings
        self.now = now
        self.clock = clock
        var first = SandboxState(profile: profile, settings: settings, faults: faults, random: random)
        first.signIn = SandboxSignIn(signIn)
        state = Locked(first)
    }

    /// A bearer token that it accepts, as it accepts any but `expired`, `invalid` and `revoked`.
    ///
    /// ``SignInRules/demandsIssuedTokens`` makes it accept only those that it issued; of these it minds the end and the
    /// permissions in any case.
    public var accessToken: String { "sandbox" }

    /// The way to it in process.
    public var transport: SandboxTransport { SandboxTransport(self) }

    /// The mails that were accepted, in order.
    public var outbox: [Mail] { state.withLock { $0.mails } }

    /// The files of all drives, in the order in which they were made.
    public var drive: [DriveItem] { state.withLock { $0.items } }

    /// What each service refused because of its limit.
    public var throttles: [Throttle] { state.withLock { $0.throttles } }

    /// The requests for Graph, in order, the latest ``Settings/keptRequests`` of them, without those that only read the sandbox back.
    public var requests: [Exchange] { state.withLock { $0.log.all } }

    /// Forgets everything that happened: mails, files, requests, and which failures were played.
    public func reset() {
        state.withLock { $0.reset() }
    }

    /// Calls the body with the state; the body must not call out.
    func withState<Result, Failure: Error>(
        _ body: (inout SandboxState) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try state.withLock { state throws(Failure) in try body(&state) }
    }

    /// Where links and downloads lead from now on, such as `http://127.0.0.1:8080`.
    func setOrigin(_ origin: String) {
        state.withLock { $0.origin = origin }
    }

    /// The answer to any request, for Graph or for the sandbox's own pages.
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
        return state.withLock { $0.answer(call) }
    }

    /// Tells that an answer was given, so that it no longer counts as under way.
    func finish(_ answer: SandboxAnswer) {
        guard let mailbox = answer.mailbox else { return }
        state.withLock { $0.finish(mailbox) }
    }

    /// Whether a fault cuts off a request of which only the head has come.
    func isReset(_ head: HTTPRequest) -> Bool {
        let date = now()
        guard let call = try? SandboxCall(head, at: date), SandboxPage(call.target.segments) == nil else {
            return false
        }
        return state.withLock { $0.isReset(call) }
    }
}
