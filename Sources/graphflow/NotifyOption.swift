import Essentials
import WorkflowHTTP
import Workflows

/// `--notify` and `--notify-on`: who gets an event when a run has ended.
enum NotifyOption {
    static let options = [
        Option(
            name: "notify", argument: .required("URL"),
            help: "Post a CloudEvent to this address when a run faulted, or when the outcome of\n"
                + "an effect is unknown."),
        Option(
            name: "notify-on", argument: .required("completed"),
            help: "With '--notify': also post when a run completed."),
    ]

    /// The notifier that the options describe; nil without them.
    static func notifier(_ arguments: ParsedArguments, _ console: Console) throws(UsageError) -> Notifier? {
        let occasion = arguments.value("notify-on")
        guard let text = arguments.value("notify") else {
            guard occasion == nil else {
                throw UsageError("'--notify-on' needs '--notify'", hint: "add --notify https://hooks.contoso.com/runs")
            }
            return nil
        }
        guard occasion == nil || occasion == "completed" else {
            throw UsageError("'--notify-on' cannot be '\(occasion ?? "")'", hint: "write '--notify-on completed'")
        }
        guard let address = URL(string: text), let host = address.host(), !host.isEmpty,
            address.scheme == "https" || address.scheme == "http" && HostName(host).isLoopback
        else {
            throw UsageError(
                "'--notify' needs an https address, or an http address of this machine",
                hint: "write --notify https://hooks.contoso.com/runs")
        }
        return Notifier(address, includingCompleted: occasion != nil, console)
    }
}
