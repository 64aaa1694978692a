import Workflows

/// `--keep`: how many runs are kept, so that their folder does not grow forever.
enum RetentionOption {
    static let option = Option(
        name: "keep", argument: .required("N"),
        help: "Keep the newest N runs that have ended (default: 1000).\n"
            + "Runs that can be resumed are kept as well.")

    private static let usual = 1_000

    /// How many runs are kept; nil with `--no-journal`.
    static func count(_ arguments: ParsedArguments) throws(UsageError) -> Int? {
        guard arguments.has("no-journal") else { return try arguments.count("keep", from: 1) ?? usual }
        guard !arguments.has("keep") else {
            throw UsageError("'--keep' and '--no-journal' cannot be used together")
        }
        return nil
    }

    /// Removes runs beyond that count; a failure is only a warning.
    static func keep(_ count: Int, in folder: RunsFolder, _ console: Console) {
        do throws(JournalError) {
            try folder.prune(keeping: count)
        } catch {
            console.complain("warning: old runs cannot be removed: \(error)")
        }
    }
}
