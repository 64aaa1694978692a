import Foundation
import Promises
import TestSupport
import Testing

@testable import MicrosoftGraph
@testable import Workflows

/// Runs of approved plans whose data, files or programs are not as in the plan.
@Suite struct ApprovedRunTests {
    /// A folder with a workflow and the files beside it.
    private static func folder(_ files: [String: String]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (name, text) in files { try Data(text.utf8).write(to: folder.url.appending(path: name)) }
        return folder
    }

    private static func workflow(_ tasks: String, in folder: TemporaryFolder) throws -> Workflow {
        try Workflow(tasks: tasks, folder: folder.url)
    }

    private static func runner(_ sandbox: Sandbox, before: @escaping @Sendable (HTTPRequest) -> Void = { _ in })
        -> Runner
    {
        let clock = SkippingClock()
        return Runner(
            graph: GraphClient(
                credential: .fixed(AccessToken("sandbox")), baseURL: Sandbox.baseURL,
                transport: WatchedTransport(sandbox.transport, before), clock: clock), clock: clock)
    }

    private static func approved(_ runner: Runner, _ workflow: Workflow) async throws -> ApprovedPlan {
        try ApprovedPlan(ApprovedPlan(try await runner.plan(workflow).value).value)
    }

    /// How many messages the sandbox was told to send.
    private static func mails(_ sandbox: Sandbox) -> Int {
        sandbox.requests.count { $0.request.url.path().hasSuffix("/send") }
    }

    /// The error of a run that is not as planned.
    private static func deviation(_ runner: Runner, _ workflow: Workflow, _ plan: ApprovedPlan) async -> String? {
        do {
            _ = try await runner.run(workflow, as: plan).value
            return nil
        } catch let error as WorkflowError {
            return error.detail
        } catch {
            return "\(error)"
        }
    }

    @Test func `a file that changes during the run is not sent`() async throws {
        let folder = try Self.folder(["words.txt": "Pay Ada"])
        let workflow = try Self.workflow(
            """
            - who: { call: me }
            - mail:
                call: sendMail
                with: { to: '${ .email }', subject: Pay, body: { contentType: text, content: { file: words.txt } } }
            """, in: folder)
        let sandbox = Sandbox()
        let file = folder.url.appending(path: "words.txt")
        let runner = Self.runner(sandbox) { request in
            if request.url.path().hasSuffix("/me") { try? Data("Pay Bob".utf8).write(to: file) }
        }
        let plan = try await Self.approved(Self.runner(sandbox), workflow)
        #expect(await Self.deviation(runner, workflow, plan) != nil)
        #expect(Self.mails(sandbox) == 0)
    }

    @Test func `an unaltered run with secrets, events and extensions in its data is not refused`() async throws {
        let folder = try Self.folder([:])
        let workflow = try Workflow(
            text: """
                document: { dsl: 1.0.3, namespace: tests, name: test, version: 1.0.0 }
                use:
                  secrets: [key]
                  extensions:
                    - log:
                        extend: call
                        when: '${ $task.call == "upload" and $context.name != "x" }'
                        before: [ { ask: { call: users, with: { startsWith: '${ $context.name }' } } } ]
                do:
                  - who: { call: me, export: { as: '${ { name: .displayName, none: .manager } }' } }
                  - keep: { set: { key: '${ $secrets.key }' } }
                  - tell: { emit: { event: { with: { source: https://contoso.com, type: t, data: '${ $context.none }' } } } }
                  - put: { call: upload, with: { path: a.txt, content: '${ .type }' } }
                """, folder: folder.url)
        let sandbox = Sandbox()
        var runner = Self.runner(sandbox)
        runner.secrets = SecretStore { _ in SecretValue("s3cr3t") }
        let plan = try await Self.approved(runner, workflow)
        #expect(await Self.deviation(runner, workflow, plan) == nil)
        #expect(sandbox.drive.count == 1)
    }

    @Test func `two unknowns side by side stand for what their answers gave`() async throws {
        let folder = try Self.folder([:])
        let workflow = try Self.workflow(
            """
            - who: { call: me }
            - mail:
                call: sendMail
                with: { to: ada@contoso.com, subject: '${ "Pay \\(.displayName)\\(.email) EUR" }', body: x }
            """, in: folder)
        let sandbox = Sandbox()
        let plan = try await Self.approved(Self.runner(sandbox), workflow)
        #expect(plan.plan.json().contains("Pay ‹me.displayName›‹me.mail› EUR"))
        #expect(await Self.deviation(Self.runner(sandbox), workflow, plan) == nil)
        #expect(Self.mails(sandbox) == 1)
    }

