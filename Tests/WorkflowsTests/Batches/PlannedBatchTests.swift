import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

struct PlannedBatchTests {
    private static let welcome = """
        document: { dsl: 1.0.3, namespace: test, name: welcome, version: 1.0.0 }
        input:
          schema:
            document:
              type: object
              required: [mail]
              properties: { mail: { type: string }, name: { type: string }, fail: { type: boolean } }
        do:
          - stop: { if: .fail, raise: { error: { type: "https://example.com/no", status: 400, title: "No", detail: not this one } } }
          - store: { call: upload, with: { path: '${ "welcome/\\(.name).txt" }', content: '${ .name }' } }
          - greet:
              call: sendMail
              with: { to: '${ $workflow.input.mail }', subject: Welcome, body: Hello }
        """

    private let fixture: ItemFixture

    init() throws { fixture = try ItemFixture(Self.welcome) }

    private func plan(
        _ text: String, key: String? = ".mail", shard: Shard? = nil, runner: Runner = .testing(),
        mode: Plan.Mode = .dry
    ) async throws -> PlannedBatch {
        let items = try fixture.items("users.csv", Array(text.utf8), key: key, shard: shard)
        return try await runner.plan(items, digest: try items.check().digest, mode: mode).value
    }

    private static let three = "mail,name\na@x.de,Ann\nb@x.de,Bob\nA@x.de,Ann\n"

    @Test func `a plan has what each item would write and send`() async throws {
        let plan = try await plan(Self.three)
        #expect(plan.planned.map(\.key) == ["a@x.de", "b@x.de", "A@x.de"])
        #expect(plan.planned.map(\.recipients) == [["a@x.de"], ["b@x.de"], ["A@x.de"]])
        #expect(plan.planned.map(\.paths) == [["welcome/Ann.txt"], ["welcome/Bob.txt"], ["welcome/Ann.txt"]])
        #expect(plan.planned.map(\.line) == [2, 3, 4])
        let shape = try #require(plan.shape)
        #expect(shape.input["mail"] == "a@x.de")
        // The file, the draft of the mail, and its sending.
        let methods = ["PUT": 1, "POST": 2]
        #expect(plan.planned.allSatisfy { $0.requests == methods })
        #expect(plan.summary.requests == methods.mapValues { $0 * 3 })
        #expect(plan.isComplete && plan.failing.isEmpty)
    }

    @Test func `what is done twice is found`() async throws {
        let plan = try await plan(Self.three)
        #expect(plan.summary.repeatedRecipients.map(\.name) == ["a@x.de"])
        #expect(plan.summary.repeatedRecipients.map(\.count) == [2])
        #expect(plan.summary.repeatedPaths.map(\.name) == ["welcome/Ann.txt"])
        #expect(try await self.plan("mail,name\na@x.de,A\nb@x.de,B\n").summary.repeatedRecipients.isEmpty)
    }

    @Test func `an item whose run would fault is in the plan with its error`() async throws {
        let plan = try await plan("mail,name,fail\nz@x.de,Z,true\na@x.de,A,false\n")
        #expect(plan.failing.map(\.line) == [2])
        #expect(plan.failing.first?.error?.detail == "not this one")
        #expect(plan.shape?.input["mail"] == "a@x.de")
        #expect(!plan.isComplete)
        #expect(plan.value["items"]?[0]?["error"]?["title"] == "No")
        #expect(plan.value["summary"]?["faulting"] == 1)
    }

    @Test func `a plan of a shard has the shard's items`() async throws {
        let text = "mail,name\n" + (1...20).map { "u\($0)@x.de,N\n" }.joined()
        let shards = try await [1, 2, 3].asyncMap { try await plan(text, shard: Shard($0, of: 3)) }
        #expect(shards.flatMap { $0.planned }.count == 20)
        #expect(shards.allSatisfy { $0.value["shard"]?[1] == 3 })
    }

    @Test func `the estimate is that of the limit that takes the longest`() async throws {
        let text = "mail,name\n" + (1...90).map { "u\($0)@x.de,N\($0)\n" }.joined()
        let plan = try await plan(text)
        // 30 messages in a minute.
        #expect(plan.summary.limits.time == .seconds(180))
        #expect(plan.summary.limits.uses.map(\.service) == ["the mailbox", "the mailbox", "OneDrive"])
        #expect(plan.summary.limits.uses[1].count == 180)
        #expect(plan.value["summary"]?["estimate"]?["seconds"] == 180)
    }

