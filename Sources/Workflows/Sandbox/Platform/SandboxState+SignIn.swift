extension SandboxState {
    mutating func answer(_ route: SandboxSignInRoute, _ call: SandboxCall) -> SandboxAnswer {
        if case .control(let words) = route.resource {
            return SandboxAnswer(Self.finished(control(words, call), at: call.date))
        }
        let requestID = guid()
        let trace = SandboxSignInError.Trace(
            traceID: requestID, correlationID: call.clientRequestID ?? guid(), date: call.date)
        let signInCall: SandboxSignInCall
        do throws(SandboxError) {
            signInCall = try SandboxSignInCall(call, route, trace)
        } catch {
            return answer(call.request, with: error, at: call.date)
        }
        var answer = play(signInCall)
        answer.response = Self.finished(answer.response, at: call.date)
        answer.response.headers["x-ms-request-id"] = requestID
        answer.response.headers["client-request-id"] = trace.correlationID
        signIn.log.append(
            Sandbox.Exchange(
                date: call.date, request: call.request.redacted,
                status: answer.outcome == .dropped ? nil : answer.response.status, outcome: answer.outcome))
        return answer
    }

    /// Answers of the platform must not be cached.
    private static func finished(_ response: HTTPResponse, at date: Date) -> HTTPResponse {
        var response = response
        response.headers["Date"] = SandboxClock.httpDate(date)
        response.headers["Cache-Control"] = "no-store"
        response.headers["Pragma"] = "no-cache"
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response
    }

    private mutating func play(_ call: SandboxSignInCall) -> SandboxAnswer {
        let grant = call.form["grant_type"]
        let position = faults.firstIndex {
            $0.times > 0 && $0.matches(method: call.request.method, path: call.path, grant: grant)
        }
        guard let position else { return SandboxAnswer(respond(to: call, playing: nil)) }
        let fault = faults[position]
        faults[position].times -= 1
        switch fault.answer {
        case .change: return SandboxAnswer(respond(to: call, playing: nil))
        case .signInError(let name):
            let error = SandboxSignInError(playing: fault, name)
            if fault.isProcessed { _ = respond(to: call, playing: nil) }
            return SandboxAnswer(respond(to: call, playing: error))
        case .status(let status):
            if fault.isProcessed { _ = respond(to: call, playing: nil) }
            var error = SandboxSignInError(
                status < 500 ? "invalid_request" : status == 503 ? "temporarily_unavailable" : "server_error",
                status < 500 ? nil : 90_006, "The sandbox was asked to answer \(status).")
            error.status = status
            if let retryAfter = fault.retryAfter { error.headers["Retry-After"] = "\(retryAfter)" }
            return SandboxAnswer(error.response(call.trace))
        case .drop where fault.isProcessed: return SandboxAnswer(respond(to: call, playing: nil), .dropped)
        case .drop: return SandboxAnswer(HTTPResponse(status: 0), .dropped)
        case .truncate: return SandboxAnswer(respond(to: call, playing: nil), .truncated)
        case .malformed:
            var response = respond(to: call, playing: nil)
            response.body = response.body.prefix(response.body.count / 2)
            return SandboxAnswer(response)
        case .reset: return SandboxAnswer(HTTPResponse(status: 0), .reset)
        case .silence: return SandboxAnswer(HTTPResponse(status: 0), .silence)
        }
    }

    private mutating func respond(to call: SandboxSignInCall, playing error: SandboxSignInError?) -> HTTPResponse {
        do throws(SandboxSignInError) {
            return try perform(call, playing: error)
        } catch {
            return call.route.isForPeople
                ? SandboxSignInPage.failure(error, call.trace) : error.response(call.trace)
        }
    }

    private mutating func perform(
        _ call: SandboxSignInCall, playing error: SandboxSignInError?
    ) throws(SandboxSignInError) -> HTTPResponse {
        let method = call.request.method
        guard call.route.methods.contains(method) || method == "HEAD" && call.route.methods.contains("GET") else {
            let methods = call.route.methods.sorted().joined(separator: ", ")
            var error = SandboxSignInError(
                "invalid_request", 900_561,
                "The endpoint only accepts \(methods) requests. Received a \(method) request.",
                status: 405)
            error.headers["Allow"] = methods
            throw error
        }
        // An error of a browser request goes back to the client, whose address only the request contains.
        if call.route.resource == .authorize { return try authorize(call, playing: error) }
        if let error { throw error }
        switch call.route.resource {
        case .configuration: return try configuration(call)
        case .keys: return Self.answer(["keys": [SandboxSigningKey.publicKey]])
        case .instances: return try instances(call)
        case .token: return try token(call)
        case .deviceCode: return try deviceCode(call)
        case .device: return devicePage(call)
        case .decision: return try decide(call)
        case .logout: return try logOut(call)
        case .machine, .appService: return try managedIdentity(call)
        case .authorize, .control: throw .malformed("The address is not for that.")
        }
    }

    mutating func secret(_ length: Int = 64) -> String {
        text(length, of: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    }

    static func answer(_ value: Object, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: ["Content-Type": "application/json; charset=utf-8"],
            body: Value.object(value).jsonData())
    }
}
