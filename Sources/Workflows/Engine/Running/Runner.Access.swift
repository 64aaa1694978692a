extension Runner {
    /// What runs may use of this machine and its network, beyond the defaults, and what they keep.
    public typealias Access = RunAccess

    /// The environment variables that programs get in addition to the usual ones, with their values.
    package var givenVariables: [String: String] { environment.filter { access.variables.contains($0.key) } }

    /// The runner with the access that the continued run had.
    /// - Throws: ``JournalError`` if a variable is no longer set: programs would do something else.
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
