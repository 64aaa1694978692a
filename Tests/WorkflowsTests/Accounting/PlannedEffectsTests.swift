import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// The effects of a plan, and those of its run.
@Suite struct PlannedEffectsTests {
    private static let perspective = EffectPerspective(account: "megan@contoso.com")

    private static func runner(_ log: EventLog? = nil, _ transport: any HTTPTransport = Sandbox().transport) -> Runner {
        let clock = SkippingClock()
        var runner = Runner(
            graph: GraphClient(
                credential: .fixed(AccessToken("sandbox")), baseURL: Sandbox.baseURL, transport: transport,
                clock: clock), clock: clock, recorders: log.map { [$0.recorder] } ?? [])
        runner.perspective = perspective
        return runner
    }

    private static func plan(_ tasks: String) async throws -> Plan {
        try await runner().plan(try Workflow(tasks: tasks)).value
    }

    @Test func `a mail is one effect, however many requests make it`() async throws {
        let plan = try await Self.plan(
            """
            - mail:
                call: sendMail
                with:
                  to: [adelev@contoso.com, lena@example.com]
                  subject: Hi
                  body: x
                  attachments: [{ name: a.txt, content: abc }]
            """)
        #expect(plan.effects.count == 1)
        let mail = try #require(plan.effects.first)
        #expect(mail.count == .one)
        #expect(mail.isOnce)
        #expect(
            mail.value == [
                "kind": "mail", "task": "/do/0/mail",
                "summary": "sends the mail 'Hi' to adelev@contoso.com and lena@example.com, with 1 attachment",
                "count": ["atLeast": 1, "atMost": 1], "condition": nil, "once": true, "undo": "no",
                "from": "megan@contoso.com", "to": ["adelev@contoso.com", "lena@example.com"], "cc": [], "bcc": [],
                "subject": "Hi", "attachments": [["name": "a.txt", "size": 3]], "external": ["lena@example.com"],
                "sent": true,
            ])
        let totals = EffectTotals(plan.effects)
        #expect(totals.mails == .one)
        #expect(totals.recipients == Effect.Count(atLeast: 2, atMost: 2))
        #expect(totals.externalRecipients == .one)
    }

    @Test func `what was read by a key, and what is new, has that name where its id is only known at run time`()
        async throws
    {
        let plan = try await Self.plan(
            """
            - who: { call: me, with: { user: 'ädele@contoso.com' } }
            - change: { call: graph, with: { method: PATCH, path: '/users/${ .id }', body: { jobTitle: x } } }
            - own: { call: me }
            - self: { call: graph, with: { method: PATCH, path: '/users/${ .id }', body: { jobTitle: x } } }
            - group: { call: graph, with: { method: POST, path: /groups, body: { displayName: 'Ä ‹x›' } } }
            - drop: { call: graph, with: { method: DELETE, path: '/groups/${ .id }' } }
            """)
        #expect(
            plan.effects.map(\.summary) == [
                "changes jobTitle of the user ädele@contoso.com", "changes jobTitle of the user megan@contoso.com",
                "creates the group Ä ‹‹›x‹››", "deletes the group Ä ‹‹›x‹››",
            ])
        #expect(plan.effects.first?.value["name"] == .null)
    }

    /// Answers for what the sandbox does not play.
    private struct Roles: HTTPTransport {
        let sandbox = Sandbox()

        func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
            let person: Value = ["id": "87d349ed-44d7-43e1-9a83-5f2406dee5bd", "displayName": "Adele Vance"]
            let text = request.url.absoluteString
            guard text.contains("/roleManagement/") || text.contains("/directoryObjects/") else {
                return sandbox.transport.send(request, for: operation)
            }
            var answer: Object = [
                "id": "abc", "principalId": person["id"] ?? nil, "roleDefinitionId": "R", "directoryScopeId": "/",
            ]
            if text.contains("directoryObjects") { answer = person.object ?? [:] }
            if text.hasSuffix("=principal") { answer["principal"] = person }
            if text.hasSuffix("=roleDefinition") {
                answer["roleDefinition"] = ["id": "R", "displayName": "Global Administrator"]
            }
            let body = Value.object(answer).jsonData()
            return .value(HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: body))
        }
    }

    @Test func `a plan with reads names what no task has read, and reads each thing once`() async throws {
        var runner = Self.runner()
        runner.graph.transport = Roles()
        let ids = (group: "02bd9fd6-8f93-4758-87c3-1fb73740a315", user: "87d349ed-44d7-43e1-9a83-5f2406dee5bd")
        let add = "'@odata.id': 'https://graph.microsoft.com/v1.0/directoryObjects/\(ids.user)'"
        let workflow = try Workflow(
            tasks: """
                - a: { call: graph, with: { method: POST, path: '/groups/\(ids.group)/owners/$ref', body: { \(add) } } }
                - b: { call: graph, with: { method: POST, path: '/groups/\(ids.group)/members/$ref', body: { \(add) } } }
                - c: { call: graph, with: { method: DELETE, path: /roleManagement/directory/roleAssignments/abc } }
                """)
        let plan = try await runner.plan(workflow, mode: .read).value
        #expect(
            plan.effects.map(\.summary) == [
                "makes Adele Vance an owner of the group All Employees (employees@contoso.com)",
                "adds Adele Vance to the group All Employees (employees@contoso.com)",
                "takes the role Global Administrator from Adele Vance",
            ])
    }

    @Test func `what happened is said in the past`() {
        let words = [
            "sends the mail 'sends x' to a": "sent the mail 'sends x' to a", "writes a": "wrote a",
            "copies a": "copied a", "dismisses the risk of a": "dismissed the risk of a",
            "no longer follows a": "no longer followed a", "adds a to b": "added a to b",
            "runs renew on a": "ran renew on a", "deletes a": "deleted a", "created a": "created a", "": "",
            "Ändert a": "Ändert a", "takes back: created a": "took back: created a",
        ]
        for (present, past) in words {
            #expect(Effect(.program(command: "x")).described(as: present).pastSummary == past)
        }
    }

    @Test func `what is not known is null, and counted as what it can be`() async throws {
        let plan = try await Self.plan(
            """
            - who: { call: http, with: { method: get, endpoint: https://api.contoso.com/x } }
            - mail: { call: sendMail, with: { to: '${ .to }', subject: 'For ${ .name }', body: x } }
            - link: { call: createLink, with: { itemId: '1' } }
            - maybe: { if: '.x', call: createLink, with: { itemId: '2', scope: anonymous } }
            """)
        let totals = EffectTotals(plan.effects)
        #expect(totals.mails == .one)
        #expect(totals.links == Effect.Count(atLeast: 1, atMost: 2))
        #expect(totals.anonymousLinks == Effect.Count(atLeast: 0, atMost: 2))
        let mail = try #require(plan.effects.first { $0.kind == .mail }?.value)
        #expect(mail["subject"] == .null)
        #expect(mail["external"] == .null)
        #expect(plan.effects.last?.count == Effect.Count(atLeast: 0, atMost: 1))
    }

    @Test func `loops, attempts and errors that are caught say how often`() async throws {
        let plan = try await Self.plan(
            """
            - list: { call: users, with: { startsWith: A } }
            - each:
                for: { each: user, in: '${ . }' }
                do: [{ mail: { call: sendMail, with: { to: '${ $user.mail }', subject: Hi, body: x } } }]
            - attempt:
                try: [{ post: { call: http, with: { method: post, endpoint: https://api.contoso.com/x } } }]
                catch: { retry: { delay: PT1S, limit: { attempt: { count: 2 } } } }
            - careful:
                try: [{ file: { call: upload, with: { path: a.txt, content: x } } }]
                catch: { do: [{ other: { call: upload, with: { path: b.txt, content: x } } }] }
            """)
        let counts = plan.effects.map {
            [$0.kind.rawValue, "\($0.count.atLeast)", $0.count.atMost.map { "\($0)" } ?? ""]
        }
        #expect(
            counts == [
                ["mail", "0", ""], ["request", "1", "1"], ["file", "0", "1"], ["file", "0", "1"],
            ])
        #expect(plan.effects.map(\.mostTries) == [1, 3, 1, 1])
        #expect(plan.effects[1].value["tries"] == 3)
    }

    @Test func `what is sent before something that may fail is sent again with it`() async throws {
        let plan = try await Self.plan(
            """
            - attempt:
                try:
                - first: { call: sendMail, with: { to: a@contoso.com, subject: Hi, body: x } }
                - last: { call: sendMail, with: { to: b@contoso.com, subject: Hi, body: x } }
                catch: { retry: { delay: PT1S, limit: { attempt: { count: 2 } } } }
            """)
        #expect(plan.effects.map(\.count.atMost) == [3, 1])
        #expect(plan.effects.map(\.mostTries) == [1, 3])
    }

    @Test func `what must not happen twice is in the journal before it happens`() async throws {
        let log = EventLog()
        let workflow = try Workflow(
            tasks: """
                - post: { call: graph, with: { method: POST, path: /me/events/1/cancel, body: {} } }
                """)
        _ = try? await Self.runner(log).run(workflow).value
        let kinds = log.events.compactMap { event -> String? in
            switch event.kind {
            case .request(_, let request):
                if case .effect(_, let state) = request.kind { state.rawValue } else { nil }
            case .callStarted: "call"
            case .callEnded: "end"
            default: nil
            }
        }
        // The sandbox has no such event.
        #expect(kinds == ["begun", "call", "end", "refused"])
        var account = EffectAccount()
        for event in log.events.prefix(while: { if case .callStarted = $0.kind { false } else { true } }) {
            account.take(event)
        }
        #expect(account.effects(isAtWork: false).map(\.state) == [.unknown])
        #expect(account.effects(isAtWork: true).isEmpty)
        for event in log.events { account.take(event) }
        #expect(account.effects(isAtWork: false).isEmpty)
    }

    /// Without those that run programs that a test has not, race, or take the clock's time.
    private static let samples = SampleWorkflow.all.filter {
        !["run-container.yaml", "race.yaml", "errors.yaml"].contains($0.name)
    }

    @Test(arguments: samples)
    func `the effects of a sample's run are those of its plan`(sample: SampleWorkflow) async throws {
        try await Self.compare(sample.workflow, sample.input, sample.name)
    }

    @Test(arguments: 0..<Extent.of(8, or: 1) as Range<UInt64>)
    func `the effects of a run are those of its plan`(batch: UInt64) async throws {
        var effects = 0
        for seed in batch * 60..<(batch + 1) * 60 {
            var generator = WorkflowGenerator(seed: seed)
            let text = generator.workflow()
            let workflow = try Workflow(text: text, folder: SampleWorkflow.folder)
            effects += try await Self.compare(workflow, generator.input(), "seed \(seed): \(text)")
        }
        #expect(effects > 60)
    }

    /// Accepts any request of Graph, and notes what changes something.
    private final class Anything: HTTPTransport {
        let writes = Locked<[Effect]>([])

        func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
            guard request.method != "GET", let path = request.url.path().split(separator: "/v1.0/").last else {
                return .value(Self.answer)
            }
            let body = request.body.flatMap { try? Value(json: $0) }
            let effects = GraphClient.effects(
                of: request.method, at: String(path), host: request.url.host() ?? "", body)
            writes.withLock { $0 += effects }
            return .value(request.method == "DELETE" ? HTTPResponse(status: 204) : Self.answer)
        }

        private static let answer = HTTPResponse(
            status: 201, headers: ["Content-Type": "application/json"], body: Data(#"{"id":"new"}"#.utf8))
    }

    /// Any writes of the model: what the plan says, the run does, and the service sees.
    @Test(arguments: 0..<Extent.of(40, or: 4) as Range<UInt64>)
    func `what any request does is planned, accounted and sent`(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        var tasks: [Value] = []
        while tasks.count < 20 {
            let request = DrawnRequest(&generator)
            guard request.method != "GET" else { continue }
            let task: Value = ["call": "graph", "input": ["from": "${ $workflow.input }"], "with": request.with]
            // What one of them answers does not keep the others from being tried.
            tasks.append(["t\(tasks.count)": ["try": [["call": task]], "catch": ["as": "error"]]])
        }
        let workflow = try Workflow(tasks: Value.array(tasks).json())
        let service = Anything()
        let compared = try await Self.compare(workflow, ["id": "ä‹x› b"], "seed \(seed)", service)
        #expect(compared > 10)
        let log = EventLog()
        service.writes.withLock { $0 = [] }
        _ = try? await Self.runner(log, service).run(workflow, input: ["id": "ä‹x› b"]).value
        var account = EffectAccount()
        for event in log.events { account.take(event) }
        func counts(_ effects: [Effect]) -> [String: Int] {
            Dictionary(grouping: effects) { "\($0.kind) \($0.what ?? "")" }.mapValues(\.count)
        }
        let done = account.effects(isAtWork: false).map(\.effect)
        #expect(counts(done) == counts(service.writes.withLock(\.self)), "seed \(seed)")
    }

    /// Whether what a plan says of an effect, with null and tokens for what it does not know, is true of one.
    private static func allows(_ planned: Value, _ done: Value) -> Bool {
        switch (planned, done) {
        case (.object(let all), .object(let others)): all.allSatisfy { allows($1, others[$0] ?? .null) }
        case (.array(let all), .array(let others)) where all.count == others.count:
            zip(all, others).allSatisfy(allows)
        default: planned.holdsUnknown || planned.isNull || planned == done
        }
    }

    /// Plans and runs a workflow, and compares the effects: of each task and kind as many as the plan allows, with the
    /// members that it knows.
    /// - Returns: How many effects of the run were compared.
    @discardableResult private static func compare(
        _ workflow: Workflow, _ input: Value, _ comment: String, _ transport: any HTTPTransport = Sandbox().transport
    ) async throws -> Int {
        guard let plan = try? await runner(nil, transport).plan(workflow, input: input).value else { return 0 }
        let log = EventLog()
        let output = try? await runner(log, transport).run(workflow, input: input).value
        var account = EffectAccount()
        for event in log.events { account.take(event) }
        let done = account.effects(isAtWork: false)
        let planned = plan.effects
        // Inner runs have tasks of other workflows.
        let own = done.filter { effect in planned.contains { $0.task == effect.effect.task } }
        for accounted in own {
            let fits = planned.contains { planned in
                planned.task == accounted.effect.task && planned.kind == accounted.effect.kind
                    && Self.allows(.object(planned.details.members), .object(accounted.effect.details.members))
            }
            #expect(fits, "\(accounted.effect.summary) is not planned: \(comment)")
        }
        for (task, all) in Dictionary(grouping: planned, by: \.task) {
            let count = own.count { $0.effect.task == task }
            let most = all.map(\.count.atMost).reduce(0 as Int?) { sum, next in
                sum.flatMap { sum in next.map { sum + $0 } }
            }
            #expect(most.map { count <= $0 } ?? true, "\(count) of \(all.map(\.summary)): \(comment)")
            // A run that fails does less.
            guard output != nil else { continue }
            let least = all.map(\.count.atLeast).reduce(0, +)
            #expect(
                count >= least || !own.contains { $0.effect.task == task } && done.count > own.count,
                "\(count) of \(least) \(all.map(\.summary)): \(comment)")
        }
        return own.count
    }
}
