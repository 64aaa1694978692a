/// `--lookup-delay`: how long a named batch looks for mails that it may have sent.
struct LookupOption: OptionGroup {
    @Option(
        "lookup-delay", "SECONDS",
        "How long after the start a mail of a named batch that is not found counts as\nnot sent (default: 60).",
        as: Conversion(seconds))
    var delay: Int?

    private static func seconds(_ text: String, _ name: String) throws -> Int {
        guard let seconds = Int(text), 0...3_600 ~= seconds else {
            throw UsageError(
                "'\(name)' needs whole seconds, at most 3600, not '\(text)'", hint: "without the option it is 60")
        }
        return seconds
    }
}