    @Test func `a loop over what a program prints uploads the files that it names, and no others`() async throws {
        let folder = try Self.folder(["a.txt": "A", "b.txt": "B", "names": "a.txt\nb.txt"])
        let workflow = try Self.workflow(
            """
            - list: { run: { shell: { command: cat names } } }
            - up:
                for: { each: file, in: '${ split("\\n") }' }
                do:
                  - put: { call: upload, with: { path: '${ "in/" + $file }', content: { file: '${ $file }' } } }
            """, in: folder)
        let sandbox = Sandbox()
        let plan = try await Self.approved(Self.runner(sandbox), workflow)
        #expect(plan.plan["complete"] == true)
        #expect(await Self.deviation(Self.runner(sandbox), workflow, plan) == nil)
        #expect(sandbox.requests.count { $0.request.method == "PUT" } == 2)
        let other = Sandbox()
        try Data("changed".utf8).write(to: folder.url.appending(path: "b.txt"))
        #expect(await Self.deviation(Self.runner(other), workflow, plan) != nil)
        #expect(other.requests.allSatisfy { $0.request.url.path().contains("a.txt") })
    }

    @Test func `a program with other arguments than the plan's is not started`() async throws {
        let folder = try Self.folder(["made": ""])
        let workflow = try Self.workflow(
            """
            - now: { run: { shell: { command: 'echo "$1" > made', arguments: [ '${ $workflow.input.word }' ] } } }
            """, in: folder)
        let sandbox = Sandbox()
        let planned = try await Self.runner(sandbox).plan(workflow, input: ["word": "one"]).value
        var runner = Self.runner(sandbox)
        runner.world = LiveWorld(approval: Approval(planned))
        await #expect(throws: (any Error).self) { try await runner.run(workflow, input: ["word": "two"]).value }
        #expect(try String(contentsOf: folder.url.appending(path: "made"), encoding: .utf8).isEmpty)
        runner.world = LiveWorld(approval: Approval(planned))
        _ = try await runner.run(workflow, input: ["word": "one"]).value
        #expect(try String(contentsOf: folder.url.appending(path: "made"), encoding: .utf8) == "one\n")
    }

    @Test func `an answer of another type fills its slot, where a list of recipients is one of unknown length`()
        async throws
    {
        let folder = try Self.folder([:])
        let workflow = try Self.workflow(
            """
            - up: { call: upload, with: { path: a.txt, content: x } }
            - mail: { call: sendMail, with: { to: '${ .names }', subject: '${ "File \\(.webUrl)" }', body: x } }
            """, in: folder)
        let sandbox = Sandbox()
        let plan = try await Self.approved(Self.runner(sandbox), workflow)
        var runner = Self.runner(sandbox)
        runner.graph.transport = ChangingTransport(runner.graph.transport) { body in
            var body = body
            if body["webUrl"] != nil {
                body["webUrl"] = 5
                body["names"] = ["ada@contoso.com", "alex@contoso.com"]
            }
            return body
        }
        #expect(await Self.deviation(runner, workflow, plan) == nil)
        #expect(Self.mails(sandbox) == 1)
    }

    @Test(arguments: [503, 429, 500])
    func `requests that are repeated, by the client or by the workflow, are those of the plan`(status: Int) async throws
    {
        let folder = try Self.folder([:])
        let workflow = try Self.workflow(
            """
            - safely:
                try:
                  - up: { call: upload, with: { path: a.txt, content: x } }
                  - link: { call: createLink, with: { itemId: '${ .id }' } }
                catch: { retry: { delay: PT1S, limit: { attempt: { count: 3 } } } }
            - mail: { call: sendMail, with: { to: ada@contoso.com, subject: '${ .webUrl }', body: x } }
            """, in: folder)
        let sandbox = Sandbox()
        let plan = try await Self.approved(Self.runner(sandbox), workflow)
        var runner = Self.runner(sandbox)
        runner.graph.transport = FailingTransport(runner.graph.transport, status: status, times: 6)
        #expect(await Self.deviation(runner, workflow, plan) == nil)
        #expect(Self.mails(sandbox) == 1)
    }

