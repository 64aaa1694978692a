/// `graphflow lsp`: helps people write workflow files in their editor, over the Language Server Protocol.
struct LSPCommand: Command {
    static let name = "lsp"
    static let summary = "Help editors with workflow files and their tests."
    static let examples = ["lsp"]
    static let discussion = """
        An editor starts this program and speaks the Language Server Protocol 3.17 with it, on standard input and
        output. It gets the findings of 'graphflow validate' while a file is written, completions, types, values and
        renames. Nothing runs, no secret is read, and no network is used. 'graphflow help write-in-an-editor' has the
        configurations of editors.
        """

    @Flag("stdio", "Use standard input and output, which is the only way.") private var usesStreams

    func run(on console: Console) async throws -> ExitStatus {
        let server = LanguageServer(runs: .standard(environment: console.environment))
        let (ended, resolver) = Promise<Bool>.pending()
        SystemThread.start { resolver.fulfill(server.serve(input: STDIN_FILENO, output: STDOUT_FILENO)) }
        return try await ended.value ? .success : .faulted
    }
}
