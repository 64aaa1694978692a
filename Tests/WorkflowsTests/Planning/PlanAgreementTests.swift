import Foundation
import Promises
import TestSupport
import Testing
import Workflows

/// A plan agrees with its run: the requests of a run are a path through the plan, byte for byte.
@Suite(.serialized) struct PlanAgreementTests {
    /// How many workflows one test writes and runs.
    private static let batch: UInt64 = 75

    @Test(arguments: 0..<Extent.of(8, or: 1) as Range<UInt64>)
    func `the requests of a run are those of its plan`(batch: UInt64) async throws {
        var requests = 0
        for seed in batch * Self.batch..<(batch + 1) * Self.batch {
            var generator = WorkflowGenerator(seed: seed)
            let text = generator.workflow()
            let workflow = try Workflow(text: text, folder: SampleWorkflow.folder)
            requests += try await Self.compare(workflow, generator.input(), "seed \(seed): \(text)")
        }
        #expect(requests > 100)
    }

    /// Without those that run programs, have time limits that this clock skips, race, or send requests in any order.
    private static let samples = SampleWorkflow.all.filter { sample in
        ![
            "run-shell.yaml", "run-script.yaml", "run-container.yaml", "run-workflow.yaml", "errors.yaml", "race.yaml",
            "for-each-item.yaml", "new-colleagues.yaml",
        ].contains(sample.name)
    }

    @Test(arguments: samples)
    func `the requests of a sample are those of its plan`(sample: SampleWorkflow) async throws {
        _ = try await Self.compare(sample.workflow, sample.input, sample.description)
    }

    /// Runs and plans a workflow, and compares.
    /// - Returns: How many requests the run sent.
    private static func compare(_ workflow: Workflow, _ input: Value, _ comment: String) async throws -> Int {
        let transport = RecordingTransport(Sandbox().transport)
        let clock = SkippingClock()
        var runner = Runner(
            graph: GraphClient(
                credential: .fixed(AccessToken("sandbox")), baseURL: Sandbox.baseURL, transport: transport,
                clock: clock), clock: clock)
        runner.random = { 0.5 }
        let output = try? await runner.run(workflow, input: input).value
        let plan: Plan
        do {
            plan = try await runner.plan(workflow, input: input).value
        } catch {
            // A certain failure occurs in the plan as well.
            #expect(output == nil, "\(error) in the plan of \(comment)")
            return 0
        }
        let matcher = PlanMatcher(transport.records)
        let isMatch = matcher.matches(plan, failed: output == nil)
        let sent = transport.records.map { "\($0.request.method) \($0.request.url)" }
        #expect(
            isMatch,
            "\(comment)\nsent: \(sent.joined(separator: "\n"))\nbut at \(matcher.furthest): \(matcher.expected)")
        if isMatch, let output {
            #expect(plan.markedOutput.covers(output), "\(comment)\n\(plan.output)\n\(output)")
        }
        return transport.records.count
    }
}

extension Value {
    /// Whether planned data agree with actual data: an unknown matches any value of its shape, and an object of unknown
    /// members has more of them than the plan knows.
    func covers(_ actual: Value) -> Bool {
        switch (self, actual) {
        case (.marked(let marked), _):
            switch (unknown?.shape, actual) {
            case (.object(let members)?, .object(let others)):
                return members.allSatisfy { name, value in value.covers(others[name] ?? .null) }
            case (.array(let element)?, .array(let others)): return others.allSatisfy { element.covers($0) }
            case (.object?, _), (.array?, _): return false
            case (nil, _):
                guard let text = actual.string else { return false }
                if case .plain(let beginning)? = marked.parts.first { return text.hasPrefix(beginning) }
                return true
            default: return true
            }
        case (.array(let mine), .array(let theirs)):
            return mine.count == theirs.count && zip(mine, theirs).allSatisfy { $0.covers($1) }
        case (.object(let mine), .object(let theirs)):
            return mine.allSatisfy { name, value in value.covers(theirs[name] ?? .null) }
        default: return self == actual
        }
    }
}
