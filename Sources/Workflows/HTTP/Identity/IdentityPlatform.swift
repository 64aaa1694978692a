/// The Microsoft identity platform: the authority, the resource for which it issues tokens, and the connection to it.
public struct IdentityPlatform: Sendable {
    /// The issuer of tokens.
    public var authority: Authority
    /// The service for which tokens are issued, as a prefix of scopes: `https://graph.microsoft.com`.
    public var resource: String

    let transport: any HTTPTransport
    let clock: any PromiseClock
    let now: @Sendable () -> Date
    let randomBytes: @Sendable (Int) -> [UInt8]

    /// Creates a platform; it connects to nothing before the first request.
    ///
    /// - Parameters:
    ///   - authority: The issuer of tokens.
    ///   - resource: The service for which tokens are issued; nil for the Microsoft Graph of the authority's cloud.
    ///   - transport: Carries the requests; nil for the network.
    ///   - clock: Measures the waits between requests.
    ///   - now: The time of day.
    ///   - randomBytes: Cryptographically random bytes.
    public init(
        authority: Authority = .common, resource: String? = nil, transport: (any HTTPTransport)? = nil,
        clock: any PromiseClock = .continuous, now: @escaping @Sendable () -> Date = { Date() },
        randomBytes: @escaping @Sendable (Int) -> [UInt8] = Self.systemRandomBytes
    ) {
        self.authority = authority
        self.resource = resource ?? (authority.cloud ?? .global).resource
        self.transport = transport ?? NetworkTransport()
        self.clock = clock
        self.now = now
        self.randomBytes = randomBytes
    }

    /// Random bytes of the system.
    @Sendable public static func systemRandomBytes(_ count: Int) -> [UInt8] { Array(Data.random(count)) }

    /// The platform described by environment variables.
    ///
    /// A token may only be sent to the service for which it was issued: this throws if `GRAPHFLOW_GRAPH_URL` is not the
    /// Microsoft Graph of the sign-in host's cloud.
    ///   - environment: `AZURE_AUTHORITY_HOST`, `AZURE_TENANT_ID` and `GRAPHFLOW_GRAPH_URL`.
    ///   - tenant: The tenant, if it is not the environment's.
    ///   - cloud: The cloud, if it is not the environment's.
    ///   - transport: Carries the requests; nil for the network.
    ///   - clock: Measures the waits between requests.
    ///   - now: The time of day.
    /// - Throws: ``CredentialError`` if the variables are not valid.
    public init(
        environment: [String: String], tenant: String? = nil, cloud: Cloud? = nil,
        transport: (any HTTPTransport)? = nil, clock: any PromiseClock = .continuous,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws(CredentialError) {
        func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let graph = variable(Cloud.graphVariable).flatMap { URL(string: $0) }
        let cloudOfGraph = Cloud.all.first { $0.graphURL.host() == graph?.host()?.lowercased() }
        let tenant = tenant ?? variable("AZURE_TENANT_ID") ?? "common"
        let authority: Authority
        if let cloud {
            authority = try Authority(cloud: cloud).with(tenant: tenant)
        } else if let host = variable(Authority.variable) {
            authority = try Authority(host: host, tenant: tenant)
        } else {
            authority = try Authority(cloud: cloudOfGraph ?? .global).with(tenant: tenant)
        }
        let resource = try Self.resource(of: graph, cloudOfGraph, for: authority, cloud)
        self.init(authority: authority, resource: resource, transport: transport, clock: clock, now: now)
    }

    private static func resource(
        of graph: URL?, _ cloudOfGraph: Cloud?, for authority: Authority, _ cloud: Cloud?
    ) throws(CredentialError) -> String {
        guard let graph, let origin = Origin(graph) else {
            return (cloud ?? authority.cloud ?? .global).resource
        }
        func refusal(_ why: String) -> CredentialError {
            CredentialError(
                .misconfigured,
                "A token of \(authority.environment) must not go to \(PlainText.line(origin.description, limit: 200)): "
                    + "\(why). Set \(Authority.variable) or \(Cloud.graphVariable), so that both belong together, or "
                    + "set GRAPHFLOW_ACCESS_TOKEN to a token for that address.")
        }
        if let expected = authority.cloud {
            guard let cloudOfGraph, cloudOfGraph.authorityHost == expected.authorityHost,
                cloud == nil || cloud == cloudOfGraph
            else { throw refusal("that is not the Microsoft Graph of its cloud") }
            return cloudOfGraph.resource
        }
        guard authority.isLoopback == origin.isLoopback else {
            throw refusal("one of them is on this machine, and the other is not")
        }
        return origin.isLoopback ? Cloud.global.resource : origin.description
    }

    /// The scopes in the service's form: each with its resource as a prefix.
    func qualified(_ scopes: [String]) -> [String] {
        scopes.map { $0.contains("://") || ScopeName($0).isAboutSignIn ? $0 : "\(resource)/\($0)" }
    }

    /// The scopes of a token request for a user: the permissions, the user's identity, and a refresh token.
    func delegatedScope(_ scopes: [String]) -> String {
        let names = scopes.filter { !ScopeName($0).isAboutSignIn }
        return (qualified(names) + ScopeName.always).joined(separator: " ")
    }
}
