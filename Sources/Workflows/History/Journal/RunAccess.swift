/// What runs may use of this machine and its network beyond the defaults, and what they keep; a journal keeps it for
/// continued runs.
public struct RunAccess: Sendable, Hashable {
    /// Environment variables that programs and containers get in addition to the usual ones.
    public var variables: Set<String>
    /// The hosts that calls may reach without encryption, in addition to this machine.
    public var plainHosts: Set<String>
    /// How long runs keep what they replace and change, so that an undo can set it back; nil to keep nothing.
    public var undoable: Duration?

    /// Creates an access; without parameters, it allows nothing.
    public init(variables: Set<String> = [], plainHosts: Set<String> = [], undoable: Duration? = nil) {
        self.variables = variables
        self.plainHosts = plainHosts
        self.undoable = undoable
    }

    package func union(_ other: RunAccess?) -> RunAccess {
        RunAccess(
            variables: variables.union(other?.variables ?? []),
            plainHosts: plainHosts.union(other?.plainHosts ?? []), undoable: undoable ?? other?.undoable)
    }
}

extension RunAccess {
    /// The access as a journal has it; nil for nothing.
    package var value: Value? {
        guard self != RunAccess() else { return nil }
        var members: Object = [
            "variables": .array(variables.sorted().map(Value.string)),
            "plainHosts": .array(plainHosts.sorted().map(Value.string)),
        ]
        members["undoable"] = undoable.map { .double($0.seconds) }
        return .object(members)
    }

    package init?(_ value: Value?) {
        guard let value else { return nil }
        self.init(
            variables: Set((value["variables"]?.array ?? []).compactMap(\.string)),
            plainHosts: Set((value["plainHosts"]?.array ?? []).compactMap(\.string)),
            undoable: value["undoable"]?.double.map { .seconds($0) })
    }
}
