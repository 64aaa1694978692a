extension Runner {
    /// What runs may use of this machine and its network beyond the usual; a journal keeps it for those that go on.
    public struct Access: Sendable, Hashable {
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
        func union(_ other: Access?) -> Access {
            Access(
                variables: variables.union(other?.variables ?? []),
                plainHosts: plainHosts.union(other?.plainHosts ?? []))
        }
    }

    /// The variables of the environment that programs get beyond the usual, with their values.
    package var givenVariables: [String: String] { environment.filter { access.variables.contains($0.key) } }

    /// The same runner, which may use what a run that goes on might.
    /// - Throws: ``JournalError`` if a variable is no longer set, without which programs would do something else.
    package func going(on header: Journal.Header) throws(JournalError) -> Runner {
        var copy = self
        copy.access = access.union(header.access)
        guard let missing = copy.access.variables.sorted().first(where: { environment[$0] == nil }) else { return copy }
        let name = PlainText.line(missing, limit: 100)
        throw JournalError(
            .refused, "the programs of the run \(header.run) get the variable '\(name)', which is not set",
            hint: "set it in the environment, or name a file that sets it: --env-file FILE")
    }
}

extension Runner.Access {
    /// What it allows, as a journal has it; nil for nothing.
    var value: Value? {
        guard self != Runner.Access() else { return nil }
        return [
            "variables": .array(variables.sorted().map(Value.string)),
            "plainHosts": .array(plainHosts.sorted().map(Value.string)),
        ]
    }

    init?(_ value: Value?) {
        guard let value else { return nil }
        self.init(
            variables: Set((value["variables"]?.array ?? []).compactMap(\.string)),
            plainHosts: Set((value["plainHosts"]?.array ?? []).compactMap(\.string)))
    }
}
