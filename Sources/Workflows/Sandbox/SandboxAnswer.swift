/// What goes back to the client, and how much of it.
struct SandboxAnswer {
    var response: HTTPResponse
    var outcome: Sandbox.Exchange.Outcome

    init(_ response: HTTPResponse, _ outcome: Sandbox.Exchange.Outcome = .answered) {
        self.response = response
        self.outcome = outcome
    }
}
