import Essentials
import WorkflowHTTP
import Workflows

/// `--listen` and `--token-file` of a service: where it receives events, and from whom.
enum ReceptionOption {
    static let options = [
        Option(
            name: "listen", argument: .required("ADDRESS:PORT"),
            help: "Receive CloudEvents over HTTP, for schedules and tasks that listen, and answer\n"
                + "/healthz, /readyz and /metrics. Other machines reach it only with '--token-file'."),
        Option(
            name: "token-file", argument: .required("FILE"),
            help: "The bearer tokens of those who may send events, one a line."),
    ]

    /// What the options describe; nil without `--listen`.
    static func reception(_ arguments: ParsedArguments) throws(UsageError) -> Reception? {
        let file = arguments.value("token-file")
        guard let text = arguments.value("listen") else {
            guard file == nil else { throw UsageError("'--token-file' is for '--listen'", hint: "add '--listen'") }
            return nil
        }
        guard let address = ListeningAddress(text) else {
            throw UsageError("'\(text)' is not an address to listen at", hint: "write 127.0.0.1:8080 or [::1]:8080")
        }
        guard address.isLoopback || file != nil else {
            throw UsageError(
                "others can reach '\(text)', and could start workflows: '--token-file' must say who may",
                hint: "give a file of tokens, one a line, and put a proxy that does TLS before it, because tokens "
                    + "and events are sent here as they are; or listen at 127.0.0.1:\(address.port)")
        }
        return Reception(at: address, tokens: try file.map { file throws(UsageError) in try tokens(file) })
    }

    private static func tokens(_ file: String) throws(UsageError) -> BearerTokens {
        do throws(SystemError) {
            return try BearerTokens(file: file)
        } catch {
            throw UsageError("the file of tokens '\(PlainText.line(file, limit: 200))' is refused: \(error)")
        }
    }
}
