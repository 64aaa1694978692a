public import Promises

/// What proves to a server who asks: it signs a request before it is sent, and may answer a challenge with another one.
///
/// Whoever sends requests signs them one by one, for the address that each goes to: what a request carries after an
/// answer sent it on to another origin is not signed at all. The secrets stay inside the closures and ``parameter``.
public struct HTTPAuthorization: Sendable {
    /// Adds the proof to a request that is about to be sent.
    public typealias Authorize = @Sendable (_ request: HTTPRequest) -> Promise<HTTPRequest>

    /// What to send after an answer with status 401: the request anew with another proof, or nil to leave it at that.
    ///
    /// It is asked once for each request, and given that request as it was before it was signed.
    public typealias Answer = @Sendable (_ challenge: HTTPResponse, _ request: HTTPRequest) -> Promise<HTTPRequest?>

    /// The name of the scheme, such as `Basic`, which expressions read as `$authorization.scheme`; nil where there is none.
    public var scheme: String?
    /// What stands behind the scheme's name, which expressions read as `$authorization.parameter`; nil where there is none.
    public var parameter: Secret?

    private let sign: Authorize
    private let respond: Answer

    /// Creates an authorization.
    /// - Parameters:
    ///   - scheme: The name of the scheme.
    ///   - parameter: What stands behind the scheme's name.
    ///   - authorize: Adds the proof to a request.
    ///   - answer: Answers a challenge; without it a refusal stays one.
    public init(
        scheme: String?, parameter: Secret? = nil, authorize: @escaping Authorize,
        answer: @escaping Answer = { _, _ in .value(nil) }
    ) {
        self.scheme = scheme
        self.parameter = parameter
        sign = authorize
        respond = answer
    }

    /// No proof: requests go as they are, and a refusal stays one.
    public static let none = HTTPAuthorization(scheme: nil) { .value($0) }

    /// The request with the proof; rejected where none can be had.
    public func authorize(_ request: HTTPRequest) -> Promise<HTTPRequest> { sign(request) }

    /// What to send after an answer that asks for a proof, or nil to leave it at that.
    /// - Parameters:
    ///   - challenge: The answer, of status 401.
    ///   - request: The request that it answers, as it was before it was signed.
    public func answer(_ challenge: HTTPResponse, to request: HTTPRequest) -> Promise<HTTPRequest?> {
        respond(challenge, request)
    }
}