    @Test func `the same items have the same plan`() async throws {
        var runner = Runner.testing()
        runner.now = { Date(timeIntervalSince1970: 1_750_000_000) }
        let first = try await plan(Self.three, runner: runner)
        let second = try await plan(Self.three, runner: runner)
        #expect(first.value.json() == second.value.json())
        #expect(Set(first.planned.map(\.digest)).count == 3)
    }

    @Test func `a plan that may read has the permissions that the token lacks`() async throws {
        let plan = try await plan(Self.three, mode: .read)
        #expect(plan.mode == .read)
        #expect(plan.summary.delegated == ["Files.ReadWrite", "Mail.ReadWrite", "Mail.Send"])
        #expect(plan.missingPermissions?.isEmpty != false)
    }

    @Test func `the sample welcomes everybody on its list, each once`() async throws {
        let folder = SampleWorkflow.folder
        let workflow = try Workflow(contentsOf: folder.appending(path: "welcome.yaml"))
        let source = try ItemSource(folder.appending(path: "welcome.csv").path(percentEncoded: false))
        let items = try BatchItems(source, for: workflow, key: ".mail")
        let sandbox = Sandbox()
        let runner = Runner.testing(sandbox: sandbox)
        let plan = try await runner.plan(items, digest: try items.check().digest).value
        #expect(plan.isComplete && plan.summary.repeatedRecipients.isEmpty)
        var reader = try items.reader()
        while let item = try reader.next() { _ = try await runner.run(workflow, input: item.input).value }
        #expect(sandbox.outbox.map(\.to) == plan.planned.map(\.recipients))
        #expect(sandbox.outbox.map { $0.attachments.map(\.name) } == Array(repeating: ["first-day.ics"], count: 3))
        #expect(items.workflow.validate().isEmpty)
    }

    // MARK: - Approved plans

    private func approved(_ plan: PlannedBatch) throws -> ApprovedBatch {
        try ApprovedBatch(try Value(json: ApprovedBatch(plan).value.json(pretty: true)))
    }

    @Test func `an unchanged batch does what was approved`() async throws {
        let sandbox = Sandbox()
        let runner = Runner.testing(sandbox: sandbox)
        let plan = try await plan(Self.three, runner: runner)
        let approved = try approved(plan)
        #expect(approved.differences(to: plan.items, digest: plan.sourceDigest) == [])
        var reader = try plan.items.reader()
        while let item = try reader.next() {
            let library = WorkflowLibrary(of: fixture.workflow)
            let runner = try await runner.approved(for: item, of: fixture.workflow, as: approved, library).value
            _ = try await runner.run(fixture.workflow, input: item.input).value
        }
        #expect(sandbox.outbox.flatMap(\.to).sorted() == ["A@x.de", "a@x.de", "b@x.de"])
    }