    @Test func `branches side by side send in any order, and what follows waits for both`() async throws {
        let folder = try Self.folder([:])
        let workflow = try Self.workflow(
            """
            - both:
                fork:
                  branches:
                    - one: { do: [ { w: { wait: PT2S } }, { a: { call: upload, with: { path: a.txt, content: a } } } ] }
                    - two: { do: [ { b: { call: upload, with: { path: b.txt, content: b } } } ] }
            - loop:
                for: { each: item, in: '${ map(.id) }' }
                do:
                  - link: { call: createLink, with: { itemId: '${ $item }' } }
            - mail: { call: sendMail, with: { to: ada@contoso.com, subject: s, body: x } }
            """, in: folder)
        let sandbox = Sandbox()
        let plan = try await Self.approved(Self.runner(sandbox), workflow)
        #expect(await Self.deviation(Self.runner(sandbox), workflow, plan) == nil)
        #expect(sandbox.requests.count { $0.request.url.path().hasSuffix("/createLink") } == 2)
        #expect(Self.mails(sandbox) == 1)
    }

    @Test func `a header field that turns out to be null is not missed`() async throws {
        let folder = try Self.folder([:])
        let workflow = try Self.workflow(
            """
            - who: { call: me }
            - ask:
                call: http
                with:
                  method: post
                  endpoint: https://api.contoso.com/orders
                  headers: { X-Level: '${ .level }', X-Name: '${ .displayName }' }
            """, in: folder)
        let plan = try await Self.approved(Self.runner(Sandbox()), workflow)
        let sent = Locked<[HTTPHeaders]>([])
        var runner = Self.runner(Sandbox())
        runner.graph.transport = OtherHost(runner.graph.transport) { request in
            sent.withLock { $0.append(request.headers) }
        }
        #expect(await Self.deviation(runner, workflow, plan) == nil)
        #expect(sent.withLock { $0.map { $0["X-Level"] } } == [nil])
    }

    @Test func `the time and secrets in a request are those of the run`() async throws {
        let folder = try Self.folder([:])
        let workflow = try Workflow(
            text: """
                document: { dsl: 1.0.3, namespace: tests, name: time, version: 1.0.0 }
                use: { secrets: [ code ] }
                do:
                  - mail:
                      call: sendMail
                      with:
                        to: ada@contoso.com
                        subject: '${ "At \\(now | todate) on \\($task.startedAt.iso8601)" }'
                        body: '${ ("Code " + $secrets.code) | @base64 }'
                """, folder: folder.url)
        let sandbox = Sandbox()
        var runner = Self.runner(sandbox)
        runner.secrets = SecretStore { $0 == "code" ? SecretValue("4711-abc") : nil }
        let plan = try await Self.approved(runner, workflow)
        #expect(!plan.value.json().contains("4711"))
        #expect(await Self.deviation(runner, workflow, plan) == nil)
        #expect(Self.mails(sandbox) == 1)
    }
}

/// Calls a closure before each request.
struct WatchedTransport: HTTPTransport {
    let inner: any HTTPTransport
    let before: @Sendable (HTTPRequest) -> Void

    init(_ inner: any HTTPTransport, _ before: @escaping @Sendable (HTTPRequest) -> Void) {
        self.inner = inner
        self.before = before
    }

    func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        before(request)
        return inner.send(request, for: operation)
    }
}

/// Changes the members of answers.
private struct ChangingTransport: HTTPTransport {
    let inner: any HTTPTransport
    let change: @Sendable (Object) -> Object

    init(_ inner: any HTTPTransport, _ change: @escaping @Sendable (Object) -> Object) {
        self.inner = inner
        self.change = change
    }

    func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        inner.send(request, for: operation).map(on: nil) { response in
            guard let body = (try? Value(json: response.body))?.object else { return response }
            var response = response
            response.body = Value.object(self.change(body)).jsonData()
            return response
        }
    }
}

/// Answers the first requests that change something with an error.
private final class FailingTransport: HTTPTransport {
    private let inner: any HTTPTransport
    private let status: Int
    private let left: Locked<Int>

    init(_ inner: any HTTPTransport, status: Int, times: Int) {
        self.inner = inner
        self.status = status
        left = Locked(times)
    }

    func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        let isFailing = left.withLock { left in
            guard operation.effect == .idempotent, left > 0 else { return false }
            left -= 1
            return true
        }
        return isFailing ? .value(HTTPResponse(status: status)) : inner.send(request, for: operation)
    }
}

/// Answers requests to another host than the sandbox's.
private struct OtherHost: HTTPTransport {
    let inner: any HTTPTransport
    let note: @Sendable (HTTPRequest) -> Void

    init(_ inner: any HTTPTransport, _ note: @escaping @Sendable (HTTPRequest) -> Void) {
        self.inner = inner
        self.note = note
    }

    func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        guard request.url.host() == "api.contoso.com" else { return inner.send(request, for: operation) }
        note(request)
        return .value(HTTPResponse(status: 204))
    }
}
