import Foundation
import Promises
import TestSupport
import Testing

@testable import MicrosoftGraph
@testable import Workflows

/// Runs of approved plans: what was not altered is never refused, and any alteration of a request is.
@Suite struct ApprovalPropertyTests {
    private static let batch: UInt64 = 50

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `an unaltered run is not refused, and no altered request is allowed`(batch: UInt64) async throws {
        var changes = 0
        for seed in batch * Self.batch..<(batch + 1) * Self.batch {
            var generator = WorkflowGenerator(seed: seed)
            let text = generator.workflow()
            let workflow = try Workflow(text: text, folder: SampleWorkflow.folder)
            let input = generator.input()
            let runner = Self.runner(answers: seed * 10)
            guard let plan = try? await runner.plan(workflow, input: input).value else { continue }
            let free = await Self.outcome(runner, workflow, input)
            for answers in seed * 10..<seed * 10 + 5 {
                let approval = Approval(plan, secrets: runner.secrets)
                var approved = Self.runner(answers: answers)
                let altering = AlteringTransport(
                    ApprovingTransport(approval, over: approved.graph.transport), approval, seed: answers)
                approved.approval = approval
                approved.graph.transport = altering
                let outcome = await Self.outcome(approved, workflow, input)
                #expect(approval.deviation == nil, "\(approval.deviation?.difference ?? ""): seed \(seed): \(text)")
                if answers == seed * 10 { #expect(outcome == free, "seed \(seed): \(text)") }
                let (tried, allowed) = altering.results
                #expect(allowed.isEmpty, "seed \(seed): \(allowed.joined(separator: "\n")): \(text)")
                changes += tried
            }
        }
        #expect(changes > 2_000)
    }

    private static func runner(answers seed: UInt64) -> Runner {
        let clock = SkippingClock()
        let transport = UnusualAnswers(Sandbox().transport, seed: seed)
        var runner = Runner(
            graph: GraphClient(
                credential: .fixed(AccessToken("sandbox")), baseURL: Sandbox.baseURL, transport: transport,
                clock: clock), clock: clock)
        runner.random = { 0.5 }
        return runner
    }

    /// Whether the run completed.
    private static func outcome(_ runner: Runner, _ workflow: Workflow, _ input: Value) async -> Bool {
        (try? await runner.run(workflow, input: input).value) != nil
    }
}

/// Answers as a service may: names and addresses of any text, and other sizes.
private final class UnusualAnswers: HTTPTransport {
    private static let texts = [
        "‹Bob›", "‹me.displayName›", "a/b ü", "\"quoted\" \\", "100 %", "<b>&amp;</b>", "", "=?utf-8?", "🙂", "${ .x }",
    ]
    private let inner: any HTTPTransport
    private let generator: Locked<SeededGenerator>

    init(_ inner: any HTTPTransport, seed: UInt64) {
        self.inner = inner
        generator = Locked(SeededGenerator(seed: seed))
    }

    func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        inner.send(request, for: operation).map(on: nil) { response in
            guard (200..<300).contains(response.status), let body = try? Value(json: response.body) else {
                return response
            }
            var response = response
            response.body = self.generator.withLock { Self.changed(body, &$0) }.jsonData()
            return response
        }
    }

    private static func changed(_ value: Value, _ generator: inout SeededGenerator) -> Value {
        switch value {
        case .array(let elements): return .array(elements.map { changed($0, &generator) })
        case .object(let members):
            var result = Object()
            for (name, member) in members {
                switch (name, member) {
                case ("displayName", .string), ("jobTitle", .string), ("webUrl", .string):
                    result[name] = .string(texts.randomElement(using: &generator) ?? "")
                case ("size", .integer): result[name] = .integer(Int.random(in: 0...1_000_000, using: &generator))
                default: result[name] = changed(member, &generator)
                }
            }
            return .object(result)
        default: return value
        }
    }
}

/// Tries altered requests on a copy of what is approved, before it sends each one as it is.
private final class AlteringTransport: HTTPTransport {
    private struct State {
        var generator: SeededGenerator
        var tried = 0
        var allowed: [String] = []
    }

    private let inner: ApprovingTransport
    private let approval: Approval
    private let state: Locked<State>

    init(_ inner: ApprovingTransport, _ approval: Approval, seed: UInt64) {
        self.inner = inner
        self.approval = approval
        state = Locked(State(generator: SeededGenerator(seed: seed)))
    }

    var results: (tried: Int, allowed: [String]) { state.withLock { ($0.tried, $0.allowed) } }

    func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        let task = TaskExecution(operation.task ?? .root, operation.occurrence)
        state.withLock { state in
            for altered in Self.alterations(of: request, &state.generator) {
                let known = approval.state.withLock { $0 }
                let match = approval.allow(task, attempts: 1) { step, reading in
                    guard case .request(let planned) = step else { return false }
                    return planned.allows(altered.request, &reading)
                }
                approval.state.withLock { $0 = known }
                state.tried += 1
                if match != nil {
                    state.allowed.append("\(altered.what): \(altered.request.method) \(altered.request.url)")
                }
            }
        }
        return inner.send(request, for: operation)
    }

    private static func alterations(
        of request: HTTPRequest, _ generator: inout SeededGenerator
    ) -> [(what: String, request: HTTPRequest)] {
        var all: [(String, HTTPRequest)] = []
        func add(_ what: String, _ change: (inout HTTPRequest) -> Void) {
            var altered = request
            change(&altered)
            all.append((what, altered))
        }
        add("another method") { $0.method = $0.method == "PUT" ? "PATCH" : "PUT" }
        add("a query item more") { $0.url.append(queryItems: [URLQueryItem(name: "x", value: "1")]) }
        add("a segment more") { $0.url.append(path: "x") }
        add("a header field more") { $0.headers["X-More"] = "1" }
        if let field = request.headers.fields.first(where: { $0.name == "Accept" || $0.name == "Content-Type" }) {
            add("another header field") { $0.headers[field.name] = field.value + "x" }
        }
        let address = Array(request.url.absoluteString)
        let letters = address.indices.filter { address[$0].isLetter && address[$0].isASCII && $0 > 8 }
        if let place = letters.randomElement(using: &generator) {
            var other = address
            other[place] = other[place] == "q" ? "w" : "q"
            if let url = URL(string: String(other)) { add("a letter of the address") { $0.url = url } }
        }
        guard let body = request.body, !body.isEmpty else { return all }
        add("no body") { $0.body = nil }
        for _ in 0..<3 {
            let place = Int.random(in: 0..<body.count, using: &generator)
            var other = body
            other[other.startIndex + place] ^= 1
            if (try? Value(json: other)) != (try? Value(json: body)) || (try? Value(json: body)) == nil {
                add("a byte of the body at \(place)") { $0.body = other }
            }
        }
        if var members = (try? Value(json: body))?.object {
            members["x"] = 1
            add("a member more") { $0.body = Value.object(members).jsonData() }
            members["x"] = nil
            for (name, value) in members where value.array != nil {
                var other = members
                other[name] = .array((value.array ?? []) + (value.array ?? [1]))
                if other[name] != value { add("more of '\(name)'") { $0.body = Value.object(other).jsonData() } }
            }
            if let message = members["message"]?.object, let to = message["toRecipients"]?.array {
                var other = message
                other["toRecipients"] = .array(to + [["emailAddress": ["address": "other@contoso.com"]]])
                members["message"] = .object(other)
                add("another recipient") { $0.body = Value.object(members).jsonData() }
            }
        }
        return all
    }
}
