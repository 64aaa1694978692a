import Workflows

/// The option that says how many runs are kept, so that their folder does not grow for ever.
enum RetentionOption {
    static let option = Option(
        name: "keep", argument: .required("N"),
        help: "How many runs that are over are kept, the newest of them (default: 1000).\n"
            + "Runs that can be resumed are kept beside them.")

    private static let usual = 1_000

    /// How many runs are kept; nil where no run is, with `--no-journal`.
    static func count(_ arguments: ParsedArguments) throws(UsageError) -> Int? {
        guard arguments.has("no-journal") else { return try arguments.count("keep", from: 1) ?? usual }
        guard !arguments.has("keep") else {
            throw UsageError("'--keep' and '--no-journal' cannot be given both")
        }
        return nil
    }

    /// Removes what is not kept; a folder that cannot be swept is no reason for a run to fail.
    static func keep(_ count: Int, in folder: RunsFolder, _ console: Console) {
        do throws(JournalError) {
            try folder.prune(keeping: count)
        } catch {
            console.complain("warning: old runs cannot be removed: \(error)")
        }
    }
}
