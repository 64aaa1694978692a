/// The managed identity of the Azure machine, app or container in which this program runs.
///
/// It asks the service in `IDENTITY_ENDPOINT`, which App Service, Functions and Container Apps set, else the metadata
/// service of virtual machines at 169.254.169.254.
public struct ManagedIdentityCredential: GrantingCredential {
    private let source: ManagedIdentitySource

    /// Creates a credential.
    ///
    /// - Parameters:
    ///   - clientID: The identity's client id if the machine has several; nil for its own.
    ///   - environment: Environment variables.
    ///   - platform: The service for which tokens are issued, and the clock; the endpoint depends on the machine.
    public init(
        clientID: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment,
        on platform: IdentityPlatform = IdentityPlatform()
    ) {
        self.init(clientID: clientID, environment: environment, on: platform, transport: nil)
    }

    /// - Parameter transport: Carries the requests; nil for the machine's own services.
    package init(
        clientID: String?, environment: [String: String], on platform: IdentityPlatform,
        transport: (any HTTPTransport)?
    ) {
        source = ManagedIdentitySource(
            clientID: clientID, environment: environment, platform: platform,
            transport: transport ?? MetadataTransport(clock: platform.clock))
    }

    /// Gets a token and its properties; scopes are ignored, because an administrator granted the permissions.
    public func grant(for need: TokenNeed) -> Promise<TokenGrant> { source.grant(for: need) }
}

final class ManagedIdentitySource: Sendable {
    private let clientID: String?
    private let environment: [String: String]
    private let platform: IdentityPlatform
    private let transport: any HTTPTransport
    private let kept = Locked<TokenGrant?>(nil)
    private let flights = SingleFlight<Int, TokenGrant>()

    init(
        clientID: String?, environment: [String: String], platform: IdentityPlatform, transport: any HTTPTransport
    ) {
        self.clientID = clientID
        self.environment = environment
        self.platform = platform
        self.transport = transport
    }

    func grant(for need: TokenNeed) -> Promise<TokenGrant> {
        let grant = kept.withLock { $0 }
        if let grant, grant.isGood(now: platform.now(), after: need.refusal) { return .value(grant) }
        return flights.join(0) { [self] in
            firstly {
                ask(try request(), 0).map(on: nil) { [self] answer in
                    let answer = try TokenAnswer(answer, now: platform.now())
                    var grant = TokenGrant(
                        answer.accessToken,
                        expiresAt: platform.now().addingTimeInterval(Double(answer.expiresIn)),
                        source: "the managed identity")
                    grant.isApplication = true
                    kept.withLock { [grant] in $0 = grant }
                    return grant
                }
            }
        }
    }

    private var isAppService: Bool { !(environment["IDENTITY_ENDPOINT"] ?? "").isEmpty }

    private func request() throws(CredentialError) -> HTTPRequest {
        let address: String
        var form = Form()
        var headers: HTTPHeaders = ["Accept": "application/json"]
        if isAppService {
            guard let header = environment["IDENTITY_HEADER"], !header.isEmpty else {
                throw CredentialError(.misconfigured, "IDENTITY_ENDPOINT is set, but IDENTITY_HEADER is not.")
            }
            address = environment["IDENTITY_ENDPOINT"] ?? ""
            form = form.with("api-version", "2019-08-01")
            headers["X-IDENTITY-HEADER"] = header
        } else {
            let given = environment["AZURE_POD_IDENTITY_AUTHORITY_HOST"].flatMap { $0.isEmpty ? nil : $0 }
            var host = given ?? "http://169.254.169.254"
            while host.hasSuffix("/") { host.removeLast() }
            address = "\(host)/metadata/identity/oauth2/token"
            form = form.with("api-version", "2018-02-01")
            headers["Metadata"] = "true"
        }
        form = form.with("resource", platform.resource).with("client_id", clientID)
        guard let url = URL(string: "\(address)?\(form.encoded)"), url.scheme == "http",
            HostName(of: url).isOfTheMachine
        else {
            throw CredentialError(
                .misconfigured,
                "'\(PlainText.exact(address, limit: 200))' is not an address of the machine's own identity service.")
        }
        return HTTPRequest("GET", url, headers: headers)
    }

    private func ask(_ request: HTTPRequest, _ retry: Int) -> Promise<IdentityAnswer> {
        // If nothing answers, the service does not exist: retrying would only take time.
        platform.send(
            request, for: "managedIdentity", over: transport,
            timeout: isAppService || retry > 0 ? .seconds(30) : .seconds(2)
        ).recover(on: nil) { [self] error -> Promise<IdentityAnswer> in
            let status = (error as? IdentityTrouble)?.status ?? (error as? IdentityRefusal)?.status ?? 0
            // The metadata service returns 404 and 410 while it is being updated.
            let isTransient = [404, 408, 410, 429].contains(status) || status >= 500
            guard isTransient, retry < 4 else { throw self.error(error) }
            return after(.seconds(1 << retry), clock: platform.clock).then(on: nil) { [self] in ask(request, retry + 1)
            }
        }
    }

    private func error(_ error: any Error) -> any Error {
        switch error {
        case let failure as HTTPFailure where failure.reason != .cancelled:
            return CredentialError(
                .notConfigured,
                "No managed identity service responds here (\(PlainText.line(failure.detail, limit: 200))).")
        case let refusal as IdentityRefusal:
            var result = CredentialError(
                refusal.status == 400 ? .notConfigured : .misconfigured,
                "This machine has no such managed identity"
                    + (clientID == nil ? "." : ": check AZURE_CLIENT_ID."))
            result.serviceMessage = refusal.message ?? refusal.error
            return result
        case let trouble as IdentityTrouble:
            return CredentialError(
                trouble.isTransient ? .serviceUnavailable : .notConfigured,
                "The managed identity service answers \(HTTPStatus.words(trouble.status)).")
        default: return error
        }
    }
}
