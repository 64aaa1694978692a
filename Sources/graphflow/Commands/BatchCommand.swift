import Essentials
import Promises
import WorkflowHTTP
import Workflows

/// `graphflow batch`: runs a workflow for each item of a source.
struct BatchCommand: Command {
    static let name = "batch"
    static let summary = "Run a workflow file for each item of a list."
    static let operands = "FILE|FOLDER…"
    static let examples = [
        "batch workflows/welcome.yaml --each workflows/welcome.csv --key .mail --sandbox",
        "batch welcome.yaml --each people.csv --key .mail --name spring --dry-run",
    ]
    static let discussion = """
        Each item of SOURCE is the input of one run. All items are checked before the first one runs. A line of JSON
        for each item that is over goes to standard output: its key, its state, and its output or error.

        A batch that was interrupted, or some of whose items failed, goes on with 'graphflow resume BATCH', or when a
        batch of the same '--name' is started again. With '--name', a mail that a batch of that name has sent is not
        sent again. With '--shard', each of several machines takes its part of the items.
        """
    static let options = ownOptions + RunnerOptions.options + BatchPlanning.options + DetailOption.options
    private static let ownOptions = [
        Option(
            name: "each", argument: .required("SOURCE"),
            help: "The items: a .csv, .tsv, .jsonl, .json or .yaml file, or '-' for JSON Lines\non standard input."),
        Option(
            name: "key", argument: .required("EXPRESSION"),
            help: "What names an item: jq over the item as it was read (default: the whole item)."),
        Option(
            name: "allow-duplicates",
            help: "Allow items with the same key."),
        Option(
            name: "name", argument: .required("NAME"),
            help: "The batch's name, under which it goes on when it is started again."),
        Option(
            name: "no-lookup",
            help: "Do not look up whether another machine has sent the mails of a batch with a name."),
        Option(
            name: "lookup-delay", argument: .required("SECONDS"),
            help: "How long after the start a mail that is not found as sent counts as not sent\n(default: 60)."),
        Option(
            name: "shard", argument: .required("I/N|auto"),
            help: "Take only part I of N of the items. 'auto' finds I and N in the environment\n"
                + "of Slurm, Kubernetes and others."),
        Option(
            name: "concurrency", argument: .required("N"),
            help: "The most items at work at the same time (default: as many as the service\nlets through)."),
        Option(
            name: "rate", argument: .required("N/s"),
            help: "The most items that begin in a second, by all shards together."),
        Option(
            name: "max-failures", argument: .required("N|P%"),
            help: "Take no more items when N have faulted or are unknown, or P% of at least 20."),
        ResultsFile.option,
        Option(
            name: "report",
            help:
                "Run nothing: sum up the shards of a batch, of which the operands are the\nfolders or the files of results."
        ),
        Option(name: "json", help: "With '--report': print JSON."),
        Option(
            name: "property", letter: "p", argument: .required("NAME=VALUE"), isRepeatable: true,
            help: "Set a property of all items' input, converted to its type in the input's\nschema."),
        Option(
            name: "input", argument: .required("JSON|@FILE"),
            help: "The input that all items have in common: JSON or a file. '-p' and the items\noverride it."),
        SandboxOption.option,
        SandboxOption.only,
        SandboxOption.mock,
        Option(
            name: "combine-reads",
            help: "Combine reads that are ready at the same time into one request, at most 20."),
        Option(
            name: "events", argument: .required("FILE|-"),
            help: "Write every event of the runs as a CloudEvent, one per line."),
    ]

    private let perform: @Sendable (Console) async throws -> ExitStatus

    init(_ arguments: ParsedArguments, _ console: Console) throws {
        guard !arguments.has("report") else {
            let folders = arguments.operands
            guard !folders.isEmpty else {
                throw UsageError(
                    "'graphflow batch --report' needs a folder", hint: "graphflow batch --report shard-1 shard-2")
            }
            let (name, wantsJSON) = (arguments.value("name"), arguments.has("json"))
            perform = { try BatchReport.print(folders: folders, name: name, json: wantsJSON, on: $0) }
            return
        }
        guard !arguments.has("json") else { throw UsageError("'--json' is for '--report'") }
        let start = try BatchStart(arguments, console)
        perform = { try await start.run(on: $0) }
    }

    func run(on console: Console) async throws -> ExitStatus { try await perform(console) }
}
