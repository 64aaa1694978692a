import Workflows

/// What this program was built from.
///
/// `scripts/release` writes the values into its copy of this file; in other builds they are nil.
enum Build {
    /// The commit, as 40 hexadecimal digits.
    static let commit: String? = nil
    /// The commit's date, as `2026-11-22`.
    static let date: String? = nil

    /// What `--version --json` prints.
    static var description: Value {
        .object([
            "version": .string(Workflows.Graphflow.version), "commit": commit.map(Value.string) ?? .null,
            "date": date.map(Value.string) ?? .null, "dsl": ["1.0.0", "1.0.1", "1.0.2", "1.0.3"], "jq": "1.8.2",
            "schema": "https://json-schema.org/draft/2020-12/schema",
        ])
    }
}
