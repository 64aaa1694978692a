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

    package init(_ value: Value?) {
        account = value?["address"]?.string
        domains = Set((value?["domains"]?.array ?? []).compactMap(\.string))
    }

    /// The perspective as JSON.
    public var value: Value {
        [
            "address": account.map(Value.string) ?? .null,
            "domains": .array(domains.sorted().map(Value.string)),
        ]
    }

    /// The external addresses; null if the internal domains or the addresses are unknown.
    fileprivate func external(_ addresses: [String?]?) -> Value {
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

extension Effect {
    /// The effect with its owner and its external recipients filled in.
    package func seen(by perspective: EffectPerspective) -> Effect {
        var effect = self
        // Whether somebody who is named by an id is outside, is not known.
        let isKnown = kind == .mail || kind == .event || recipients?.allSatisfy { $0?.contains("@") ?? false } ?? false
        effect.fill(
            owner: isOwn ? perspective.account.map(Value.string) : nil,
            external: isKnown ? perspective.external(recipients) : .null)
        return effect
    }
}
