/// The texts of `--help`, made from the descriptions of the commands.
enum Help {
    /// What `graphflow --help` prints.
    /// - Parameter width: The columns of a line.
    static func overview(of commands: [any Command.Type], width: Int) -> String {
        let list =
            commands.map { ($0.name, $0.summary) } + [
                ("help [COMMAND|TOPIC]", "Explain a command, show a page of the documentation, or find one.")
            ]
        return """
            Run workflow files against Microsoft 365, or see first what they would do.

            USAGE: graphflow COMMAND [OPTIONS]

            COMMANDS:
            \(table(list, width))

            OPTIONS:
            \(table(generalOptions, width))

            EXAMPLES:
            \(lines(of: RunCommand.examples))

            EXIT STATUS:
            \(table(exitStatuses, width))
            """
    }

    /// What `graphflow COMMAND --help` prints.
    static func text(for command: any Command.Type, width: Int) -> String {
        let discussion = command.discussion.isEmpty ? "" : "\n\(wrapped(command.discussion, width))\n"
        return """
            \(command.summary)

            \(wrapped("USAGE: \(usage(of: command))", width))
            \(discussion)
            OPTIONS:
            \(table(options(of: command).map { (signature(of: $0), $0.help) }, width))

            EXAMPLES:
            \(lines(of: command.examples))
            """
    }

    static func usage(of command: any Command.Type) -> String {
        ["graphflow", command.name, command.operands, "[OPTIONS]"].filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// The options that a command takes, `--help` among them.
    static func options(of command: any Command.Type) -> [OptionSyntax] { command.options + [option] }

    static let option = OptionSyntax(name: "help", letter: "h", help: "Show this help.")

    private static func lines(of examples: [String]) -> String {
        examples.map { "  graphflow \($0)" }.joined(separator: "\n")
    }

    static let generalOptions = [
        ("-h, --help", "Show this help."), ("--version", "Show the version."),
        ("--version --json", "Show as JSON what the program was built from and what it supports."),
    ]

    static let exitStatuses = [
        ("0", "The run completed, or the command succeeded."), ("1", "The run faulted."),
        ("2", "The file or its input is invalid; nothing ran."), ("3", "A sign-in or a permission is missing."),
        ("4", "It is unknown whether an effect that must happen once happened."),
        ("64", "The command line is wrong."), ("130, 143", "Interrupted or terminated."),
    ]

    static func signature(of option: OptionSyntax) -> String {
        let letter = option.letter.map { "-\($0), " } ?? ""
        return switch option.argument {
        case .none: "\(letter)\(option.dashed)"
        case .required(let placeholder): "\(letter)\(option.dashed) \(placeholder)"
        case .pair(let first, let second): "\(letter)\(option.dashed) \(first) \(second)"
        case .optional(let placeholder): "\(letter)\(option.dashed)[=\(placeholder)]"
        }
    }

    /// Two columns; after a name that is too long, the text starts on a new line.
    static func table(_ rows: [(String, String)], _ width: Int) -> String {
        let indent = 28
        return rows.map { name, text in
            let lines = wrapped(text, max(width - indent, 30))
                .replacing("\n", with: "\n" + String(repeating: " ", count: indent))
            // At least two spaces divide the columns.
            guard name.count < indent - 2 else {
                return "  \(name)\n" + String(repeating: " ", count: indent) + lines
            }
            return "  " + name.padding(to: indent - 2) + lines
        }.joined(separator: "\n")
    }

    /// The text with its paragraphs wrapped at the width; lines that begin with spaces stay unchanged.
    static func wrapped(_ text: String, _ width: Int) -> String {
        blocks(of: text).map { block in
            guard !block.isVerbatim else { return block.text }
            var lines = [""]
            for word in block.text.split(separator: " ") {
                let last = lines[lines.count - 1]
                if last.isEmpty {
                    lines[lines.count - 1] = String(word)
                } else if last.count + 1 + word.count <= width {
                    lines[lines.count - 1] += " \(word)"
                } else {
                    lines.append(String(word))
                }
            }
            return lines.joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// The paragraphs of a text, each on one line, and the lines that stay unchanged, including empty ones.
    static func blocks(of text: String) -> [(text: String, isVerbatim: Bool)] {
        var blocks: [(text: String, isVerbatim: Bool)] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let isVerbatim = line.isEmpty || line.hasPrefix("  ")
            if !isVerbatim, let last = blocks.last, !last.isVerbatim {
                blocks[blocks.count - 1].text += " \(line)"
            } else {
                blocks.append((String(line), isVerbatim))
            }
        }
        return blocks
    }
}

extension String {
    func padding(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
