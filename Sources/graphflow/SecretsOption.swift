/// `--secrets FILE`: a file with a workflow's secrets, in addition to the environment.
struct SecretsOption: OptionGroup {
    @Option(
        "secrets", "FILE",
        "A JSON or YAML file with the workflow's secrets, readable by you only.\n"
            + "Other secrets are read from GRAPHFLOW_SECRET_NAME in the environment.")
    private var path: String?

    func store(_ console: Console) throws(UsageError) -> SecretStore {
        let environment = SecretStore.environment(console.environment)
        guard let path else { return environment }
        do {
            return try SecretStore.file(URL(fileURLWithPath: path)).or(environment)
        } catch {
            throw UsageError(error.message, hint: error.hint)
        }
    }

    /// Fails before anything runs if secrets of a workflow are missing.
    /// - Parameter command: The command to which the user must add `--secrets`; nil for `graphflow run`.
    static func demand(
        _ names: [String], in store: SecretStore, of file: String, command: String? = nil
    ) throws(MissingSecrets) {
        let missing = names.filter { store[$0] == nil }
        guard missing.isEmpty else {
            throw MissingSecrets(file: file, names: missing, command: command ?? "graphflow run \(file)")
        }
    }
}

struct MissingSecrets: Error {
    let file: String
    let names: [String]
    let command: String

    var headline: String {
        let list = names.map { "'\($0)'" }.joined(separator: ", ")
        return PlainText.line("\(file) needs the secret\(names.count == 1 ? "" : "s") \(list)", limit: 2_000)
    }

    var details: [String] {
        let variables = names.map { SecretStore.variable(for: $0) }.joined(separator: " and ")
        return [
            "set \(variables) in the environment, or put them into a file that only you can read:",
            "  \(PlainText.line(command, limit: 500)) --secrets FILE",
        ]
    }
}
