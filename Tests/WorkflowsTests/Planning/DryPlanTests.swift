import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// The tasks, branches and effects that a dry run shows.
@Suite struct DryPlanTests {
    /// A network and a sign-in that fail when they are used.
    private struct Broken: HTTPTransport, Credential {
        func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> { refuse() }

        func token(for scopes: [String]) -> Promise<AccessToken> { refuse() }

        func token(for scopes: [String], after refusal: TokenRefusal) -> Promise<AccessToken> { refuse() }

        private func refuse<Value>() -> Promise<Value> {
            Issue.record("a dry run uses the network")
            return Promise(error: HTTPFailure(phase: .notSent, reason: .cannotConnect, detail: "broken"))
        }
    }

    @Test(arguments: SampleWorkflow.all)
    func `a dry run succeeds where every socket call fails`(sample: SampleWorkflow) async throws {
        let graph = GraphClient(credential: Broken(), baseURL: Sandbox.baseURL, transport: Broken())
        _ = try await Runner(graph: graph).plan(sample.workflow, input: sample.input).value
    }

    private func plan(_ tasks: String, input: Value = [:]) async throws -> Plan {
        try await Runner.testing().plan(Workflow(tasks: tasks), input: input).value
    }

    @Test func `a condition on what only the service knows is not decided`() async throws {
        let plan = try await plan(
            """
            - who: { call: me, export: { as: '${ { who: . } }' } }
            - mail: { if: '$context.who.mail == null', call: photo }
            - known: { if: '1 == 2', call: photo }
            """)
        #expect(plan.tasks.map(\.certainty.description) == ["", "if $context.who.mail == null", ""])
        guard case .skipped = plan.tasks[2].outcome else {
            Issue.record("what is known is decided")
            return
        }
        #expect(plan.requests.count == 2)
    }

    @Test func `a switch on what only the service knows shows every way up to where they meet`() async throws {
        let plan = try await plan(
            """
            - who: { call: me }
            - turn:
                switch:
                  - boss: { when: '.displayName == "Megan"', then: last }
                  - never: { when: '1 == 2', then: end }
                  - other: { then: continue }
            - first: { set: { did: first } }
            - last: { call: photo }
            """)
        #expect(plan.tasks.map(\.name) == ["who", "turn", "last"])
        #expect(plan.tasks.last?.certainty == .certain)
        let ways = plan.tasks[1].branches
        #expect(ways.map { $0.tasks.map(\.name) } == [[], ["first"]])
        #expect(ways.map(\.certainty.description) == ["when boss: .displayName == \"Megan\"", "when other: otherwise"])
        #expect(plan.allTasks.map(\.number) == ["1", "2", "2.1", "3"])
    }

    @Test(arguments: [
        "{ switch: [ { stop: { when: '.mail == \"a\"', then: end } } ] }",
        "{ for: { each: n, in: '[1, 2]' }, while: '$n == 1 or $context.kept.mail == \"a\"', "
            + "do: [ { stop: { set: { x: 1 }, then: end } } ] }",
        "{ try: [ { ask: { call: photo } } ], catch: { do: [ { stop: { set: { x: 1 }, then: end } } ] } }",
    ])
    func `a workflow that may end early has the context of each end`(turn: String) async throws {
        let text = """
            document: { dsl: 1.0.3, namespace: tests, name: ends, version: 1.0.0 }
            do:
              - who: { call: me, export: { as: '${ { kept: . } }' } }
              - first: { set: '${ $context.kept }' }
              - turn: \(turn)
              - last: { set: { x: 1 }, export: { as: { kept: last } } }
            output: { as: '${ $context.kept }' }
            """
        let plan = try await Runner.testing().plan(Workflow(text: text)).value
        #expect(plan.markedOutput.holdsUnknown, "\(plan.output)")
    }

    @Test func `what handles the error of a fork knows what its branches may have exported`() async throws {
        let plan = try await plan(
            """
            - begin: { set: { x: 1 }, export: { as: { at: begin } } }
            - attempt:
                try:
                  - both:
                      fork:
                        branches:
                          - one: { set: { x: 1 }, export: { as: { at: one } } }
                          - two: { raise: { error: { type: about:blank, status: 400 } } }
                catch:
                  do:
                    - tell: { set: { at: '${ $context.at }' } }
            """)
        let tell = try #require(plan.allTasks.first { $0.name == "tell" })
        #expect(tell.markedOutput?["at"]?.unknown != nil, "\(tell.output ?? .null)")
    }

    @Test func `a loop over what only the service knows shows one round`() async throws {
        let plan = try await plan(
            """
            - find: { call: users, with: { startsWith: A } }
            - each: { for: { each: user, in: '.' }, do: [ { ask: { call: photo, with: { user: '${ $user.id }' } } } ] }
            - twice: { for: { in: '[1, 2]' }, do: [ { pause: { wait: PT2S } } ] }
            """)
        #expect(plan.tasks[1].branches.map(\.certainty) == [.each(".")])
        #expect(plan.requests.map(\.address).last?.contains("/users/‹users[].id›/photo/") == true)
        #expect(plan.tasks[2].branches.map(\.title) == ["1 of 2", "2 of 2"])
        #expect(plan.summary.shortestTime == .seconds(4))
        #expect(plan.summary.longestTime == nil)
    }

