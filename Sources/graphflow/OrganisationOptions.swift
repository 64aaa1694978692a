/// The options of `sandbox` that describe the organisation.
struct OrganisationOptions: OptionGroup {
    private typealias Service = any WritableKeyPath<Sandbox.Limits, Sandbox.Limits.Bucket?> & Sendable
    private typealias Limit = (service: Service, bucket: Sandbox.Limits.Bucket)

    @Option(
        each: "limit", "SERVICE=UNITS/SECONDS",
        "Answer 429 after so many units in that time; SERVICE is directory, files or mailbox.", as: Conversion(limit))
    private var limits: [Limit]
    @Option("users", "N", "The number of users (default: 8).", as: .number(in: 1...50_000)) private var users: Int?
    @Option(
        "latency", "MS",
        "Delay every answer by so many milliseconds, and refuse a fifth concurrent request at a mailbox.",
        as: .number(in: 0...60_000))
    private var latency: Int?
    @Option(
        "sent-items-delay", "SECONDS", "Show mail in Sent Items only after this delay.", as: .number(in: 0...3600))
    private var sentItemsDelay: Int?
    @Flag("uneven-pages", "Return some pages of users that are shorter than requested, or empty.")
    private var hasUnevenPages
    @Flag("no-anonymous-links", "Refuse anonymous links, as administrators can.") private var refusesAnonymousLinks

    var settings: Sandbox.Settings {
        var settings = Sandbox.Settings()
        if let users { settings.userCount = users }
        if let sentItemsDelay { settings.sentItemsDelay = .seconds(sentItemsDelay) }
        if let latency {
            settings.latency = .milliseconds(latency)
            settings.limits.mailboxConcurrency = Sandbox.Limits.documented.mailboxConcurrency
        }
        settings.hasUnevenPages = hasUnevenPages
        settings.allowsAnonymousLinks = !refusesAnonymousLinks
        for limit in limits { settings.limits[keyPath: limit.service] = limit.bucket }
        return settings
    }

    private static func limit(_ text: String, _ name: String) throws -> Limit {
        let services: [String: Service] = ["directory": \.directory, "files": \.files, "mailbox": \.mailbox]
        let parts = text.split(separator: "=").map(String.init)
        let numbers = (parts.last ?? "").split(separator: "/").map { Int($0) }
        guard parts.count == 2, numbers.count == 2, let units = numbers[0], let seconds = numbers[1],
            (1...1_000_000_000).contains(units), (1...86_400).contains(seconds)
        else {
            throw UsageError(
                "the limit '\(text)' is not understood", hint: "give SERVICE=UNITS/SECONDS, such as files=1200/60")
        }
        guard let service = services[parts[0]] else {
            throw UsageError("there is no service '\(parts[0])'", hint: "directory, files and mailbox have limits")
        }
        return (service, Sandbox.Limits.Bucket(units: units, seconds: Double(seconds)))
    }
}
