extension Runner {
    /// What runs may use of this machine and its network beyond the usual.
    public typealias Access = RunAccess

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
