/// Sends the requests of an approved plan, and refuses every other one.
///
/// It also sends requests that only read for a call that changes something, such as the lookup of a sent mail. The
/// same goes for further pages of an answer, and for redirects.
final class ApprovingTransport: FileTransport {
    let approval: Approval
    private let transport: any HTTPTransport
    private let versions = PlannedVersions()
    /// Addresses that answers have named, by the tasks' executions.
    private let named = Locked<[TaskExecution: Set<String>]>([:])

    init(_ approval: Approval, over transport: any HTTPTransport) {
        self.approval = approval
        self.transport = transport
    }

    /// A body that fits into memory is sent as it was compared; a larger one is compared by its digest.
    func sendsFile(of request: HTTPRequest) -> Bool { request.bodySize > NetworkTransport.usualLimit }

    /// Sends a request that is in the plan, or belongs to one; rejects any other with ``PlanDeviation``.
    func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        let task = TaskExecution(operation.task ?? .root, operation.occurrence)
        let match = approval.allow(request, task, attempts: operation.attempts + Self.repeats)
        guard match != nil || belongs(request, operation, task) else {
            let deviation =
                approval.deviation
                ?? PlanDeviation(request, instead: approval.nearest(to: request, task))
            if operation.effect != .read { approval.note(deviation) }
            return Promise(error: deviation)
        }
        let demanding = versions.demanding(match.flatMap(approval.precondition(of:)), of: request, for: operation)
        let answer = transport.sendAny(demanding ?? request, for: operation)
        return answer.then(on: nil) { response -> Promise<HTTPResponse> in
            guard let demanding, self.versions.isRefusal(response, of: demanding) else { return .value(response) }
            return self.versions.written(by: request, for: operation, over: self.transport).map(on: nil) { written in
                if let written { return written }
                let address = PlainText.line(request.redacted.url.absoluteString)
                let deviation = PlanDeviation(
                    "something else is there than the plan read: \(request.method) \(address)")
                self.approval.note(deviation)
                throw deviation
            }
        }.map(on: nil) { [match] response in
            self.take(response, to: request, task)
            self.versions.take(response, to: request, for: operation)
            if let match {
                self.approval.settle(match, task, hasSucceeded: (200..<400).contains(response.status))
            }
            return response
        }
    }

    /// The name of requests for schemas, scripts and other documents of the workflow itself.
    private static let resource = "resource"

    /// The repetitions beyond the attempts of a request: after a refused token, or with a challenge's answer.
    private static let repeats = 2

    /// Whether a request only reads for a call of the plan, or cleans up after one.
    private func belongs(_ request: HTTPRequest, _ operation: HTTPOperation, _ task: TaskExecution) -> Bool {
        let isReading = operation.effect == .read && ["GET", "HEAD"].contains(request.method)
        if isReading, isNamed(request, task) { return true }
        if operation.name == UndoCall.ownOperation {
            return approval.deviation == nil && approval.takesBack(task)
        }
        if operation.name == Self.resource { return approval.hasResource(request) }
        if operation.effect == .read, operation.name == Function.mcp.name, MCPClient.isAnswer(request) {
            return approval.plans(task) { planned in
                Slots.fit(address: planned.url, request.url.absoluteString, repeatsItems: false)
            }
        }
        // A call of the standard sends what its arguments say, and looks nothing up.
        guard Catalog.standard[operation.name] == nil,
            let changing = approval.changing(task, function: operation.name)
        else { return false }
        if isReading { return Origin(request.url) == Origin(changing.request.url) }
        return isFoundDraftSent(request, operation, task) || isDraftThrownAway(request, task)
    }

    private func isNamed(_ request: HTTPRequest, _ task: TaskExecution) -> Bool {
        named.withLock { $0[task]?.contains(request.url.absoluteString) ?? false }
    }

    /// Whether a draft that was found by the mail's own key replaces the planned one.
    private func isFoundDraftSent(_ request: HTTPRequest, _ operation: HTTPOperation, _ task: TaskExecution) -> Bool {
        request.method == "POST" && operation.effect == .once && request.url.path().hasSuffix("/send")
            && approval.deviation == nil && isNamed(request, task)
    }

    /// Whether a request deletes a draft that the task created: so a run cleans up a mail that it could not send.
    private func isDraftThrownAway(_ request: HTTPRequest, _ task: TaskExecution) -> Bool {
        guard request.method == "DELETE" else { return false }
        return isNamed(request, task)
            || approval.plans(task) { planned in
                guard case .plain(let end)? = planned.url.last, end.hasSuffix("/send") else { return false }
                let address = Array(planned.url.dropLast()) + [.plain(String(end.dropLast("/send".count)))]
                return Slots.fit(address: address, request.url.absoluteString, repeatsItems: false)
            }
    }

    private func take(_ response: HTTPResponse, to request: HTTPRequest, _ task: TaskExecution) {
        var addresses: [String] = []
        if let next = response.headers["Location"], let url = HTTPAddress.target(of: next, from: request.url) {
            addresses.append(url.absoluteString)
        }
        if let body = try? Value(json: response.body) {
            for name in ["@odata.nextLink", "uploadUrl", "UploadUrl"] {
                if let address = body[name]?.string { addresses.append(address) }
            }
            addresses += Self.foundDrafts(in: body, request).map { "\($0)/send" }
            // A draft's own address is below the address that created it.
            if let id = body["id"]?.string, request.method == "POST" {
                addresses.append("\(request.url.absoluteString)/\(id.percentEncoded())")
            }
        }
        guard !addresses.isEmpty else { return }
        named.withLock { $0[task, default: []].formUnion(addresses) }
    }

    /// The addresses of the drafts in an answer to the lookup of a mail by its key, without deleted ones.
    private static func foundDrafts(in body: Value, _ request: HTTPRequest) -> [String] {
        let parts = request.url.absoluteString.split(separator: "?", maxSplits: 1)
        guard request.method == "GET", parts.count == 2, parts[1].contains(Mail.Key.property),
            parts[0].hasSuffix("/messages"), !parts[0].contains("/mailFolders/")
        else { return [] }
        return (body["value"]?.array ?? []).compactMap { message in
            guard let id = message["id"]?.string, message["isDraft"] == true else { return nil }
            return "\(parts[0])/\(id.percentEncoded())"
        }
    }
}

