/// The issuer of tokens: a host of the Microsoft identity platform, and a tenant.
public struct Authority: Sendable, Hashable {
    package static let variable = "AZURE_AUTHORITY_HOST"
    /// The tenants that mean kinds of accounts instead of an organization.
    private static let shared: Set<String> = ["common", "organizations", "consumers"]

    /// The sign-in service's address without a path.
    public let host: URL
    /// `common`, `organizations`, `consumers`, or a tenant's id or domain.
    public let tenant: String

    /// All accounts in the global cloud.
    public static let common = Authority(cloud: .global)

    /// All accounts in a cloud.
    public init(cloud: Cloud) {
        host = URL(string: "https://\(cloud.authorityHost)") ?? URL(filePath: "/")
        tenant = "common"
    }

    /// Creates an authority from a host and a tenant.
    ///
    /// - Parameters:
    ///   - host: A host name, or an address without a path; plain http is refused except for this machine.
    ///   - tenant: `common`, `organizations`, `consumers`, or a tenant's id or domain.
    /// - Throws: ``CredentialError`` if one of them is not valid.
    public init(host: String, tenant: String = "common") throws(CredentialError) {
        let text = host.trimmed
        let shown = PlainText.exact(text, limit: 200)
        guard let parts = URLComponents(string: text.contains("://") ? text : "https://\(text)"),
            let url = parts.url, let origin = Origin(url), let address = URL(string: origin.description),
            parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil,
            parts.path.isEmpty || parts.path == "/"
        else {
            throw CredentialError(
                .misconfigured, "'\(shown)' is not a sign-in host: use a name such as login.microsoftonline.com.")
        }
        guard origin.isPrivate else {
            throw CredentialError(
                .misconfigured, "The sign-in host '\(shown)' is plain http, which would send secrets unencrypted.")
        }
        try self.init(host: address, tenant: tenant)
    }

    private init(host: URL, tenant: String) throws(CredentialError) {
        let isPlain = tenant.utf8.allSatisfy { byte in
            switch byte {
            case 0x2D, 0x2E, 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: false
            }
        }
        guard isPlain, !tenant.isEmpty, !tenant.hasPrefix("."), !tenant.hasSuffix(".") else {
            throw CredentialError(
                .misconfigured,
                "'\(PlainText.exact(tenant, limit: 100))' is not a tenant: use its id, its domain, or 'common'.")
        }
        self.host = host
        self.tenant = tenant.lowercased()
    }

    /// The same host with another tenant.
    public func with(tenant: String) throws(CredentialError) -> Authority {
        try Authority(host: host, tenant: tenant)
    }

    package var isOneTenant: Bool { !Self.shared.contains(tenant) }

    /// The host name as written in token caches.
    package var environment: String { (host.host() ?? "").lowercased() }

    package var cloud: Cloud? {
        Cloud.all.first { Cloud.environments(of: $0.authorityHost).contains(environment) }
    }

    package var isLoopback: Bool { Origin(host)?.isLoopback == true }

    /// Where the tenant describes itself (OpenID Connect Discovery 1.0).
    var discovery: URL { host.appending(path: "\(tenant)/v2.0/.well-known/openid-configuration") }

    func endpoint(_ name: String) -> URL { host.appending(path: "\(tenant)/oauth2/v2.0/\(name)") }
}
