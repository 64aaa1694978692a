import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// Approved runs whose plan has read what they change.
@Suite struct ChangedSincePlanTests {
    private static let path = "old ä (‹x›) 😀.txt"
    private static let writes = [
        "- w: { call: upload, with: { path: '\(path)', content: mine } }",
        "- w: { call: graph, with: { method: PATCH, path: '/me/drive/root:/\(path)', body: { description: mine } } }",
        "- w: { call: graph, with: { method: DELETE, path: '/me/drive/root:/\(path)' } }",
        "- w: { call: upload, with: { path: 'new.txt', content: mine } }",
    ]

    private static func furnished(_ faults: [String] = []) async throws -> Sandbox {
        let sandbox = UndoTrial.sandbox(try faults.map { try Sandbox.Fault(parsing: $0) })
        let tasks = "- a: { call: upload, with: { path: '\(path)', content: former } }"
        _ = try await UndoTrial.runner(sandbox).run(try Workflow(tasks: tasks)).value
        return sandbox
    }

    /// A runner whose tasks can let somebody else change a file in the middle of the run.
    private static func runner(_ sandbox: Sandbox, _ theirs: String) -> Runner {
        let others = UndoTrial.runner(sandbox)
        var runner = UndoTrial.runner(sandbox)
        runner.catalog.register(
            Function(name: "interfere", effect: .read) { _, context in
                // Not in a plan.
                guard context.graph.plan == nil else { return .value([:]) }
                return others.run(try Workflow(tasks: theirs)).map { _ in [:] }
            })
        return runner
    }

    private static let theirs = """
        - x: { call: upload, with: { path: '\(path)', content: theirs } }
        - y: { call: upload, with: { path: 'new.txt', content: theirs } }
        """

    @Test(arguments: writes) func `a change by others during the run is a deviation, and stays`(write: String)
        async throws
    {
        let sandbox = try await Self.furnished()
        let runner = Self.runner(sandbox, Self.theirs)
        let workflow = try Workflow(tasks: "- i: { call: interfere }\n\(write)")
        let plan = ApprovedPlan(try await runner.plan(workflow, mode: .read).value)
        let error = await #expect(throws: (any Error).self) { try await runner.run(workflow, as: plan).value }
        #expect("\(error.map { "\($0)" } ?? "")".contains("something else is there than the plan read"))
        let files = sandbox.snapshot["files"] ?? []
        #expect(files.count { $0.hasSuffix(SHA256.hex(of: Data("theirs".utf8))) } == 2, "\(files)")
    }

    @Test(arguments: writes) func `without a change the run does the same as without a plan`(write: String) async throws
    {
        var snapshots: [[String: [String]]] = []
        for isApproved in [false, true] {
            let sandbox = try await Self.furnished()
            let runner = UndoTrial.runner(sandbox)
            let workflow = try Workflow(tasks: write)
            if isApproved {
                let plan = ApprovedPlan(try await runner.plan(workflow, mode: .read).value)
                _ = try await runner.run(workflow, as: plan).value
            } else {
                _ = try await runner.run(workflow).value
            }
            snapshots.append(sandbox.snapshot)
        }
        #expect(snapshots[0].mapValues(\.count) == snapshots[1].mapValues(\.count))
        let contents = snapshots.map { Set(($0["files"] ?? []).map { $0.suffix(64) }) }
        #expect(contents[0] == contents[1])
    }

    @Test(arguments: [
        "PUT /* drop processed", "PUT /* 503 processed", "PATCH /* drop processed", "PATCH /* 504 processed",
        "PUT /* truncate", "PUT /* 429 retry-after=1",
    ])
    func `a repeated request finds what it wrote itself`(fault: String) async throws {
        for write in Self.writes.filter({ !$0.contains("DELETE") }) {
            let sandbox = try await Self.furnished([fault + " after=1"])
            let runner = UndoTrial.runner(sandbox)
            let workflow = try Workflow(tasks: write)
            let plan = ApprovedPlan(try await runner.plan(workflow, mode: .read).value)
            _ = try await runner.run(workflow, as: plan).value
        }
    }

    @Test func `a run changes the same several times, through paths and ids, in rounds and attempts`() async throws {
        let sandbox = try await Self.furnished()
        let runner = UndoTrial.runner(sandbox)
        let workflow = try Workflow(
            tasks: """
                - a: { call: upload, with: { path: '\(Self.path)', content: one } }
                - b: { call: upload, with: { path: '\(Self.path)', content: two } }
                - item: { call: graph, with: { path: '/me/drive/root:/\(Self.path)' } }
                - c: { call: graph, with: { method: PATCH, path: '/me/drive/items/${ .id }', body: { description: x } } }
                - d: { call: graph, with: { method: PATCH, path: '/me/drive/root:/\(Self.path)', body: { description: y } } }
                - e:
                    for: { in: '${ [1, 2] }', each: n }
                    do:
                      - f: { call: upload, with: { path: '\(Self.path)', content: '${ $n | tostring }' } }
                      - g: { call: upload, with: { path: 'new.txt', content: '${ $n | tostring }' } }
                """)
        let plan = ApprovedPlan(try await runner.plan(workflow, mode: .read).value)
        _ = try await runner.run(workflow, as: plan).value
        #expect(sandbox.snapshot["files"]?.count == 2)
    }

    @Test(.timeLimit(.minutes(60))) func `a run that ended after any event finds what it wrote itself`() async throws {
        let workflow = try Workflow(
            tasks: """
                - a: { call: upload, with: { path: '\(Self.path)', content: one } }
                - b: { call: upload, with: { path: 'new.txt', content: '' } }
                - c: { call: graph, with: { method: PATCH, path: '/me/drive/root:/\(Self.path)', body: { description: y } } }
                - d: { call: upload, with: { path: 'new.txt', content: 'more' } }
                """)
        for count in 1..<30 {
            let sandbox = try await Self.furnished()
            let runner = UndoTrial.runner(sandbox)
            let approved = ApprovedPlan(try await runner.plan(workflow, mode: .read).value)
            let first = CrashingRun(endingAfter: count)
            let blobs = BlobStore()
            let planned = try await runner.keeping(to: approved, workflow, input: [:]).value
            if try await first.run(workflow, input: [:], by: planned, blobs: blobs) != nil { break }
            let second = CrashingRun(events: first.events)
            // The plan of the run's beginning.
            let reads = PlannedReads(try #require(planned.keptPlan?.reads?.value))
            let again = try await runner.keeping(to: approved, workflow, input: [:], reading: reads).value
            _ = try await second.resume(workflow, input: [:], by: again, blobs: blobs)
            #expect(sandbox.snapshot["files"]?.count == 2, "after event \(count)")
        }
    }
}
