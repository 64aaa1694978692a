import Foundation
import Promises
import TestSupport
import Testing

@testable import MicrosoftGraph
@testable import Workflows

/// The mails of a batch with a name: their keys, their plans, and what is refused.
@Suite struct MailIdentityTests {
    private static let send = "call: sendMail, with: { to: adelev@contoso.com, subject: Hi, body: Hello }"

    private static func runner(
        _ sandbox: Sandbox, item: Value = "adelev@contoso.com", batch: String = "october", lookup: Bool = true
    ) -> Runner {
        var runner = Runner.testing(sandbox: sandbox)
        runner.mailIdentity = MailIdentity(
            batch: batch, itemKey: item, lookup: lookup, begunAt: Date(timeIntervalSince1970: 0))
        return runner
    }

    /// The keys of the drafts that were written, in order.
    private static func keys(_ sandbox: Sandbox) throws -> [String] {
        try sandbox.requests.filter { $0.method == "POST" && $0.path.hasSuffix("/messages") }.map { exchange in
            let body = try Value(json: try #require(exchange.request.body))
            return try #require(body["singleValueExtendedProperties"]?[0]?["value"]?.string)
        }
    }

    private static func keys(of tasks: String, rest: String = "", item: Value = "adelev@contoso.com") async throws
        -> [String]
    {
        let sandbox = Sandbox()
        _ = try await runner(sandbox, item: item).run(try Workflow(tasks: tasks, rest: rest)).value
        return try keys(sandbox)
    }

    /// What a key is made of, as other programs make it: Python's `hashlib.sha256` of the JSON text.
    private static func hash(_ json: String) -> String { SHA256.hex(of: Data(json.utf8)) }

    @Test func `a key is the hash of the workflow, the batch, the item, the task and its rounds`() async throws {
        let sandbox = Sandbox()
        let workflow = try Workflow(
            text: """
                document: { dsl: 1.0.3, namespace: default, name: welcome, version: 2.0.0 }
                do:
                - send: { \(Self.send) }
                """)
        let item: Value = ["nr": 7, "mail": "adelev@contoso.com"]
        _ = try await Self.runner(sandbox, item: item).run(workflow).value
        // Made by Python: the key must stay the same in every version.
        #expect(try Self.keys(sandbox) == ["2a1ce661d6c7bb8b6dc950c6b82d14da0f2f2ace8340ded4d83b036d426f5b2b"])
        #expect(
            try Self.keys(sandbox) == [
                Self.hash(
                    #"["default","welcome","october",{"mail":"adelev@contoso.com","nr":7},"/do/0/send",[]]"#)
            ])
    }

    @Test func `every round has a key of its own, and every attempt the same`() async throws {
        let rounds = try await Self.keys(
            of: """
                - each:
                    for: { each: n, in: '${ [1, 2] }' }
                    do:
                    - send: { \(Self.send) }
                """)
        #expect(
            rounds
                == [0, 1].map {
                    Self.hash(#"["tests","test","october","adelev@contoso.com","/do/0/each/do/0/send",["for:\#($0)"]]"#)
                })
        // The first attempt fails before it sends; on another machine it may succeed.
        let tasks = """
            - again:
                try:
                - who: { call: me }
                - send: { \(Self.send) }
                catch: { retry: { limit: { attempt: { count: 3 } } } }
            """
        for faults in [[], ["GET /me 404"]] {
            let sandbox = Sandbox(faults: try faults.map { try Sandbox.Fault(parsing: $0) })
            _ = try await Self.runner(sandbox).run(try Workflow(tasks: tasks)).value
            #expect(sandbox.requests.count { $0.path == "/v1.0/me" } == faults.count + 1)
            #expect(
                try Self.keys(sandbox) == [
                    Self.hash(#"["tests","test","october","adelev@contoso.com","/do/0/again/try/1/send",[]]"#)
                ])
        }
    }

    @Test func `how often a task jumps before it sends does not matter, how often it sends does`() async throws {
        func keys(_ polls: Int, mails: Int) async throws -> [String] {
            try await Self.keys(
                of: """
                    - start: { set: { polls: 0, mails: 0 } }
                    - poll: { set: { polls: '${ .polls + 1 }', mails: '${ .mails }' } }
                    - wait:
                        switch:
                        - more: { when: '${ .polls < \(polls) }', then: poll }
                        - enough: { then: send }
                    - send: { \(Self.send), output: { as: '${ $input }' } }
                    - count: { set: { polls: '${ .polls }', mails: '${ .mails + 1 }' } }
                    - done:
                        switch:
                        - more: { when: '${ .mails < \(mails) }', then: send }
                        - enough: { then: end }
                    """)
        }
        let once = try await keys(1, mails: 1)
        #expect(try await keys(4, mails: 1) == once)
        let twice = try await keys(2, mails: 2)
        #expect(twice.first == once.first)
        #expect(Set(twice).count == 2)
    }

    @Test func `a function and an inner workflow have keys of their own`() async throws {
        let folder = try TemporaryFolder()
        let text = { (name: String, tasks: String) in
            "document: { dsl: 1.0.3, namespace: tests, name: \(name), version: 1.0.0 }\ndo:\n\(tasks)"
        }
        try Data(text("inner", "- send: { \(Self.send) }").utf8).write(to: folder.url.appending(path: "inner.yaml"))
        let inner = "run: { workflow: { namespace: tests, name: inner, version: 1.0.0 } }"
        for name in ["one", "two"] {
            let outer = folder.url.appending(path: "\(name).yaml")
            try Data(text(name, "- a: { \(inner) }\n- b: { \(inner) }\n- c: { \(Self.send) }").utf8).write(to: outer)
        }
        let sandbox = Sandbox()
        for name in ["one", "two"] {
            let workflow = try Workflow(contentsOf: folder.url.appending(path: "\(name).yaml"))
            _ = try await Self.runner(sandbox).run(workflow).value
        }
        let keys = try Self.keys(sandbox)
        #expect(keys.count == 6)
        #expect(Set(keys).count == 6)
        #expect(
            keys[1]
                == Self.hash(#"["tests","one","october","adelev@contoso.com","/do/0/send",["run:~1do~11~1b"]]"#))
    }

    @Test func `a run that begins again from nothing sends no mail twice`() async throws {
        let sandbox = Sandbox()
        let workflow = try Workflow(
            tasks: """
                - each:
                    for: { each: n, in: '${ [1, 2, 3] }' }
                    do:
                    - send: { \(Self.send) }
                """)
        for lookup in [false, true, true] {
            _ = try await Self.runner(sandbox, lookup: lookup).run(workflow).value
            #expect(sandbox.outbox.count == 3)
        }
        _ = try await Self.runner(sandbox, batch: "november").run(workflow).value
        #expect(sandbox.outbox.count == 6)
        _ = try await Self.runner(sandbox, item: "lynne@contoso.com").run(workflow).value
        #expect(sandbox.outbox.count == 9)
    }

    @Test func `a second machine that ends and goes on from its own journal sends no mail twice`() async throws {
        let workflow = try Workflow(tasks: "- send: { \(Self.send) }")
        let whole = CrashingRun()
        _ = try await whole.run(workflow, input: [:], by: Self.runner(Sandbox()), blobs: BlobStore())
        for count in 1..<whole.events.count {
            let (sandbox, blobs) = (Sandbox(), BlobStore())
            _ = try await Self.runner(sandbox).run(workflow).value
            let first = CrashingRun(endingAfter: count)
            guard try await first.run(workflow, input: [:], by: Self.runner(sandbox), blobs: blobs) == nil else {
                continue
            }
            let second = CrashingRun(events: first.events)
            _ = try await second.resume(workflow, input: [:], by: Self.runner(sandbox), blobs: blobs)
            #expect(sandbox.outbox.count == 1, "after event \(count)")
        }
    }

    @Test(arguments: [
        "O'Brien' or 1 eq 1 or '", "') or singleValueExtendedProperties/any(ep: ep/id ne '", "&$filter=isDraft eq true",
        "\u{0}\r\nPrefer: x", "‹mail.key›", String(repeating: "x", count: 100_000),
    ])
    func `no key of an item changes what is looked for`(item: String) async throws {
        let sandbox = Sandbox()
        let workflow = try Workflow(tasks: "- send: { \(Self.send) }")
        _ = try await Self.runner(sandbox, item: "another").run(workflow).value
        _ = try await Self.runner(sandbox, item: .string(item), batch: item).run(workflow).value
        #expect(sandbox.outbox.count == 2)
        let lookup = try #require(sandbox.requests.last { $0.method == "GET" })
        let filter = try #require(
            URLComponents(url: lookup.request.url, resolvingAgainstBaseURL: true)?.queryItems?
                .first { $0.name == "$filter" }?.value)
        let key = try #require(try Self.keys(sandbox).last)
        #expect(key.count == 64 && key.allSatisfy { "0123456789abcdef".contains($0) })
        #expect(
            filter == "singleValueExtendedProperties/any(ep: ep/id eq "
                + "'String {3c5a1f0e-93f4-4a4b-8f0b-6a1f8d6f7e52} Name graphflowMailKey' and ep/value eq '\(key)')")
    }

