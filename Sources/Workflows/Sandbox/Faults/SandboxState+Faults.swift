extension SandboxState {
    static let pageType = "text/html"

    mutating func takeFault(for call: SandboxCall) -> Sandbox.Fault? {
        takeFault(call.request.method, call.target.path)
    }

    mutating func takeFault(_ method: String, _ path: String) -> Sandbox.Fault? {
        guard let position = nextFault(method, path) else { return nil }
        faults[position].times -= 1
        return faults[position]
    }

    private mutating func nextFault(_ method: String, _ path: String) -> Int? {
        for position in faults.indices where faults[position].times > 0 {
            guard faults[position].matches(method: method, path: path, grant: nil) else { continue }
            guard faults[position].skipped == 0 else {
                faults[position].skipped -= 1
                continue
            }
            return position
        }
        return nil
    }

    mutating func isReset(_ call: SandboxCall) -> Bool {
        let position = faults.firstIndex {
            $0.times > 0 && $0.skipped == 0
                && $0.matches(method: call.request.method, path: call.target.path, grant: nil)
        }
        guard let position, faults[position].answer == .reset else { return false }
        faults[position].times -= 1
        record(call.request, SandboxAnswer(HTTPResponse(status: 0), .reset), at: call.date)
        return true
    }

    mutating func play(
        _ fault: Sandbox.Fault, _ call: SandboxCall, _ failure: (SandboxError) -> HTTPResponse
    ) -> SandboxAnswer {
        var answer: SandboxAnswer
        switch fault.answer {
        case .reset: answer = SandboxAnswer(HTTPResponse(status: 0), .reset)
        case .truncate: answer = SandboxAnswer(perform(call, failure), .truncated)
        case .malformed:
            answer = SandboxAnswer(perform(call, failure))
            answer.response.body = answer.response.body.prefix(answer.response.body.count / 2)
            if answer.response.body.isEmpty { answer.response.body = Data("{".utf8) }
        case .drop, .silence:
            let response = fault.isProcessed ? perform(call, failure) : HTTPResponse(status: 0)
            answer = SandboxAnswer(response, fault.answer == .drop ? .dropped : .silence)
        case .change(let change):
            deltaFault = change
            if change == .lost, case .subscriptions(let id?, _)? = (try? call.route.get())?.resource {
                subscriptions.removeAll { $0.id == id.lowercased() }
            }
            answer = SandboxAnswer(perform(call, failure))
            deltaFault = nil
        case .signInError:
            if fault.isProcessed { _ = perform(call, failure) }
            answer = SandboxAnswer(failure(SandboxError.playing(fault, for: call)))
        case .status(let status):
            let response = fault.isProcessed ? perform(call, failure) : HTTPResponse(status: status)
            answer = SandboxAnswer(response)
            if status >= 400 {
                answer.response = fault.isHTML ? Self.page(status) : failure(SandboxError.playing(fault, for: call))
            } else if answer.response.status < 400 {
                answer.response.status = status
            }
            if let seconds = fault.retryAfter { answer.response.headers["Retry-After"] = "\(seconds)" }
        }
        answer.delay = .seconds(fault.delay ?? 0)
        return answer
    }

    private static func page(_ status: Int) -> HTTPResponse {
        let text = """
            <!DOCTYPE html>
            <html><head><title>Service unavailable</title></head>
            <body><h2>Our services aren't available right now</h2><p>Error \(status)</p></body></html>

            """
        return HTTPResponse(status: status, headers: ["Content-Type": pageType], body: Data(text.utf8))
    }
}
