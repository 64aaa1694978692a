import Workflows

extension Sandbox.Settings {
    /// Reads the options that describe the organisation.
    init(_ arguments: ParsedArguments) throws(UsageError) {
        self.init()
        func number(_ option: String, _ range: ClosedRange<Int>) throws(UsageError) -> Int? {
            guard let text = arguments.value(option) else { return nil }
            guard let number = Int(text), range.contains(number) else {
                throw UsageError(
                    "--\(option) '\(text)' is not understood",
                    hint: "give a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
        userCount = try number("users", 1...50_000) ?? userCount
        if let seconds = try number("sent-items-delay", 0...3600) { sentItemsDelay = .seconds(seconds) }
        if let milliseconds = try number("latency", 0...60_000) {
            latency = .milliseconds(milliseconds)
            limits.mailboxConcurrency = Sandbox.Limits.documented.mailboxConcurrency
        }
        hasUnevenPages = arguments.has("uneven-pages")
        allowsAnonymousLinks = !arguments.has("no-anonymous-links")
        for text in arguments.all("limit") { try setLimit(text) }
    }

    private mutating func setLimit(_ text: String) throws(UsageError) {
        let parts = text.split(separator: "=").map(String.init)
        let numbers = (parts.last ?? "").split(separator: "/").map { Int($0) }
        guard parts.count == 2, numbers.count == 2, let units = numbers[0], let seconds = numbers[1],
            (1...1_000_000_000).contains(units), (1...86_400).contains(seconds)
        else {
            throw UsageError(
                "the limit '\(text)' is not understood", hint: "give SERVICE=UNITS/SECONDS, such as files=1200/60")
        }
        let bucket = Sandbox.Limits.Bucket(units: units, seconds: Double(seconds))
        switch parts[0] {
        case "directory": limits.directory = bucket
        case "files": limits.files = bucket
        case "mailbox": limits.mailbox = bucket
        default:
            throw UsageError("there is no service '\(parts[0])'", hint: "directory, files and mailbox have limits")
        }
    }
}
