import Essentials
import Workflows

/// `graphflow show`: what happened in a run, as a tree of its tasks, as a page, as JSON or as events.
struct ShowCommand: Command {
    static let name = "show"
    static let summary = "Show what happened in a run."
    static let operands = "RUN"
    static let discussion = """
        RUN is the name of a run that 'graphflow runs' lists, or its beginning, or 'last' for the newest. For each task,
        the output says how long it took, how often it was tried, what it waited for and why it failed. Of a loop with
        many rounds it shows the slowest ones and some that failed.

          graphflow show last --html run.html
        """
    static let options = [
        Option(name: "data", help: "Show the input and the output of each task."),
        Option(name: "all", help: "Show all rounds of loops, and all waits."),
        Option(
            name: "html", argument: .required("FILE"),
            help: "Write one page of HTML, which needs no network, to FILE\n(- for standard output)."),
        Option(name: "json", help: "Print the run and its tasks as JSON; --data adds the\ntasks' inputs."),
        Option(name: "events", help: "Print the events of the run's journal, one JSON line each."),
    ]

    private enum Format: String, CaseIterable {
        case html, json, events
    }

    private let run: String
    private let format: Format?
    private let page: String?
    private let showsData: Bool
    private let unfolds: Bool

    init(_ arguments: ParsedArguments, _ console: Console) throws {
        run = try arguments.operand("run's name", hint: "'graphflow runs' lists them")
        let formats = Format.allCases.filter { arguments.has($0.rawValue) }
        if formats.count > 1 {
            throw UsageError("'--\(formats[0].rawValue)' and '--\(formats[1].rawValue)' cannot be used together")
        }
        format = formats.first
        page = arguments.value("html")
        showsData = arguments.has("data")
        unfolds = arguments.has("all")
        if showsData, format == .html || format == .events {
            throw UsageError("'--data' cannot be used with '--\(formats[0].rawValue)', which has all data")
        }
        if unfolds, format == .json || format == .events {
            throw UsageError("'--all' cannot be used with '--\(formats[0].rawValue)', which has all rounds")
        }
    }

    func run(on console: Console) async throws -> ExitStatus {
        let folder = RunsFolder.standard(environment: console.environment)
        let name = try folder.run(named: run)
        if format == .events {
            try printEvents(of: name, in: folder, on: console)
            return .success
        }
        // Only lines do without what the file says.
        let workflow = format == nil ? nil : RunReport.workflow(of: name, in: folder)
        let report = try RunReport(
            of: name, in: folder, workflow, keepsData: format != nil || showsData, unfolds: unfolds || format == .json,
            now: Date())
        switch format {
        case .html: try write(RunPage(report: report, workflow: workflow, unfolds: unfolds).html, on: console)
        case .json: console.print(report.json(hasInputs: showsData))
        default:
            report.lines(
                width: console.outputWidth, colour: console.outputHasColour, showsData: showsData, unfolds: unfolds
            ) { line in
                console.print(painted: line)
                return true
            }
        }
        return .success
    }

    private func printEvents(of name: String, in folder: RunsFolder, on console: Console) throws {
        // What is printed cannot be taken back, so whether there are drawings of secrets has to be known before.
        let hasDrawings = try RunReport.read(name, in: folder, besideDrawings: false) { _, _ in }.isLate
        _ = try RunReport.read(name, in: folder, besideDrawings: hasDrawings) { console.print($1.record.json()) }
    }

    private func write(_ html: String, on console: Console) throws {
        guard let page, page != "-" else { return console.print(Data(html.utf8)) }
        do throws(SystemError) {
            // It has the data of a run, which are their owner's.
            let file = try OutputFile(page, mode: 0o600)
            try file.restrictToOwner()
            try file.write(Data(html.utf8))
        } catch {
            throw UsageError("the page cannot be written to '\(PlainText.line(page, limit: 200))': \(error)")
        }
    }
}
