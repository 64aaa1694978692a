/// What runs may use of this machine and its network beyond the defaults; a journal keeps it for continued runs.
public struct RunAccess: Sendable, Hashable {
    /// Environment variables that programs and containers get in addition to the usual ones.
    public var variables: Set<String>
    /// The hosts that calls may reach without encryption, in addition to this machine.
    public var plainHosts: Set<String>

    /// Creates an access; without parameters, it allows nothing.
    public init(variables: Set<String> = [], plainHosts: Set<String> = []) {
        self.variables = variables
        self.plainHosts = plainHosts
    }

    package func union(_ other: RunAccess?) -> RunAccess {
        RunAccess(
            variables: variables.union(other?.variables ?? []),
            plainHosts: plainHosts.union(other?.plainHosts ?? []))
    }
}

extension RunAccess {
    /// The access as a journal has it; nil for nothing.
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
