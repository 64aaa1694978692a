extension SandboxState {
    /// Answers a control request; changes must be JSON, which no web page can make a browser send here.
    mutating func control(_ words: [String], _ call: SandboxCall) -> HTTPResponse {
        do throws(Sandbox.SignInError) {
            let method = call.request.method == "HEAD" ? "GET" : call.request.method
            let names = words.map { $0.lowercased() }
            switch (method, names.count) {
            case ("GET", 1) where names == ["sign-in"]: return Self.answer(signInValue(at: call.date))
            case ("PATCH", 1) where names == ["sign-in"]:
                guard let changes = try Self.body(call).object else {
                    throw Sandbox.SignInError("the body is not an object")
                }
                var rules = signIn.rules
                try rules.change(changes)
                signIn.rules = rules
                return Self.answer(signInValue(at: call.date))
            case ("POST", 3) where names.starts(with: ["sign-in", "devices"]):
                try decideDevice(words[2], try Self.body(call), at: call.date)
            case ("POST", 2) where names == ["sign-in", "revocations"]:
                signIn.revoke(try SandboxUser.signingIn(try Self.body(call)["account"]?.string ?? ""))
            case ("PUT", 2) where names == ["sign-in", "challenge"]:
                let claims = try Self.body(call)
                guard claims.object != nil else { throw Sandbox.SignInError("the claims are not an object") }
                signIn.challenge = claims
            case ("DELETE", 2) where names == ["sign-in", "challenge"]: signIn.challenge = nil
            case ("GET", 1) where names == ["faults"]:
                let waiting = faults.filter { $0.times > 0 }.map { Value.string($0.description) }
                return Self.answer(["faults": .array(waiting)])
            case ("POST", 1) where names == ["faults"]:
                let body = try Self.body(call)
                guard let text = body.string ?? body["fault"]?.string else {
                    throw Sandbox.SignInError("the body is not a string such as \"GET /me 500\"")
                }
                do throws(Sandbox.Fault.SyntaxError) {
                    faults.append(try Sandbox.Fault(parsing: text))
                } catch {
                    throw Sandbox.SignInError(error.description)
                }
            case ("DELETE", 1) where names == ["faults"]: faults = []
            default:
                throw Sandbox.SignInError(
                    "there is no '\(call.request.method) /sandbox/\(words.joined(separator: "/"))'", status: 404)
            }
            return HTTPResponse(status: 204)
        } catch {
            return Self.answer(["error": .string(error.description)], status: error.status)
        }
    }

    private mutating func decideDevice(_ userCode: String, _ body: Value, at date: Date) throws(Sandbox.SignInError) {
        let decision: SandboxSignIn.Device.Decision
        switch body["decision"]?.string {
        case "approve":
            let name = body["account"]?.string ?? SandboxUser.people[0].userPrincipalName
            decision = .approved(try SandboxUser.signingIn(name))
        case "decline": decision = .declined
        default: throw Sandbox.SignInError("the 'decision' is neither 'approve' nor 'decline'")
        }
        try signIn.decide(decision, userCode: userCode, at: date)
    }

    private func signInValue(at date: Date) -> Object {
        let devices = signIn.devices.values.filter { date < $0.expires }.sorted { $0.expires < $1.expires }
        return [
            "tenant": .string(SandboxTenant.id), "rules": signIn.rules.value,
            "accounts": .array(SandboxUser.accounts.map { .string($0.userPrincipalName) }),
            "challenge": signIn.challenge ?? .null,
            "devices": .array(devices.map { Sandbox.DeviceSignIn($0).value }),
            "requests": .array(signIn.exchanges.map(\.value)),
        ]
    }

    private static func body(_ call: SandboxCall) throws(Sandbox.SignInError) -> Value {
        guard ContentType.isJSON(call.request.headers["Content-Type"] ?? "") else {
            throw Sandbox.SignInError("the body must be JSON, with the Content-Type application/json", status: 415)
        }
        let data = call.request.body ?? Data()
        guard !SandboxBodySchema.isTooDeep(data), let value = try? Value(json: data) else {
            throw Sandbox.SignInError("the body is not JSON")
        }
        return value
    }
}
