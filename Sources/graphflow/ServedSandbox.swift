/// The sandbox of a run at a socket, where a browser shows its contents.
struct ServedSandbox {
    private let server: SandboxServer
    private let port: Int

    /// Serves the sandbox; its links then open in a browser.
    init(_ sandbox: Sandbox) throws(SandboxServer.StartError) {
        server = SandboxServer(sandbox)
        port = try server.start()
    }

    /// Performs the run, then serves the sandbox until the program is interrupted.
    /// - Returns: The status of the run.
    func show(on console: Console, after run: () async throws -> ExitStatus) async -> ExitStatus {
        defer { server.stop() }
        let status: ExitStatus
        do {
            status = try await run()
        } catch {
            status = console.report(error)
        }
        guard status != .interrupted, status != .terminated else { return status }
        console.complain(
            "the sandbox after the run is at http://127.0.0.1:\(port)/ until you stop it with Ctrl-C")
        await Interruption.first(on: console)
        return status
    }
}
