import Foundation
import Promises
import TestSupport
import Testing
import WorkflowHTTP
import Workflows

@testable import graphflow

/// Drawn attacks on runs and batches that were approved: kind, place, verb and moment.
///
/// `GRAPHFLOW_FUZZ_SEED` names the first draw.
@Suite struct ApprovalAttackTests {
    private static let group: UInt64 = 5
    private static let first = ProcessInfo.processInfo.environment["GRAPHFLOW_FUZZ_SEED"].flatMap { UInt64($0) } ?? 0

    @Test(.timeLimit(.minutes(60)), arguments: 0..<Extent.of(2_000, or: 6) as Range<UInt64>)
    func `what is done was approved, each once, and files that are read stay`(group: UInt64) async throws {
        for number in 0..<Self.group {
            let seed = Self.first + group * Self.group + number
            try await Attack(seed: seed).check("seed \(seed)")
        }
    }
}

private struct Attack: CustomStringConvertible {
    /// What somebody does.
    enum Kind: CaseIterable {
        case nothing, workflow, items, order, template, plan, approval
        /// The same batch was begun on another machine with another text, and left a draft.
        case draft
        /// An output is a file that the command reads.
        case output
    }
    enum Moment: CaseIterable { case planned, approved, interrupted }

    /// The task that has the effect, and the first of its requests that fails where a run is interrupted.
    private static let verbs = [
        (
            "call: sendMail, with: { to: [megan@contoso.com, '${ .key }@contoso.com'], subject: '${ .name }', "
                + "body: { content: '${ .text }' } }", "POST", "/me/messages*"
        ),
        (
            "call: sendMail, with: { to: [megan@contoso.com], subject: 'For ${ .key }', body: { content: '${ .text }' }, "
                + "attachments: [ { name: 'a.txt', content: '${ .name | tostring }' } ] }", "POST", "/me/messages*"
        ),
        ("call: upload, with: { path: 'in/${ .key }.txt', content: '${ .name + .text }' }", "PUT", "/me/drive/*"),
        (
            "call: graph, with: { method: PATCH, path: '/users/adelev@contoso.com', body: { jobTitle: '${ .key }', "
                + "department: '${ .name }' } }", "PATCH", "/users/*"
        ),
    ]
    private static let names = [
        "Ada", "Größe", "a b", "a/b", "100 %", "‹me.id›", "🙂", "\"q\" \\", "a\u{308}", "${ .x }", "line\nbreak", "'",
        "$(id)", "null", "\u{202E}x", String(repeating: "xé", count: 60),
    ]

    let kind: Kind
    let moment: Moment
    let isBatch: Bool
    let isDemanded: Bool
    let verb: (task: String, method: String, path: String)
    let items: [Value]
    /// How many requests that write succeed before one fails.
    let skipped: Int
    let index: Int
    let way: CommandFilesTests.Way
    let place: ApprovalCommandTests

    var description: String { "\(kind), \(moment), \(isBatch ? "batch" : "run"): \(verb.task): \(items)" }

    init(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        func any<Element>(_ elements: [Element]) -> Element {
            elements[Int.random(in: elements.indices, using: &generator)]
        }
        let kind = any(Kind.allCases)
        self.kind = kind
        let isBatch = [.items, .order, .draft].contains(kind) || kind != .approval && Bool.random(using: &generator)
        self.isBatch = isBatch
        let isLate = kind != .draft && kind != .approval
        moment = any(isLate ? Moment.allCases : [.approved])
        // A person signs in for it, which takes long.
        isDemanded = kind == .approval || !isBatch && Int.random(in: 0..<5, using: &generator) == 0
        // A batch that continues looks for its mails for a minute.
        let isWaiting = isBatch && moment == .interrupted
        verb = kind == .draft ? Self.verbs[0] : any(isWaiting ? Array(Self.verbs[2...]) : Self.verbs)
        items = (0..<(isBatch ? 3 : 1)).map { ["key": .string("k\($0)"), "name": .string(any(Self.names))] }
        skipped = Int.random(in: 0..<4, using: &generator)
        index = Int.random(in: 0..<1_000, using: &generator)
        way = any(CommandFilesTests.Way.allCases)
        place = try ApprovalCommandTests()
    }

    private var file: String { place.path("attack ü.yaml") }
    private var source: String { place.path("items '1'.jsonl") }
    private var template: String { place.path("text %.txt") }
    private var plan: String { place.path("plan.json") }

    private func write(_ items: [Value], text: String = "Grüße, ‹x›", more: String = "") throws {
        let workflow = """
            document: { dsl: 1.0.3, namespace: tests, name: attack, version: 1.0.0 }
            do:
              - text: { call: readFile, with: { file: 'text %.txt' }, output: { as: '${ $input + { text: . } }' } }
              - effect: { \(verb.task) }\(more)

            """
        try Data(workflow.utf8).write(to: URL(fileURLWithPath: file))
        try Data(text.utf8).write(to: URL(fileURLWithPath: template))
        let lines = items.map { $0.json() + "\n" }.joined()
        try Data(lines.utf8).write(to: URL(fileURLWithPath: source))
    }

