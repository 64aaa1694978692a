extension SandboxState {
    private static let batchLimit = 20

    /// `POST /$batch`: every request gets its own answer, in any order.
    mutating func answerBatch(_ call: SandboxCall, requestID: String) throws(SandboxError) -> HTTPResponse {
        guard let body = try call.json?.get(), let values = body["requests"]?.array else { throw .unreadableBody }
        guard !values.isEmpty, values.count <= Self.batchLimit else {
            throw .badRequest(
                "Number of batch request steps exceeds the maximum value of \(Self.batchLimit), or there is none.")
        }
        var items: [SandboxBatchItem] = []
        var ids: Set<String> = []
        for value in values {
            let item = try SandboxBatchItem(value, in: call.request)
            if let unknown = item.dependsOn.first(where: { !ids.contains($0.lowercased()) }) {
                throw .badRequest("Request '\(item.id)' depends on '\(unknown)', which is no request before it.")
            }
            guard ids.insert(item.id.lowercased()).inserted else {
                throw .badRequest("The request id '\(item.id)' has been duplicated. Request ids have to be unique.")
            }
            items.append(item)
        }
        var failed: Set<String> = []
        var answers: [Value] = []
        for item in items {
            let response =
                item.dependsOn.contains { failed.contains($0.lowercased()) }
                ? failure(.failedDependency, of: call, requestID)
                : answer(item, of: call, requestID)
            if response.status >= 400 { failed.insert(item.id.lowercased()) }
            let place = Int(random.next() % UInt64(answers.count + 1))
            answers.insert(Self.value(of: response, item.id), at: place)
        }
        return Self.json(["responses": .array(answers)])
    }

    private mutating func answer(
        _ item: SandboxBatchItem, of outer: SandboxCall, _ requestID: String
    ) -> HTTPResponse {
        let call: SandboxCall
        do {
            call = try SandboxCall(item.request, at: outer.date)
        } catch {
            return failure(error, of: outer, requestID)
        }
        isInBatch = true
        let answer = play(call, requestID: requestID)
        isInBatch = false
        // Inside a batch, a missing answer becomes a status.
        return answer.delivery == .whole ? answer.response : failure(.gatewayTimeout, of: outer, requestID)
    }

    private func failure(_ error: SandboxError, of call: SandboxCall, _ requestID: String) -> HTTPResponse {
        error.response(requestID: requestID, clientRequestID: call.clientRequestID, date: call.date)
    }

    private static func value(of response: HTTPResponse, _ id: String) -> Value {
        var headers = Object()
        for field in response.headers.fields {
            // Lower case, as in the documentation's example of a throttled request.
            headers[field.name.lowercased() == "retry-after" ? "retry-after" : field.name] = .string(field.value)
        }
        var result: Object = ["id": .string(id), "status": .integer(response.status), "headers": .object(headers)]
        guard !response.body.isEmpty else { return .object(result) }
        let isJSON = ContentType.isJSON(response.headers["Content-Type"] ?? "")
        if isJSON, let value = try? Value(json: response.body) {
            result["body"] = value
        } else {
            result["body"] = .string(response.body.base64EncodedString())
        }
        return .object(result)
    }
}

extension SandboxError {
    fileprivate static let failedDependency = SandboxError(
        status: 424, code: "FailedDependency", message: "A request that this one depends on has failed.")

    fileprivate static let gatewayTimeout = SandboxError(
        status: 504, code: "GatewayTimeout", message: "The gateway got no answer from the service in time.")
}