    @Test func `a plan shows what is looked for, the key in the draft, and a draft that is found`() async throws {
        let sandbox = Sandbox()
        let workflow = try Workflow(tasks: "- send: { \(Self.send) }")
        let plan = try await Self.runner(sandbox).plan(workflow).value
        let requests = try #require(plan.tasks.first).steps.requests
        let shown = requests.map { "\($0.request.method) \($0.request.url.path()) \($0.condition ?? "")" }
        #expect(shown.first == "GET /v1.0/me/messages if another machine may have sent it")
        #expect(shown.contains("POST /v1.0/me/messages unless it was sent before"))
        #expect(shown.last?.hasSuffix("/send if a draft of it is found") == true)
        let key = Self.hash(#"["tests","test","october","adelev@contoso.com","/do/0/send",[]]"#)
        let draft = try #require(requests.first { $0.request.method == "POST" }?.request.body)
        #expect(try Value(json: draft)["singleValueExtendedProperties"]?[0]?["value"] == .string(key))
        #expect(requests[0].request.url.absoluteString.contains(key))
        #expect(sandbox.requests.isEmpty)
        let known = try await Self.runner(sandbox, lookup: false).plan(workflow).value
        #expect(try #require(known.tasks.first).steps.requests.map(\.request.method) == ["POST", "POST"])
    }

    @Test(arguments: ["nothing", "draft", "an old draft", "a planted draft", "sent"])
    func `the run of an approved plan goes on with whatever is found`(state: String) async throws {
        let sandbox = Sandbox()
        let workflow = try Workflow(
            tasks: """
                - me: { call: me }
                - each:
                    for: { each: to, in: '${ [.email] }' }
                    do:
                    - send: { call: sendMail, with: { to: '${ $to }', subject: Hi, body: Hello } }
                - upload: { call: upload, with: { path: done.txt, content: '${ .status }' } }
                """)
        let runner = Self.runner(sandbox)
        if state != "nothing" {
            _ = try await runner.run(workflow).value
            let client = SandboxClient(transport: sandbox.transport, base: Sandbox.baseURL)
            if state != "sent" {
                let draft = try #require(
                    sandbox.requests.first { $0.method == "POST" && $0.path.hasSuffix("/messages") })
                sandbox.reset()
                let bytes = try #require(draft.request.body)
                var body = try #require(try Value(json: bytes).object)
                if state == "an old draft" { body["body"] = ["contentType": "text", "content": "Hallo"] }
                let eve: Value = [["emailAddress": ["address": "eve@fabrikam.com"]]]
                if state == "a planted draft" { body["bccRecipients"] = eve }
                #expect(try await client.send("POST", "/me/messages", json: .object(body)).status == 201)
            }
        }
        let plan = try ApprovedPlan(ApprovedPlan(try await runner.plan(workflow).value).value)
        _ = try await runner.run(workflow, as: plan).value
        #expect(sandbox.outbox.map(\.body) == ["Hello"])
        #expect(sandbox.outbox.map(\.bcc) == [[]])
        #expect(sandbox.drive.map(\.name) == ["done.txt"])
    }

