import Workflows

/// The texts of `--help`, made from the commands' own descriptions.
enum Help {
    /// What `graphflow --help` prints.
    static func overview(of commands: [any Command.Type]) -> String {
        let list = commands.map { ($0.name, $0.summary) } + [("help COMMAND", "Explain a command and its options.")]
        return """
            Run workflow files against Microsoft 365, or see first what they would do.

            USAGE: graphflow COMMAND [OPTIONS]

            COMMANDS:
            \(table(list))

            OPTIONS:
            \(table([("-h, --help", "Show this help."), ("--version", "Show the version.")]))

            EXAMPLES:
              graphflow run workflows/share-profile-photo.yaml --sandbox
              graphflow run workflows/share-profile-photo.yaml -p to=megan@contoso.com --dry-run

            EXIT STATUS:
            \(table(exitStatuses))
            """
    }

    /// What `graphflow COMMAND --help` prints.
    static func text(for command: any Command.Type) -> String {
        let options =
            command.options.filter { $0.refusal == nil } + [Option(name: "help", letter: "h", help: "Show this help.")]
        let discussion = command.discussion.isEmpty ? "" : "\n\(command.discussion)\n"
        let operands = command.operands.isEmpty ? "" : " \(command.operands)"
        return """
            \(command.summary)

            USAGE: graphflow \(command.name)\(operands) [OPTIONS]
            \(discussion)
            OPTIONS:
            \(table(options.map { (signature(of: $0), $0.help) }))
            """
    }

    private static let exitStatuses = [
        ("0", "The run completed, or the command succeeded."), ("1", "The run faulted."),
        ("2", "The file or its input is invalid; nothing ran."), ("3", "A sign-in or a permission is missing."),
        ("4", "It is unknown whether an effect that must happen once did happen."),
        ("64", "The command line is wrong."), ("130, 143", "Interrupted or terminated."),
    ]

    private static func signature(of option: Option) -> String {
        let letter = option.letter.map { "-\($0), " } ?? ""
        return switch option.argument {
        case .none: "\(letter)--\(option.name)"
        case .required(let placeholder): "\(letter)--\(option.name) \(placeholder)"
        case .pair(let first, let second): "\(letter)--\(option.name) \(first) \(second)"
        case .optional(let placeholder): "\(letter)--\(option.name)[=\(placeholder)]"
        }
    }

    /// Two columns; after a name that is too long, the text starts on a new line.
    private static func table(_ rows: [(String, String)]) -> String {
        let width = 26
        return rows.map { name, text in
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
                .joined(separator: "\n" + String(repeating: " ", count: width + 2))
            guard name.count < width else {
                return "  \(name)\n" + String(repeating: " ", count: width + 2) + lines
            }
            return "  " + name.padding(to: width) + lines
        }.joined(separator: "\n")
    }
}

extension String {
    /// The text padded with spaces to a width in characters.
    func padding(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
