import Essentials
import Workflows

/// `graphflow show`: what happened in a run, as a tree of its tasks, as JSON or as events.
struct ShowCommand: Command {
    static let name = "show"
    static let summary = "Show what happened in a run."
    static let operands = "RUN"
    static let discussion = """
        RUN is the name of a run that 'graphflow runs' lists, or its beginning. For each task, the output says how long
        it took, how often it was tried, what it waited for and why it failed.
        """
    static let options = [
        Option(name: "json", help: "Print the run and its tasks as JSON."),
        Option(name: "events", help: "Print the events of the run's journal, one JSON line each."),
    ]

    private let run: String
    private let wantsJSON: Bool
    private let wantsEvents: Bool

    init(_ arguments: ParsedArguments, _ console: Console) throws {
        run = try arguments.operand("run's name", hint: "'graphflow runs' lists them")
        wantsJSON = arguments.has("json")
        wantsEvents = arguments.has("events")
        guard !wantsJSON || !wantsEvents else { throw UsageError("'--json' and '--events' cannot be used together") }
    }

    func run(on console: Console) async throws -> ExitStatus {
        let folder = RunsFolder.standard(environment: console.environment)
        let name = try folder.run(beginningWith: run)
        // The state is read first, so that events written meanwhile are shown as well.
        let summary = try folder.summary(of: name)
        let (header, recorded) = try Journal.read(name, in: folder)
        let events = recorded.shown
        if wantsEvents {
            for event in events { console.print(event.record.json()) }
            return .success
        }
        let report = RunReport(
            summary, header.shown(besideDrawings: recorded.contains { $0.seals != nil }), events, now: Date())
        if wantsJSON {
            console.print(report.json)
            return .success
        }
        for line in report.lines(width: console.outputWidth, colour: console.outputHasColour) { console.print(line) }
        return .success
    }
}
