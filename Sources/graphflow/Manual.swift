/// The manual pages in the language of `man`, made from the descriptions of the commands, as `--help` is.
enum Manual {
    static func page(for command: (any Command.Type)?, among commands: [any Command.Type]) -> String {
        let title = command.map { "graphflow-\($0.name)" } ?? "graphflow"
        let sections = command.map { Self.sections(of: $0) } ?? overview(of: commands)
        return """
            .TH \(title.uppercased()) 1 "\(Build.date ?? "")" "graphflow \(Workflows.Graphflow.version)" "graphflow"
            \(sections.map { ".SH \($0.title)\n\($0.text)" }.joined(separator: "\n"))
            """
    }

    private typealias Section = (title: String, text: String)

    private static func sections(of command: any Command.Type) -> [Section] {
        let options = Help.options(of: command).map { (Help.signature(of: $0), $0.help) }
        return [
            ("NAME", "graphflow\\-\(command.name) \\- \(line(withoutDot(command.summary)))"),
            ("SYNOPSIS", line(Help.usage(of: command))),
            ("DESCRIPTION", text(command.discussion.isEmpty ? command.summary : command.discussion)),
            ("OPTIONS", list(options)), ("EXAMPLES", examples(command.examples)),
            ("EXIT STATUS", list(Help.exitStatuses)), ("SEE ALSO", "\\fBgraphflow\\fR(1)"),
        ]
    }

    private static func overview(of commands: [any Command.Type]) -> [Section] {
        [
            ("NAME", "graphflow \\- run workflow files against Microsoft 365"),
            ("SYNOPSIS", "graphflow COMMAND [OPTIONS]"),
            ("DESCRIPTION", text("Runs workflow files against Microsoft 365, or shows first what they would do.")),
            ("COMMANDS", list(commands.map { ($0.name, $0.summary) })), ("OPTIONS", list(Help.generalOptions)),
            ("EXAMPLES", examples(RunCommand.examples)), ("EXIT STATUS", list(Help.exitStatuses)),
            ("ENVIRONMENT", list(environment)),
            ("SEE ALSO", commands.map { "\\fBgraphflow\\-\($0.name)\\fR(1)" }.joined(separator: ",\n")),
        ]
    }

    private static let environment = [
        ("GRAPHFLOW_HOME", "The folder of runs, batches and tokens (default: graphflow in the state folder of XDG)."),
        ("GRAPHFLOW_ACCESS_TOKEN", "A token for Microsoft Graph."),
        (
            "AZURE_TENANT_ID, AZURE_CLIENT_ID, AZURE_CLIENT_SECRET",
            "The application that signs in if there is no token."
        ),
        ("GRAPHFLOW_SECRET_NAME", "The secret NAME of a workflow."),
    ]

    private static func list(_ rows: [(String, String)]) -> String {
        rows.map { ".TP\n\\fB\(escaped($0))\\fR\n\(text($1, between: ".IP"))" }.joined(separator: "\n")
    }

    private static func examples(_ lines: [String]) -> String {
        ".nf\n\(lines.map { line("graphflow \($0)") }.joined(separator: "\n"))\n.fi"
    }

    /// - Parameter between: Divides two paragraphs.
    private static func text(_ text: String, between: String = ".PP") -> String {
        var lines: [String] = []
        var isVerbatim = false
        for block in Help.blocks(of: text) {
            if block.isVerbatim, !block.text.isEmpty {
                if !isVerbatim { lines += [between, ".nf"] }
                isVerbatim = true
            } else if isVerbatim {
                lines.append(".fi")
                isVerbatim = false
            }
            if !block.text.isEmpty {
                // Short source lines are easy to compare.
                lines += Help.wrapped(block.text, 76).split(separator: "\n").map { line(String($0)) }
            } else if lines.last != between {
                lines.append(between)
            }
        }
        if isVerbatim { lines.append(".fi") }
        return lines.joined(separator: "\n").replacing("\(between)\n\(between)", with: between)
    }

    /// A line of text; a leading dot is escaped, because it would begin a request.
    private static func line(_ text: String) -> String {
        let escaped = escaped(text)
        return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&\(escaped)" : escaped
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("'", with: "\\(aq")
            .replacing("…", with: "...")
    }

    private static func withoutDot(_ text: String) -> String { text.hasSuffix(".") ? String(text.dropLast()) : text }
}
