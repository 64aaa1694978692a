/// Serves the runs and batches of this machine to a page in their owner's browser.
///
/// The page itself has no data and is served to any user of this machine. Everything else needs the token, in a header
/// that no other site can make a browser send. The board uses no cookies.
final class Board: Sendable {
    /// How often a stream looks for changes.
    private static let interval = Duration.milliseconds(500)
    /// The number of quiet intervals after which a stream sends a sign of life.
    private static let quietIntervals = 30

    /// The number of items that a batch's page lists for each kind of error.
    private static let mostItems = 50

    private let kept: KeptRuns
    private let services: ServedSchedules
    private let acts: BoardActs
    private let starts: BoardStarts
    private let approvals: BoardApprovals
    private let token: String
    private let listener = Locked<LoopbackListener?>(nil)

    /// Creates a board that is not served yet.
    /// - Parameters:
    ///   - kept: The runs and batches.
    ///   - workflows: The files that the board can start.
    ///   - sandbox: The option for runs in a sandbox.
    ///   - program: Plans, starts and resumes runs.
    init(
        _ kept: KeptRuns, starting workflows: WorkflowOperands, inSandbox sandbox: String = "--sandbox",
        with program: OwnProgram
    ) {
        self.kept = kept
        services = ServedSchedules(environment: program.environment)
        acts = BoardActs(kept: kept, program: program)
        starts = BoardStarts(workflows, inSandbox: sandbox, program: program)
        approvals = BoardApprovals(environment: program.environment)
        token = Data.random(32).hex
    }

    deinit { stop() }

    /// Starts serving.
    /// - Returns: The address with the token.
    func start(port: UInt16) throws(SystemError) -> String {
        let made = try LoopbackListener(
            port: port, bodyLimit: { _ in 1 << 16 },
            stream: { [weak self] request, stream in self?.follow(request, stream) },
            answer: { [weak self] request in self?.answer(request) ?? (HTTPResponse(status: 503), .whole) })
        listener.withLock { $0 = made }
        made.run()
        return "http://127.0.0.1:\(made.port)/#token=\(token)"
    }

    /// Stops serving and ends all connections.
    func stop() { listener.take()?.stop() }

    private func answer(_ request: HTTPRequest) -> (response: HTTPResponse, delivery: LoopbackConnection.Delivery) {
        let path = request.url.path(percentEncoded: false).split(separator: "/").map(String.init)
        var response: HTTPResponse
        var delivery = LoopbackConnection.Delivery.whole
        if path.first != "api" {
            response =
                path.isEmpty && request.method == "GET"
                ? BoardPage.response : Self.problem(404, "there is no such page")
        } else if !isAllowed(request) {
            response = Self.problem(401, "the address that 'graphflow board' prints has the token")
            response.headers["WWW-Authenticate"] = "Bearer"
        } else {
            do {
                (response, delivery) = try answer(request, Array(path.dropFirst()))
            } catch {
                response = Self.problem(error)
            }
        }
        response.headers["Cache-Control"] = "no-store"
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Referrer-Policy"] = "no-referrer"
        return (response, delivery)
    }