    /// Edits a file as somebody would who wants something else to be sent.
    private func edit(_ path: String) throws {
        var text = try String(contentsOfFile: path, encoding: .utf8)
        let digits = text.indices.filter { text[$0].isNumber || text[$0].isLetter }
        let changed = digits[index * 7 % digits.count]
        text.replaceSubrange(changed...changed, with: text[changed] == "7" ? "8" : "7")
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    private func perform() throws {
        switch kind {
        case .nothing, .draft, .output: break
        case .workflow: try write(items, more: "  # ü")
        case .items: try write(items.dropLast() + [["key": "k9", "name": "Eve"]])
        case .order: try write(items.reversed())
        case .template: try write(items, text: "Something else")
        case .plan: try edit(plan)
        case .approval: try edit(place.path("plan.approval.json"))
        }
    }

    /// What has an effect outside: mails, files and properties, in an order that does not depend on time.
    private static func effects(_ sandbox: Sandbox) -> [String] {
        let mails = sandbox.outbox.map { "\($0.to) \($0.subject) \($0.body) \($0.attachments.map(\.content))" }
        let writes = sandbox.requests.filter { request in
            let isDone = request.status.map { $0 < 300 } ?? false
            return isDone && (request.method == "PUT" || request.method == "PATCH" && request.path.contains("/users/"))
        }
        return (mails + writes.map { "\($0.path.prefix { $0 != "?" }) \(String(decoding: $0.body, as: UTF8.self))" })
            .sorted()
    }

    private var words: [String] {
        isBatch
            ? ["batch", file, "--each", source, "--name", "n", "--key", ".key", "--lookup-delay", "0"] : ["run", file]
    }
    private var input: [String] { isBatch ? [] : ["--input", "@" + source] }

    func check(_ seed: String) async throws {
        try write(items)
        var expected: [String] = []
        try await ApprovalCommandTests().withSandbox { sandbox, environment async throws in
            let status = await place.run(words + input, environment).status
            #expect(status == 0, "\(seed), \(self)")
            expected = Self.effects(sandbox)
        }
        var fault = Sandbox.Fault(method: verb.method, path: verb.path, answer: .status(400), times: 1)
        fault.skipped = skipped
        let isInterrupted = moment == .interrupted
        try await place.withSandbox(faults: isInterrupted ? [fault] : []) { sandbox, environment async throws in
            try await check(sandbox, environment, expected, "\(seed), \(self)")
        }
    }

    private func check(
        _ sandbox: Sandbox, _ environment: [String: String], _ expected: [String], _ words: String
    ) async throws {
        if kind == .draft { try await leaveDrafts(in: sandbox) }
        let before = Self.effects(sandbox)
        #expect(before.isEmpty, "\(words)")
        let planned = await place.run(self.words + input + ["--dry-run=read", "--plan-out", plan], environment)
        try #require(planned.status == 0, "\(words): \(planned.1.standardError)")
        if moment == .planned { try perform() }
        var command = self.words + ["--plan", plan]
        if isDemanded {
            let approved = await place.run(["approve", plan, "--yes"], environment)
            // A plan that was edited can be refused here.
            #expect(approved.status == 0 || kind == .plan, "\(words): \(approved.1.standardError)")
            command += ["--approval", place.path("plan.approval.json")] + ApprovalCommandTests.demand
        }
        if moment == .approved { try perform() }
        if moment == .interrupted {
            // Nothing is left to attack where fewer requests were made.
            guard await place.run(command, environment).status != 0 else {
                #expect(Self.effects(sandbox) == expected, "\(words)")
                return
            }
            try perform()
            command = ["resume", isBatch ? "n" : "last"]
        }
        let files = try contents()
        let done = Self.effects(sandbox)
        if kind == .output {
            let inputs = [file, source, template, plan]
            let input = URL(fileURLWithPath: inputs[index % (isBatch ? 2 : 1)]).lastPathComponent
            let output = try way.path(to: input, in: place.folder)
            command += [isBatch && index % 3 == 0 ? "--results" : "--events", output]
        }
        let end = await place.run(command, environment)
        let found = Self.effects(sandbox)
        let said = "\(words): \(end.status) \(end.1.standardError)"
        let after = try contents()
        for (name, bytes) in files { #expect(after[name] == bytes, "\(name), \(said)") }

        var rest = expected
        for effect in found {
            let index = rest.firstIndex(of: effect)
            #expect(index != nil, "\(effect), \(said)")
            if let index { rest.remove(at: index) }
        }
        switch kind {
        case .nothing, .draft: #expect(end.status == 0 && found == expected, "\(said)")
        // A run has its plan; who changes the file later changes nothing.
        case .plan where moment == .interrupted, .approval: #expect(end.status != 0 || found == expected, "\(said)")
        case .output: #expect(end.status == (found == expected ? end.status : 64) && found == done, "\(said)")
        default: #expect(end.status != 0 && found == done || found == expected, "\(said)")
        }
    }

    /// Leaves what the same batch would have written as drafts elsewhere, with another text.
    private func leaveDrafts(in sandbox: Sandbox) async throws {
        try write(items, text: "An older text")
        var drafts: [Sandbox.Exchange] = []
        try await ApprovalCommandTests().withSandbox { other, environment async throws in
            #expect(await place.run(words, environment).status == 0)
            drafts = other.requests.filter { $0.method == "POST" && $0.path.hasSuffix("/me/messages") }
        }
        #expect(drafts.count == items.count)
        for draft in drafts {
            let answer = try await SandboxClient(transport: sandbox.transport, base: Sandbox.baseURL).send(
                "POST", "/me/messages", headers: ["Prefer": "IdType=\"ImmutableId\""],
                json: try Value(json: draft.body))
            #expect(answer.status == 201)
        }
        try write(items)
    }

    private func contents() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: place.folder.path)
        return names.reduce(into: [:]) { all, name in
            all[name] = FileManager.default.contents(atPath: place.folder.appendingPathComponent(name).path)
        }
    }
}
