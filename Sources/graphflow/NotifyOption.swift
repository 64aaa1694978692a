/// `--notify` and `--notify-on`: the address that gets an event when a run has ended.
struct NotifyOption: OptionGroup {
    private enum Occasion: String, CaseIterable { case completed }

    @Option(
        "notify", "URL",
        "Post a CloudEvent to this address when a run faulted, or when the outcome of\nan effect is unknown.",
        as: Conversion(notified) { _, name in
            UsageError(
                "'\(name)' needs an https address, or an http address of this machine",
                hint: "write \(name) https://hooks.contoso.com/runs")
        })
    var address: URL?
    @Option(
        "notify-on", "completed", "With '--notify': also post when a run completed.",
        as: .choice(hint: "write '--notify-on completed'"))
    private var occasion: Occasion?

    func validate() throws(UsageError) {
        guard occasion == nil || address != nil else {
            throw UsageError("'--notify-on' needs '--notify'", hint: "add --notify https://hooks.contoso.com/runs")
        }
    }

    /// The notifier that the options describe; nil without them.
    func notifier(_ console: Console) -> Notifier? {
        address.map { Notifier($0, includingCompleted: occasion != nil, console, transport: console.network) }
    }

    /// The options for a command that a person copies, with a leading space; without the path, which may be a secret.
    var words: String {
        guard let host = address?.host() else { return "" }
        return " --notify https://\(host)/…" + (occasion == nil ? "" : " --notify-on completed")
    }

    /// An https address, or an http address of this machine; nil for another text.
    static func notified(_ text: String) -> URL? {
        try? HTTPAddress.url(text)
    }
}