    /// Compares all characters, so the time reveals nothing about the token.
    private func isAllowed(_ request: HTTPRequest) -> Bool {
        let given = Array((request.headers["Authorization"] ?? "").utf8)
        let wanted = Array("Bearer \(token)".utf8)
        guard given.count == wanted.count else { return false }
        return zip(given, wanted).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private func answer(
        _ request: HTTPRequest, _ path: [String]
    ) throws -> (response: HTTPResponse, delivery: LoopbackConnection.Delivery) {
        switch (request.method, path.count, path.first, path.last) {
        case ("GET", 1, "runs", _): return (Self.json(try list(request)), .whole)
        case ("GET", 1, "workflows", _): return (Self.json(starts.list), .whole)
        case ("GET", 2, "workflows", "form"):
            return (Self.json(try starts.form(for: Query(request)["file"] ?? "")), .whole)
        case ("POST", 1, "plans", _): return (Self.json(try starts.plan(try Self.body(request))), .whole)
        case ("POST", 3, "plans", "run"): return (Self.json(try starts.run(path[1])), .whole)
        case ("GET", 3, "runs", "items"): return (Self.json(try items(of: path[1], request)), .whole)
        case ("GET", 2...3, "runs", "stream"):
            if path.count == 3 { _ = try place(of: path[1]).folder.summary(of: path[1]) }
            return (HTTPResponse(status: 200, headers: ["Content-Type": "text/event-stream"]), .streamed)
        case ("GET", 2, "runs", _): return (Self.json(try data(of: path[1])), .whole)
        case ("GET", 3, "runs", "drawing"):
            let place = try place(of: path[1])
            let drawing = RunReport.workflow(of: place.name, in: place.folder).map { WorkflowDrawing($0).svgElement }
            let svg = drawing?.escapingControls ?? ""
            return (
                HTTPResponse(status: 200, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Data(svg.utf8)),
                .whole
            )
        case ("GET", 3, "runs", "approvals"): return (Self.json(try approvals.list(of: path[1])), .whole)
        case ("POST", 3, "runs", "approve"):
            return (Self.json(try approvals.approve(path[1], try Self.body(request))), .whole)
        case ("POST", 3, "runs", "reject"):
            try approvals.reject(path[1], try Self.body(request))
        case ("POST", 3, "runs", "resume"):
            try acts.resume(path[1], with: try Self.body(request))
        case ("POST", 3, "runs", "cancel"):
            try acts.cancel(path[1])
        case ("DELETE", 2, "runs", _):
            try kept.folder(of: path[1]).remove(path[1])
        default:
            return (Self.problem(404, "there is no '\(request.method) \(request.url.path)'"), .whole)
        }
        return (HTTPResponse(status: 204), .whole)
    }

    /// The runs and batches that match the query, newest first, in the format of `graphflow runs --json`.
    private func list(_ request: HTTPRequest) throws -> Value {
        let query = Query(request)
        let now = Date()
        let since = query["seconds"].flatMap { Double($0) }.map { now.addingTimeInterval(-$0) } ?? .distantPast
        // Requests one more than is shown, to know whether there are more.
        let found = try kept.summaries(limit: query.limit + 1) { run in
            let texts = [run.run, run.workflow?.name, run.workflow?.title, run.error?["title"]?.string, run.file]
            return run.startedAt >= since && query.matches(run.state.rawValue, texts.compactMap(\.self))
        }
        let limit = query.limit
        return [
            "runs": .array(found.prefix(limit).map { $0.json(now: now) }), "hasMore": .bool(found.count > limit),
            "folder": .string(kept.runs.url.path(percentEncoded: false)), "services": .array(services.all(at: now)),
        ]
    }

    /// The items of a batch that match the query, with their effects, in the order of the source.
    private func items(of name: String, _ request: HTTPRequest) throws -> Value {
        let query = Query(request)
        let found = try BatchView.items(of: name, in: try place(of: name).folder).filter { item in
            query.matches(item.state, [item.key, item.error].compactMap(\.self) + item.effects.map(\.effect.summary))
        }
        return ["items": .array(found.prefix(query.limit).map(\.json)), "count": .integer(found.count)]
    }

    /// The filters and the limit in a request for a list.
    private struct Query {
        private let items: [URLQueryItem]

        init(_ request: HTTPRequest) {
            items = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        }

        subscript(name: String) -> String? {
            items.first { $0.name == name }?.value.flatMap { $0.isEmpty ? nil : $0 }
        }

        var limit: Int { min(self["limit"].flatMap { Int($0) } ?? 100, 1_000) }

        func matches(_ state: String, _ texts: [String]) -> Bool {
            guard self["state"] == nil || self["state"] == state else { return false }
            guard let search = self["search"]?.lowercased() else { return true }
            return texts.contains { $0.lowercased().contains(search) }
        }
    }

    /// The folder that has a run, a batch or an item of a batch.
    private func place(of name: String) throws -> (name: String, folder: RunsFolder, item: String?) {
        if let batch = try kept.batch(ofItem: name) { return (batch, kept.batches, name) }
        return (name, try kept.folder(of: name), nil)
    }

    /// The data that a page shows of a run, a batch or an item of a batch.
    private func data(of name: String) throws -> Value {
        let place = try place(of: name)
        if place.item == nil, try place.folder.summary(of: name).isBatch {
            return try BatchView(of: name, in: place.folder, mostExamples: Self.mostItems, now: Date()).json
        }
        let workflow = RunReport.workflow(of: place.name, in: place.folder)
        let report = try RunReport(
            of: place.name, item: place.item, in: place.folder, workflow, keepsData: true, unfolds: false, now: Date())
        return RunPage(report: report, workflow: workflow, unfolds: false).data
    }

    /// The data that changes while a run or a batch is in progress.
    private func progress(of name: String) throws -> Value {
        let place = try place(of: name)
        let summary = try place.folder.summary(of: place.name)
        return [
            "state": .string(summary.state.rawValue), "counts": summary.counts?.json ?? .null,
            "size": .integer(try place.folder.journalSize(of: place.name)),
        ]
    }

    /// Sends the list of runs, or the progress of one run or batch, each time that it has changed.
    private func follow(_ request: HTTPRequest, _ stream: LoopbackConnection.Stream) {
        let path = request.url.path(percentEncoded: false).split(separator: "/").map(String.init)
        var last: Value?
        var quiet = 0
        while true {
            let latest: Value?
            if path.count == 4 {
                guard let progress = try? progress(of: path[2]) else { return }
                latest = progress
            } else {
                latest = try? list(request).withoutDurations
            }
            quiet += 1
            if let latest, latest != last {
                last = latest
                quiet = 0
                guard stream.send(Data("data: \(latest.json().escapingControls)\n\n".utf8)) else { return }
            } else if quiet >= Self.quietIntervals {
                quiet = 0
                guard stream.send(Data(": still here\n\n".utf8)) else { return }
            }
            guard stream.pause(for: Self.interval) else { return }
        }
    }

    private static func body(_ request: HTTPRequest) throws -> Object {
        guard let body = request.body, !body.isEmpty else { return [:] }
        return try Value(json: body).object ?? [:]
    }

    private static func json(_ value: Value, status: Int = 200, type: String = "application/json") -> HTTPResponse {
        HTTPResponse(
            status: status, headers: ["Content-Type": type], body: Data(value.json().escapingControls.utf8))
    }

    private static func problem(_ status: Int, _ detail: String) -> HTTPResponse {
        json(
            ["type": "about:blank", "status": .integer(status), "detail": .string(detail)], status: status,
            type: "application/problem+json")
    }

    private static func problem(_ error: any Error) -> HTTPResponse {
        switch error {
        case let error as JournalError: problem(error.code == .notFound ? 404 : 409, error.message)
        case let error as UsageError: problem(404, error.message)
        case let error as OwnProgram.Refusal: problem(409, error.text)
        case let error as BoardActs.Refusal: problem(409, error.text)
        case let error as PlanMismatch: problem(409, error.differences.joined(separator: "\n"))
        default: problem(500, "\(error)")
        }
    }
}

extension Value {
    /// The list of runs without the durations of running ones, which change all the time.
    fileprivate var withoutDurations: Value {
        guard case .object(var members) = self, let runs = members["runs"]?.array else { return self }
        members["runs"] = .array(
            runs.map { run in
                guard run["state"] == "running", case .object(var run) = run else { return run }
                run["duration"] = nil
                return .object(run)
            })
        return .object(members)
    }
}
