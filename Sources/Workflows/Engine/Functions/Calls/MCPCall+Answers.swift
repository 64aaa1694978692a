extension MCPCall {
    private static let longestText = 2_000

    /// Fails if a result says that the call failed.
    func check(_ result: Value) throws(WorkflowError) {
        if let type = result["resultType"]?.string, type != "complete" {
            let why =
                type == "input_required"
                ? "asks for input, which a workflow cannot give: call it with all that it needs in 'parameters'"
                : "answered with a '\(PlainText.exact(type, limit: 50))', which graphflow cannot wait for"
            throw WorkflowError(.runtime, detail: "\(title) \(why)")
        }
        guard result["isError"] == true else { return }
        let texts = (result["content"]?.array ?? []).compactMap { $0["text"]?.string }
        let said =
            texts.isEmpty ? result["structuredContent"]?.json() ?? "it does not say why" : texts.joined(separator: " ")
        throw WorkflowError(
            .runtime,
            detail: "\(tool) of \(title) failed: \(PlainText.line(said, limit: Self.longestText))")
    }

    /// The error of a server that refused a request.
    func refusal(_ error: RPCError, of method: String) -> WorkflowError {
        let said = PlainText.line(error.message, limit: Self.longestText)
        let hint = MCPClient.hint(for: error).map { "; \($0)" } ?? ""
        return WorkflowError(
            .runtime, detail: "\(title) refused '\(method)': \(said) (error \(error.code.rawValue))\(hint)")
    }

    /// The error of an answer without a result.
    func unreadable(_ method: String) -> WorkflowError {
        WorkflowError(
            .runtime,
            detail: "\(title) answered '\(method)' with something other than a result of the protocol: "
                + "check that its address is that of an MCP server")
    }

    /// The error of a failed request as the standard wants it.
    func failure(_ error: any Error) -> any Error {
        guard error is HTTPCallError else { return error }
        var error = WorkflowError(error, at: context.graph.task ?? .root)
        error.members["type"] = .string(WorkflowError.Kind.runtime.type)
        return error
    }

    /// The error of a call that may have done what must not be done twice.
    func unclear(_ error: any Error) -> WorkflowError {
        var error = WorkflowError(error, at: context.graph.task ?? .root)
        let kind = WorkflowError(.unknownOutcome, detail: "")
        for name in ["type", "status", "title"] { error.members[name] = kind.members[name] }
        let words = error.members["detail"]?.textParts ?? [.plain(error.reason)]
        error.members["detail"] = .text(
            [.plain("It is unknown whether \(tool) did its work; check it before you repeat the call: ")] + words)
        return error
    }
}
