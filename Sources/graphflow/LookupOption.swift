/// `--lookup-delay`: how long a named batch looks for mails that it may have sent.
struct LookupOption: OptionGroup {
    @Option(
        "lookup-delay", "SECONDS",
        "How long after the start a mail of a named batch that is not found counts as\nnot sent (default: 60).",
        as: Conversion(seconds))
    var delay: Int?
    @Flag("no-lookup", "Do not look up whether another machine has already sent the mails of a named batch.")
    private var isLeftOut

    /// Whether mails are looked up that another machine may have sent.
    var isWanted: Bool { !isLeftOut }

    /// Fails if mails would not be looked up anyway.
    func validate(name: String?) throws(UsageError) {
        guard !isLeftOut || name != nil else {
            throw UsageError("'--no-lookup' is for batches with a name", hint: "leave it out")
        }
    }

    private static func seconds(_ text: String, _ name: String) throws -> Int {
        guard let seconds = Int(text), 0...3_600 ~= seconds else {
            throw UsageError(
                "'\(name)' needs whole seconds, at most 3600, not '\(text)'", hint: "without the option it is 60")
        }
        return seconds
    }
}
