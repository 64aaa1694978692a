// MARK: - Streamable HTTP

extension MCPCall {
    /// Sends the messages one after the other, each as a request, and returns the result of the last one.
    func post(
        _ messages: [RPCMessage], to call: HTTPCall, of method: MCPClient.Method, _ effect: Idempotency
    ) -> Promise<Value> {
        let phase = Locked(Phase.begun)
        return limited(post(messages[...], to: call, of: method, effect, in: nil, phase)).recover(on: nil) {
            error -> Promise<Value> in
            guard !error.isCancelled else { throw error }
            let isAsked = phase.withLock { $0 } == .asked
            let isOverdue = (error as? WorkflowError)?.is(.timeout) ?? false
            // The exchange of the request itself reports its other outcomes.
            if !isAsked || isOverdue { tell(consequences(of: method, effect), isAsked ? .unknown : .refused) }
            let isLost = isAsked && ((error as? HTTPCallError)?.isUnclear ?? isOverdue)
            throw isLost && effect == .once ? unclear(error) : failure(error)
        }
    }

    private func post(
        _ messages: ArraySlice<RPCMessage>, to call: HTTPCall, of method: MCPClient.Method, _ effect: Idempotency,
        in session: String?, _ phase: Locked<Phase>
    ) -> Promise<Value> {
        guard let message = messages.first else { return .value(.null) }
        let isLast = messages.count == 1
        var posted = call
        posted.request = client.request(
            message, to: call.request, about: isLast ? subject(of: method) : nil, in: session)
        var purpose = HTTPExchange.Purpose(
            effect: isLast ? effect : .read, consequences: isLast ? consequences(of: method, effect) : [],
            isQuery: effect == .read)
        if context.graph.plan == nil {
            let requests = MCPServerRequests()
            purpose.onArrival = { response in
                for answer in requests.answers(in: response) { send(answer, to: call, in: session) }
            }
        }
        let exchange = HTTPExchange(
            posted, context, name: "mcp", unknown: isLast && method == self.method ? nil : "mcp", as: purpose)
        if isLast { phase.withLock { $0 = .asked } }
        return exchange.perform(reading: { request, response in
            if exchange.isPlanned(response) { return (exchange.planned, session) }
            let result = try result(of: message, in: response, to: request, isLast ? effect : .read)
            return (result, response.headers[HTTPRequest.sessionField] ?? session)
        }).then(on: nil) { (result: Value, session: String?) -> Promise<Value> in
            guard !isLast else { return .value(result) }
            try demand(initialization: result, of: message)
            return post(messages.dropFirst(), to: call, of: method, effect, in: session, phase)
        }
    }

    /// Answers a request of the server, which need not hear of it.
    private func send(_ answer: RPCMessage, to call: HTTPCall, in session: String?) {
        var posted = call
        posted.request = client.request(answer, to: call.request, about: nil, in: session)
        let exchange = HTTPExchange(posted, context, name: "mcp", as: HTTPExchange.Purpose(effect: .read))
        exchange.perform(reading: { _, _ in }).finally(on: nil) {}
    }

    /// The result of a message in the response to it; null for a notification.
    private func result(
        of message: RPCMessage, in response: HTTPResponse, to request: HTTPRequest, _ effect: Idempotency
    ) throws -> Value {
        let isAccepted = (200..<300).contains(response.status)
        guard case .request(let id, let method, _) = message else {
            guard isAccepted else { throw refusal(response, of: request, effect) }
            return .null
        }
        switch MCPClient.answer(to: id, in: response) {
        case .success(let result)? where isAccepted: return result
        case .failure(let error)?: throw refusal(error, of: method)
        case .success?, nil:
            guard isAccepted else { throw refusal(response, of: request, effect) }
            let error = unreadable(method)
            throw effect == .once ? unclear(error) : error
        }
    }

    private func refusal(_ response: HTTPResponse, of request: HTTPRequest, _ effect: Idempotency) -> HTTPCallError {
        var error = HTTPCallError.refusal(response, of: request, effect: effect)
        switch response.status {
        case 300..<400: error.hint = "write the address that it redirects to in 'endpoint'"
        case 401, 403: error.hint = "name what proves who asks in 'endpoint.authentication' or 'headers'"
        case 404, 405: error.hint = "check that the address is that of an MCP server, often one that ends with /mcp"
        case 400: error.hint = "the server may speak another version of the protocol: write its 'protocolVersion'"
        default: break
        }
        return error
    }

    /// Fails if the answer to `initialize` is not one with which the call can continue; other messages have none.
    private func demand(initialization result: Value, of message: RPCMessage) throws(WorkflowError) {
        guard case .request(_, "initialize", _) = message, context.graph.plan == nil || result.object != nil,
            let problem = client.problem(ofInitialization: result)
        else { return }
        throw WorkflowError(.runtime, detail: "\(title) \(problem)")
    }
}

// MARK: - Standard streams

extension MCPCall {
    /// Starts the server, exchanges the messages, and returns the result of the last one.
    func talk(
        _ messages: [RPCMessage], to program: ChildProgram, _ programs: FunctionPrograms, of method: MCPClient.Method,
        _ effect: Idempotency
    ) -> Promise<Value> {
        var program = program
        program.start.standardInput = .array(messages.map(\.value))
        program.standardInput = Data(messages.map { RPCFraming.lines.bytes(of: $0) }.joined())
        program.consequences = consequences(of: method, effect)
        let (effects, own) = (program.effects.of(effect), program.consequences)
        let phase = Locked(Phase.begun)
        do {
            let answer = try programs.talk(
                program,
                { method, _, _ in
                    switch MCPClient.answer(toRequest: method) {
                    case .success(let answer): .value(answer)
                    case .failure(let error): Promise(error: error)
                    }
                },
                { conversation in limited(exchange(messages[...], with: conversation, phase)) })
            guard let answer else {
                let name = context.graph.task?.tokens.last ?? "mcp"
                return .value(.string(context.graph.plannedAnswer(method == self.method ? name : "mcp").whole()))
            }
            return answer.get(on: nil) { _ in tell(effects, .done) }.recover(on: nil) { error -> Promise<Value> in
                guard !error.isCancelled else { throw error }
                guard (error as? WorkflowError)?.cause as? SystemError == nil else {
                    tell(effects, .refused)
                    throw error
                }
                let isAsked = phase.withLock { $0 } == .asked
                let isUnclear = isAsked && !(error is RPCError)
                tell(Array(effects.prefix(1)), .done)
                tell(own, isUnclear ? .unknown : .refused)
                if let error = error as? RPCError { throw refusal(error, of: isAsked ? method.rawValue : "initialize") }
                throw isUnclear && effect == .once ? unclear(error) : error
            }
        } catch {
            tell(effects, .refused)
            return Promise(error: error)
        }
    }

    private func exchange(
        _ messages: ArraySlice<RPCMessage>, with conversation: ProgramConversation, _ phase: Locked<Phase>
    ) -> Promise<Value> {
        guard let message = messages.first else { return .value(.null) }
        let isLast = messages.count == 1
        guard case .request(_, let name, let params) = message else {
            if case .notification(let name, let params) = message { conversation.notify(name, params) }
            return exchange(messages.dropFirst(), with: conversation, phase)
        }
        if isLast { phase.withLock { $0 = .asked } }
        return conversation.request(name, params).then(on: nil) { result -> Promise<Value> in
            guard !isLast else {
                phase.withLock { $0 = .answered }
                return .value(result)
            }
            try demand(initialization: result, of: message)
            return exchange(messages.dropFirst(), with: conversation, phase)
        }
    }
}
