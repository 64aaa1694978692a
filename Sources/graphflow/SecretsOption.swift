import Foundation
import Workflows

/// `--secrets FILE`: where the secrets of a workflow are, beside the environment.
enum SecretsOption {
    /// The option itself.
    static let option = Option(
        name: "secrets", argument: .required("FILE"),
        help: "A JSON or YAML file of the workflow's secrets, which only you may read.\n"
            + "Without it, and for what it lacks: GRAPHFLOW_SECRET_NAME in the environment.")

    /// The secrets in the file where one is given, and in the environment.
    static func store(_ arguments: ParsedArguments, _ console: Console) throws(UsageError) -> SecretStore {
        let environment = SecretStore.environment(console.environment)
        guard let path = arguments.value("secrets") else { return environment }
        do {
            return try SecretStore.file(URL(fileURLWithPath: path)).or(environment)
        } catch {
            throw UsageError(error.message, hint: error.hint)
        }
    }

    /// Fails where a workflow uses secrets that are not there, before anything runs.
    /// - Parameter command: What is typed to give them in a file; nil for running the file.
    static func demand(
        _ names: [String], in store: SecretStore, of file: String, command: String? = nil
    ) throws(MissingSecrets) {
        let missing = names.filter { store[$0] == nil }
        guard missing.isEmpty else {
            throw MissingSecrets(file: file, names: missing, command: command ?? "graphflow run \(file)")
        }
    }
}

/// Secrets that a workflow uses and nobody gave.
struct MissingSecrets: Error {
    let file: String
    let names: [String]
    /// The command that wants them.
    let command: String

    /// What is missing, in a line.
    var headline: String {
        let list = names.map { "'\($0)'" }.joined(separator: ", ")
        return PlainText.line("\(file) needs the secret\(names.count == 1 ? "" : "s") \(list)", limit: 2_000)
    }

    /// How to give them.
    var details: [String] {
        let variables = names.map { SecretStore.variable(for: $0) }.joined(separator: " and ")
        return [
            "set \(variables) in the environment, or put them into a file that only you may read:",
            "  \(PlainText.line(command, limit: 500)) --secrets FILE",
        ]
    }
}
