/// A request of a client, and what the client can do while it waits.
package struct MCPExchange: Sendable {
    package let version: MCPVersion
    package let method: String
    package let params: Object
    /// What the client declares that it can do.
    let capabilities: Object
    /// The client's answers to what an earlier answer asked for, by the names that it used.
    package private(set) var responses: Object
    /// The state that an earlier answer gave; anybody can have written it.
    package private(set) var state: String?
    private let notify: @Sendable (_ method: String, _ params: Value) -> Void
    private let progressed = Locked(-1)

    init(
        _ method: String, _ params: Object, _ version: MCPVersion, capabilities: Object,
        notify: @escaping @Sendable (_ method: String, _ params: Value) -> Void
    ) {
        (self.method, self.params, self.version, self.capabilities) = (method, params, version, capabilities)
        self.notify = notify
        responses = version.isStateless ? params["inputResponses"]?.object ?? [:] : [:]
        state = version.isStateless ? params["requestState"]?.string : nil
    }

    func answered(_ responses: Object, _ state: String?) -> MCPExchange {
        var exchange = self
        (exchange.responses, exchange.state) = (responses, state)
        return exchange
    }

    /// Something that a server can ask a client for.
    package enum Question: Sendable {
        case form, url, sampling, roots
    }

    /// Whether the client can be asked.
    package func canAsk(_ question: Question) -> Bool {
        switch question {
        case .sampling: return capabilities["sampling"]?.object != nil
        case .roots: return capabilities["roots"]?.object != nil
        case .form, .url:
            guard let elicitation = capabilities["elicitation"]?.object else { return false }
            let isURL = elicitation["url"]?.object != nil && version != .june2025
            guard question == .form else { return isURL }
            // Without modes, a client has forms.
            return elicitation["form"]?.object != nil || elicitation["url"] == nil
        }
    }

    /// Tells a client that wants to know it how far the request is.
    /// - Parameters:
    ///   - progress: Increases with each call; others are left out.
    ///   - total: The last one; nil if it is not known.
    package func progress(_ progress: Int, of total: Int?, _ message: String?) {
        guard let token = params["_meta"]?["progressToken"], token.string != nil || token.integer != nil else { return }
        let isNew = progressed.withLock { last in
            guard progress > last else { return false }
            last = progress
            return true
        }
        guard isNew else { return }
        notify(
            "notifications/progress",
            .members([
                ("progressToken", token), ("progress", .integer(progress)), ("total", total.map(Value.integer)),
                ("message", message.map(Value.string)),
            ]))
    }

    /// Tells the client that what it was asked for at an address is there.
    package func completeElicitation(_ id: String) {
        guard version == .november2025 else { return }
        notify("notifications/elicitation/complete", ["elicitationId": .string(id)])
    }
}

/// The answer to a request.
package enum MCPAnswer: Sendable {
    case result(Object)
    /// The server needs something first: requests by name, as the protocol writes them, and a state to be given back.
    case needs(_ requests: Object, state: String)

    /// The result of a tool.
    /// - Parameters:
    ///   - text: What a model reads.
    ///   - structured: What a program reads.
    ///   - links: Resources that belong to it.
    package static func tool(
        _ text: String, structured: Value? = nil, links: [Value] = [], isError: Bool = false
    ) -> MCPAnswer {
        .result(tool(content: [["type": "text", "text": .string(text)]] + links, structured, isError: isError))
    }

    static func tool(content: [Value], _ structured: Value?, isError: Bool) -> Object {
        var members: Object = ["content": .array(content)]
        members["structuredContent"] = structured
        if isError { members["isError"] = true }
        return members
    }
}
