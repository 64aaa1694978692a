/// The account signed in to the Azure CLI (`az login`), whose tokens come from the program `az`.
///
/// They are issued to the Azure CLI's own application, which may have fewer permissions than a workflow needs.
public struct AzureCLICredential: GrantingCredential {
    /// `az` starts slowly, and may have to ask the service.
    private static let patience = Duration.seconds(60)

    private let environment: [String: String]
    private let platform: IdentityPlatform
    private let flights = SingleFlight<Int, TokenGrant>()
    private let kept = Locked<TokenGrant?>(nil)

    /// Creates a credential.
    ///
    /// - Parameters:
    ///   - environment: Environment variables; `az` is looked up in `PATH`.
    ///   - platform: The service, the tenant and the clock for tokens.
    public init(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        on platform: IdentityPlatform = IdentityPlatform()
    ) {
        self.environment = environment
        self.platform = platform
    }

    /// Gets a token and its properties.
    public func grant(for need: TokenNeed) -> Promise<TokenGrant> {
        let grant = kept.withLock { $0 }
        if let grant, grant.isGood(now: platform.now(), after: need.refusal) { return .value(grant) }
        if let refused = need.refusal?.token.secret, refused == grant?.token.secret {
            return Promise(
                error: CredentialError(
                    .signInRequired, "The Azure CLI's token was refused. Sign in to it again: az login"))
        }
        return flights.join(0) { ask() }
    }

    private func ask() -> Promise<TokenGrant> {
        guard let file = ExternalProgram.find("az", environment) else {
            return Promise(
                error: CredentialError(.notConfigured, "The Azure CLI ('az') is not installed here, or not in PATH."))
        }
        let tenant = platform.authority.isOneTenant ? ["--tenant", platform.authority.tenant] : []
        let target =
            platform.resource == Cloud.global.resource
            ? ["--resource-type", "ms-graph"] : ["--scope", "\(platform.resource)/.default"]
        let arguments = ["account", "get-access-token"] + target + ["--output", "json"] + tenant
        return ExternalProgram(file: file, environment: environment).run(
            arguments, patience: Self.patience, clock: platform.clock
        ).map(on: nil) { outcome in
            guard outcome.status == 0 else { throw Self.refusal(outcome.error) }
            let grant = try read(outcome.output)
            kept.withLock { $0 = grant }
            return grant
        }.recover(on: nil) { error -> Promise<TokenGrant> in
            switch error {
            case ExternalProgram.Failure.notStarted(let why):
                throw CredentialError(
                    .notConfigured, "The Azure CLI cannot be started: \(PlainText.line(why, limit: 200)).")
            case ExternalProgram.Failure.timedOut:
                throw CredentialError(.serviceUnavailable, "The Azure CLI did not answer within a minute.")
            default: throw error
            }
        }
    }

    private static func refusal(_ said: String) -> CredentialError {
        let lines = said.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("WARNING") }
        let text = PlainText.line(lines.joined(separator: " "), limit: 400)
        var error =
            text.contains("az login")
            ? CredentialError(.notConfigured, "No account is signed in to the Azure CLI: az login")
            : CredentialError(.notConfigured, "The Azure CLI returned no token.")
        error.serviceMessage = text.isEmpty ? nil : text
        return error
    }

    private func read(_ output: Secret) throws(CredentialError) -> TokenGrant {
        guard let value = try? Value(json: output.revealed), let token = value["accessToken"]?.string, !token.isEmpty
        else { throw CredentialError(.badAnswer, "The Azure CLI's output contains no token.") }
        let end = value["expires_on"].flatMap { $0.double ?? $0.string.flatMap(Double.init) }
        return TokenGrant(
            AccessToken(token), expiresAt: end.map { Date(timeIntervalSince1970: $0) } ?? Self.date(value["expiresOn"]),
            tenant: value["tenant"]?.string, source: "the Azure CLI")
    }

    /// Older versions return only the local time: `2026-11-21 14:00:00.000000`.
    private static func date(_ value: Value?) -> Date? {
        guard let text = value?.string else { return nil }
        let numbers = text.prefix(19).split { "-: ".contains($0) }.compactMap { Int32($0) }
        guard numbers.count == 6 else { return nil }
        var parts = unsafe tm()
        unsafe (parts.tm_year, parts.tm_mon, parts.tm_mday) = (numbers[0] - 1_900, numbers[1] - 1, numbers[2])
        unsafe (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[3], numbers[4], numbers[5])
        // The date decides whether daylight saving time applies.
        unsafe parts.tm_isdst = -1
        return Date(timeIntervalSince1970: Double(unsafe mktime(&parts)))
    }
}