    @Test func `a catch is shown with a symbolic error, and its data are joined`() async throws {
        let plan = try await plan(
            """
            - attempt:
                try: [ { get: { call: me, output: { as: '{ a: 1, b: 2 }' } } } ]
                catch:
                  errors: { with: { status: 404 } }
                  as: problem
                  retry: { delay: PT1S, backoff: { exponential: {} }, limit: { attempt: { count: 3 } } }
                  do: [ { instead: { set: { a: 1, b: '${ $problem.detail }' } } } ]
            """)
        let task = try #require(plan.tasks.first)
        #expect(task.branches.map(\.certainty) == [.certain, .failure("errors with status 404")])
        #expect(task.branches[1].tasks.first?.output == ["a": 1, "b": "‹problem.detail›"])
        #expect(plan.output == ["a": 1, "b": "‹attempt.b›"])
        #expect(task.retry?.attempts == 4)
        #expect(task.retry?.longestWait == .seconds(7))
    }

    @Test(arguments: [("", 1), ("timeout: { after: PT1S }, ", 2)])
    func `a catch is shown only where something can fail, as a timeout can`(timeout: String, branches: Int) async throws
    {
        let plan = try await plan(
            """
            - attempt:
                try: [ { put: { \(timeout)set: { a: 1 } } } ]
                catch: { do: [ { instead: { set: { a: 2 } } } ] }
            """)
        #expect(plan.tasks.first?.branches.count == branches)
    }

    @Test(arguments: [("set: { x: 2 }, export: { as: . }", true), ("set: { x: 2 }", false)])
    func `a branch may find the context of another one after its own export`(
        other: String, isUndecided: Bool
    ) async throws {
        let plan = try await plan(
            """
            - both:
                fork:
                  branches:
                    - one:
                        do:
                          - own: { set: { x: 1 }, export: { as: . } }
                          - mine: { if: '$context.x == 1', call: me }
                          - theirs: { if: '$context.x == 2', call: photo }
                    - other: { \(other) }
            """)
        let tasks = plan.tasks[0].branches[0].tasks[0].branches[0].tasks
        #expect(tasks[1].certainty.description == (isUndecided ? "if $context.x == 1" : ""))
        #expect(plan.requests.count == (isUndecided ? 2 : 1))
    }

    @Test func `a wait that is computed from what is known is shown with its time`() async throws {
        let plan = try await plan("- pause: { wait: '${ .pause }' }", input: ["pause": "PT3S"])
        #expect(plan.tasks.first?.wait == .seconds(3))
        #expect(plan.summary.shortestTime == .seconds(3))
    }

    @Test func `the same call twice gives symbols of its own each time`() async throws {
        let plan = try await plan(
            """
            - one: { call: upload, with: { path: a.txt, content: a } }
            - two: { call: upload, with: { path: b.txt, content: '${ .id }' } }
            - link: { call: createLink, with: { itemId: '${ .id }' } }
            """)
        #expect(
            plan.requests.filter(\.isUsual).map(\.bodyDescription) == [
                "a", "‹upload.id›", "{\n  \"type\": \"view\"\n}",
            ])
        #expect(plan.requests.last?.address.contains("/items/‹upload#2.id›/") == true)
    }

    @Test func `what is computed from symbols is a symbol, and constants beside it stay`() async throws {
        let plan = try await plan(
            """
            - find: { call: users, with: { startsWith: A } }
            - look:
                set:
                  count: '${ length }'
                  names: '${ map(.displayName) }'
                  hasMegan: '${ any(.displayName == "Megan Bowen") }'
                  text: 'Hello ${ .[0].displayName }!'
                  known: '${ { a: 1 } }'
            """)
        #expect(
            plan.output == [
                "count": "‹look.count›", "names": ["‹users[].displayName›"], "hasMegan": "‹look.hasMegan›",
                "text": "Hello ‹look.text›!", "known": ["a": 1],
            ])
    }

    @Test func `an answer may have members that its example has not`() async throws {
        let plan = try await plan(
            """
            - who: { call: me }
            - boss: { if: '.jobTitle == null', call: photo, output: { as: '$task.input' } }
            - tell: { set: { title: '${ .jobTitle }', upper: '${ .jobTitle | ascii_upcase }' } }
            """)
        #expect(plan.tasks[1].certainty == .condition(".jobTitle == null"))
        #expect(plan.output == ["title": "‹me.jobTitle›", "upper": "‹tell.upper›"])
    }

    @Test func `what must happen once may remain unclear`() async throws {
        let plan = try await plan(
            "- mail: { call: sendMail, with: { to: megan@contoso.com, subject: Hi, body: Hi, delivery: direct } }")
        #expect(plan.summary.unclear == ["1"])
        #expect(plan.effects.map(\.summary) == ["sends the mail 'Hi' to megan@contoso.com"])
        #expect(
            plan.summary.delegatedPermissions == [PlanSummary.Need(permission: "Mail.Send", functions: ["sendMail"])])
        #expect(plan.summary.loads == [PlanSummary.Load(service: "the mailbox", requests: 1)])
    }

    @Test func `a chain composed in Swift records its requests in the same way`() async throws {
        let transport = PlanningTransport()
        let graph = GraphClient(
            credential: .fixed(AccessToken("none")), baseURL: Sandbox.baseURL, transport: transport)
        _ = try await firstly {
            graph.photo()
        }.then { photo in
            graph.upload(photo, to: "me.jpg")
        }.then { item in
            graph.createLink(to: item)
        }.value
        let plan = try await plan(
            """
            - get: { call: photo }
            - put: { call: upload, with: { path: me.jpg, content: '${ . }' } }
            - link: { call: createLink, with: { itemId: '${ .id }' } }
            """)
        #expect(transport.requests.map(\.address) == plan.requests.map(\.address))
        #expect(transport.requests.map(\.bodyDescription) == plan.requests.map(\.bodyDescription))
    }
}