    @Test func `a run of a shard may follow the plan of all items`() async throws {
        let plan = try await plan(Self.three)
        let items = try fixture.items("users.csv", Array(Self.three.utf8), key: ".mail", shard: Shard(1, of: 2))
        #expect(try approved(plan).differences(to: items, digest: plan.sourceDigest) == [])
        let part = try await self.plan(Self.three, shard: Shard(1, of: 2))
        #expect(
            try approved(part).differences(to: plan.items, digest: plan.sourceDigest)
                == ["'--shard' is not given, and [1,2] in the plan"])
    }

    @Test func `what has changed since is a difference`() async throws {
        let plan = try await plan(Self.three)
        let approved = try approved(plan)
        let other = try fixture.items(
            "users.csv", Array((Self.three + "c@x.de,C\n").utf8), common: ["name": "X"], key: ".mail + \"\"",
            allowsDuplicates: true)
        #expect(
            approved.differences(to: other, digest: try other.check().digest).map {
                $0.replacing(fixture.folder.url.path + "/", with: "")
            } == [
                "the input of all items, name is new: \"X\"", "the source users.csv was changed",
                "'--key' is \".mail + \\\"\\\"\", and \".mail\" in the plan",
                "'--allow-duplicates' is true, and false in the plan",
            ])
        let workflow = try ItemFixture(Self.welcome.replacing("Hello", with: "Bye"))
        let changed = try workflow.items("users.csv", Array(Self.three.utf8), key: ".mail")
        #expect(approved.differences(to: changed, digest: plan.sourceDigest) == ["the workflow file was changed"])
    }

    @Test func `an item that is not in the plan, or would do something else, does not run`() async throws {
        let sandbox = Sandbox()
        let runner = Runner.testing(sandbox: sandbox)
        let plan = try await plan(Self.three, runner: runner)
        let approved = try approved(plan)
        let library = WorkflowLibrary(of: fixture.workflow)
        let name = plan.planned[0].name
        for item in [
            BatchItem(name: "other", key: "c", input: ["mail": "c@x.de", "name": "C"], line: 9),
            BatchItem(name: name, key: "a@x.de", input: ["mail": "thief@x.de", "name": "Ann"], line: 2),
        ] {
            await #expect(throws: PlanMismatch.self) {
                try await runner.approved(for: item, of: fixture.workflow, as: approved, library).value
            }
        }
        #expect(sandbox.outbox.isEmpty)
    }

    /// A change of a plan's value, and of its digest.
    struct Edit: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let refusal: String
        let change: @Sendable (Value) -> Value

        init(_ refusal: String, _ path: String..., to new: Value?) {
            (testDescription, self.refusal) = (path.joined(separator: "/"), refusal)
            change = { $0.replacing(path[...], with: new) }
        }
    }

    @Test(arguments: [
        Edit("summary, requests, POST is 6", "summary", "requests", "POST", to: 1),
        Edit("summary, faulting is 0", "summary", "faulting", to: 1),
        Edit("summary, repeatedRecipients", "summary", "repeatedRecipients", to: []),
        Edit("summary, repeatedPaths", "summary", "repeatedPaths", to: [["name": "‹x› 😀", "writes": 9]]),
        Edit("summary, permissions, delegated", "summary", "permissions", "delegated", to: ["Mail.Send"]),
        Edit("summary, permissions, application", "summary", "permissions", "application", to: []),
        Edit("summary, permissions, missing is gone", "summary", "permissions", "missing", to: []),
        Edit("summary, estimate, seconds", "summary", "estimate", "seconds", to: 1),
        Edit("summary, estimate, limits", "summary", "estimate", "limits", to: []),
        Edit("summary, note is gone", "summary", "note", to: "nur Entwürfe"),
        Edit("summary is", "summary", to: nil), Edit("complete is true", "complete", to: false),
        Edit("complete is true", "complete", to: nil),
        Edit("gaps: 1 fewer: ", "gaps", to: [["reason": "x", "items": 3]]),
        Edit("the plan has 'note', which is not a member of a plan", "note", to: "nothing is sent"),
        Edit("the plan, workflow, name is \"welcome\"", "workflow", "name", to: "harmless"),
        Edit("the plan, batchPlan is", "batchPlan", to: "0.9"),
    ])
    func `a plan whose sums were edited, with digests made anew, is refused`(edit: Edit) async throws {
        let plan = try await plan(Self.three)
        let made = ApprovedBatch(plan).value
        let edited = edit.change(made["plan"] ?? .null)
        #expect(edited != made["plan"])
        let value = made.replacing(["plan"], with: edited)
            .replacing(["digests", "plan"], with: .string(ApprovedPlan.digest(of: edited)))
        let differences: [String]
        do {
            differences = try ApprovedBatch(value).differences(to: plan.items, digest: plan.sourceDigest)
        } catch { differences = error.differences }
        #expect(differences.contains { $0.contains(edit.refusal) }, "\(differences)")
    }

    @Test func `sums that somebody wrote into a plan do not overflow`() {
        let most = Value.integer(.max)
        let item: Value = [
            "requests": ["POST": most],
            "tally": ["mails": ["a@x.de": most], "uses": ["the mailbox": ["units": most, "messages": most]]],
        ]
        let summary = BatchSummary(of: [item, item, ["requests": 3, "gaps": "x", "tally": []]])
        #expect(summary.value(lacking: nil)["estimate"]?["seconds"] == 0)
    }

    @Test func `a plan that was edited is refused`() async throws {
        let text = ApprovedBatch(try await plan(Self.three)).value.json()
        for edited in [
            text.replacing("\"b@x.de\"", with: "\"thief@x.de\""), "{}", text.replacing("\"plan\":{", with: "\"p\":{"),
        ] {
            #expect(throws: PlanMismatch.self) { try ApprovedBatch(try Value(json: edited)) }
        }
    }
}

extension Array {
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}

extension Value {
    /// The value with another member at a path, or without it.
    fileprivate func replacing(_ path: ArraySlice<String>, with new: Value?) -> Value {
        guard let name = path.first else { return new ?? .null }
        var members = object ?? [:]
        members[name] =
            path.count == 1 ? new : (members[name] ?? [:]).replacing(path.dropFirst(), with: new)
        return .object(members)
    }
}