extension Approval {
    /// A request of the task in the plan, for an error message.
    fileprivate func nearest(to request: HTTPRequest, _ task: TaskExecution) -> PlannedRequest? {
        let requests = places.matching(task.task, task.occurrence).flatMap { places.all[$0].task.steps.requests }
        return requests.first { $0.request.method == request.method } ?? requests.first
    }

    /// The first request of a function's call in the task that changes something; nil if the plan has none.
    fileprivate func changing(_ task: TaskExecution, function: String) -> PlannedRequest? {
        places.matching(task.task, task.occurrence).lazy.flatMap { self.places.all[$0].task.steps.requests }
            .first { $0.operation.name == function && $0.operation.effect != .read }
    }

    /// What must be where a step of the plan writes.
    fileprivate func precondition(of match: (place: Int, step: Int)) -> PlannedRequest.Precondition? {
        guard case .request(let planned) = places.all[match.place].task.steps[match.step] else { return nil }
        return planned.precondition
    }

    /// Whether the plan takes back there what the run did: that depends on what it did, and on what others do.
    fileprivate func takesBack(_ task: TaskExecution) -> Bool {
        places.matching(task.task, task.occurrence).contains {
            places.all[$0].task.steps.requests.contains { $0.operation.name == UndoCall.ownOperation }
        }
    }

    fileprivate func plans(_ task: TaskExecution, _ holds: (PlannedRequest) -> Bool) -> Bool {
        places.matching(task.task, task.occurrence).contains {
            places.all[$0].task.steps.requests.contains(where: holds)
        }
    }

    /// Whether the plan reads the document of the workflow, whichever task needs it first.
    fileprivate func hasResource(_ request: HTTPRequest) -> Bool {
        places.all.contains { place in
            place.task.steps.requests.contains { $0.operation.name == "resource" && $0.fitting(request) != nil }
        }
    }
}
