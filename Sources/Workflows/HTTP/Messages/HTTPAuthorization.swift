/// Authorizes requests before they are sent, and may answer a challenge with another proof.
///
/// Each request is authorized separately for its own URL; after a redirect to another origin, requests are not
/// authorized. The secrets stay inside the closures and ``parameter``.
public struct HTTPAuthorization: Sendable {
    /// Adds the proof to a request before it is sent.
    public typealias Authorize = @Sendable (_ request: HTTPRequest) -> Promise<HTTPRequest>

    /// The request to send after a response with status 401, with another proof; nil to accept the refusal.
    ///
    /// It is called once for each request, with the request before it was authorized.
    public typealias Answer = @Sendable (_ challenge: HTTPResponse, _ request: HTTPRequest) -> Promise<HTTPRequest?>

    /// The scheme, such as `Basic`, which expressions read as `$authorization.scheme`; nil if there is none.
    public var scheme: String?
    /// The value after the scheme, which expressions read as `$authorization.parameter`; nil if there is none.
    public var parameter: Secret?

    /// Whether the closures may read a request's body, which must then be in memory.
    package var readsBody = true

    private let sign: Authorize
    private let respond: Answer

    /// Creates an authorization.
    /// - Parameters:
    ///   - scheme: The scheme's name.
    ///   - parameter: The value after the scheme.
    ///   - authorize: Adds the proof to a request.
    ///   - answer: Answers a challenge; by default refusals are final.
    public init(
        scheme: String?, parameter: Secret? = nil, authorize: @escaping Authorize,
        answer: @escaping Answer = { _, _ in .value(nil) }
    ) {
        self.scheme = scheme
        self.parameter = parameter
        sign = authorize
        respond = answer
    }

    /// No authorization: requests are sent unchanged, and refusals are final.
    public static let none: HTTPAuthorization = {
        var none = HTTPAuthorization(scheme: nil) { .value($0) }
        none.readsBody = false
        return none
    }()

    /// The request with the proof; rejected if there is none.
    public func authorize(_ request: HTTPRequest) -> Promise<HTTPRequest> { sign(request) }

    /// The request to send after a challenge, or nil to accept the refusal.
    /// - Parameters:
    ///   - challenge: The response with status 401.
    ///   - request: The request before it was authorized.
    public func answer(_ challenge: HTTPResponse, to request: HTTPRequest) -> Promise<HTTPRequest?> {
        respond(challenge, request)
    }
}