    @Test func `the run of an approved plan with unknown rounds and jumps is not refused`() async throws {
        let sandbox = Sandbox()
        let workflow = try Workflow(
            tasks: """
                - all: { call: users, with: { top: 2 } }
                - each:
                    for: { each: user, in: '${ . }' }
                    do:
                    - start: { set: '${ . }', then: send }
                    - send: { call: sendMail, with: { to: '${ $user.email }', subject: Hi, body: Hello } }
                """)
        let runner = Self.runner(sandbox)
        let plan = try ApprovedPlan(ApprovedPlan(try await runner.plan(workflow).value).value)
        for _ in 1...2 {
            _ = try await runner.run(workflow, as: plan).value
            #expect(sandbox.outbox.count == 2)
        }
    }

    @Test func `a workflow whose mails cannot be looked up is found before anything runs`() throws {
        let folder = try TemporaryFolder()
        let inner = """
            document: { dsl: 1.0.3, namespace: tests, name: inner, version: 1.0.0 }
            do:
            - send: { call: sendMail, with: { to: a@contoso.com, subject: Hi, body: Hi, saveToSentItems: false } }
            """
        try Data(inner.utf8).write(to: folder.url.appending(path: "inner.yaml"))
        let workflow = try Workflow(
            tasks: """
                - one: { call: 'sendMail:1.0.0', with: { to: a@contoso.com, subject: Hi, body: Hi, delivery: direct } }
                - two: { call: sendMail, with: { to: a@contoso.com, subject: Hi, body: Hi, delivery: draft } }
                - three: { run: { workflow: { namespace: tests, name: inner, version: 1.0.0 } } }
                """, folder: folder.url)
        let findings = workflow.mailLookupFindings()
        #expect(findings.map(\.id) == ["mail-lookup", "mail-lookup"])
        #expect(findings.allSatisfy { $0.severity == .error })
        #expect(findings.map(\.hint).first??.contains("leave 'delivery' out") == true)
        #expect(findings.map(\.hint).last??.contains("leave 'saveToSentItems' out") == true)
        #expect(try Workflow(tasks: "- send: { \(Self.send) }").mailLookupFindings().isEmpty)
    }

    @Test func `a delivery that is direct by an expression fails before anything is sent`() async throws {
        let sandbox = Sandbox()
        let workflow = try Workflow(
            tasks: """
                - send:
                    call: sendMail
                    with: { to: a@contoso.com, subject: Hi, body: Hi, delivery: '${ "direct" }' }
                """)
        await #expect(throws: WorkflowError.self) {
            _ = try await Self.runner(sandbox).run(workflow).value
        }
        #expect(sandbox.requests.isEmpty)
    }
}
