/// `graphflow board`: shows the runs of this machine in a browser.
struct BoardCommand: Command {
    static let name = "board"
    static let summary = "Show the runs of this machine in a browser, as they go, and start workflows."
    static let examples = ["board --open", "board workflows --open"]
    static let discussion = """
        Prints the address of a page that lists runs, follows them, and resumes, cancels and removes them. It starts
        the workflows of each FILE, or in each folder, by default those in the current one: a form asks for the input,
        a dry run shows what would happen, and a button runs exactly that. '--sandbox' says in which sandbox a form
        tries it. Only this machine can reach the page, and
        only with the token in the address. Ctrl-C ends it; runs that it began continue.
        """

    @Operand("[FILE…]") private var operands: [String]
    @Option("port", "N", "The port; 0, the default, takes a free port.", as: .port) private var port = 0
    private let sandbox = SandboxOption()
    @Flag("open", "Open the page in the browser.") private var opens

    func run(on console: Console) async throws -> ExitStatus {
        let board = Board(
            KeptRuns.standard(environment: console.environment),
            starting: WorkflowOperands(operands: operands.isEmpty ? ["."] : operands),
            inSandbox: sandbox.argument,
            with: OwnProgram(environment: console.environment))
        let address: String
        do throws(SystemError) {
            address = try board.start(port: port)
        } catch {
            throw UsageError(
                "port \(port) cannot be opened: \(error.isAddressInUse ? "it is in use" : error.description)",
                hint: "leave '--port' out to take a free port")
        }
        defer { board.stop() }
        console.print(address)
        if opens, let url = URL(string: address), !Browser.system(environment: console.environment).open(url) {
            console.complain("there is no browser here: open the address yourself")
        }
        await Interruption.first(on: console)
        return .success
    }
}
