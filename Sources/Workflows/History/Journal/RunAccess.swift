/// What runs may use of this machine and its network beyond the usual; a journal keeps it for runs that continue.
public struct RunAccess: Sendable, Hashable {
    /// Further variables of the environment that programs and containers get.
    public var variables: Set<String>
    /// The hosts that calls may reach without encryption, besides this machine.
    public var plainHosts: Set<String>

    /// Creates it; without parameters, nothing.
    public init(variables: Set<String> = [], plainHosts: Set<String> = []) {
        self.variables = variables
        self.plainHosts = plainHosts
    }

    /// What either of both allows.
    package func union(_ other: RunAccess?) -> RunAccess {
        RunAccess(
            variables: variables.union(other?.variables ?? []),
            plainHosts: plainHosts.union(other?.plainHosts ?? []))
    }
}

extension RunAccess {
    /// What it allows, as a journal has it; nil for nothing.
    package var value: Value? {
        guard self != RunAccess() else { return nil }
        return [
            "variables": .array(variables.sorted().map(Value.string)),
            "plainHosts": .array(plainHosts.sorted().map(Value.string)),
        ]
    }

    package init?(_ value: Value?) {
        guard let value else { return nil }
        self.init(
            variables: Set((value["variables"]?.array ?? []).compactMap(\.string)),
            plainHosts: Set((value["plainHosts"]?.array ?? []).compactMap(\.string)))
    }
}
