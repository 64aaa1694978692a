import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// Runs that continue with a changed file.
@Suite struct AcceptedChangesTests {
    @Test func `a changed file keeps ends up to the first changed task of each list`() throws {
        let before = try Workflow(
            tasks: """
                - a: { set: { a: 1 } }
                - b: { do: [{ c: { set: { c: 1 } } }, { d: { set: { d: 1 } } }, { e: { set: { e: 1 } } }] }
                - f: { set: { f: 1 } }
                """)
        let after = try Workflow(
            tasks: """
                - a: { set: { a: 1 } }
                - b: { do: [{ c: { set: { c: 1 } } }, { d: { set: { d: 2 } } }, { e: { set: { e: 1 } } }] }
                - f: { set: { f: 1 } }
                """)
        let changes = WorkflowChanges(from: before, to: after, digest: "sha256:0")
        #expect(changes.kept.map(\.description) == ["/do/0/a", "/do/1/b/do/0/c"])
        #expect(changes.anew.map(\.description) == ["/do/1/b/do/1/d", "/do/2/f"])
    }

    @Test(arguments: [
        ("inner: { set: { a: 1 } }, outer: { call: inner }", ["/do/0/a", "/do/1/b"]),
        ("inner: { set: { a: 2 } }, outer: { call: inner }", ["/do/0/a"]),
        ("inner: { set: { a: 1 } }, outer: { set: { a: 1 } }", ["/do/0/a"]),
        ("inner: { set: { a: 1 } }", ["/do/0/a"]),
    ])
    func `a task is kept only while the functions of the file that it calls are the same`(
        functions: String, kept: [String]
    ) throws {
        func workflow(_ functions: String) throws -> Workflow {
            try Workflow(
                tasks: "- a: { set: { a: 1 } }\n- b: { do: [{ c: { call: outer } }] }",
                rest: "use: { functions: { \(functions) } }")
        }
        let before = try workflow("inner: { set: { a: 1 } }, outer: { call: inner }")
        let changes = WorkflowChanges(from: before, to: try workflow(functions), digest: "sha256:0")
        #expect(changes.kept.map(\.description) == kept)
        #expect(changes.anew.map(\.description) == (kept.contains("/do/1/b") ? [] : ["/do/1/b/do/0/c"]))
    }

    @Test(arguments: [
        (
            "for: { in: '${ . }' }, do: [{ b: 1 }, { c: 2 }]", "for: { in: '${ . }' }, do: [{ b: 1 }, { c: 3 }]",
            "/do/1/c"
        ),
        ("for: { in: '${ . }' }, do: [{ b: 1 }]", "for: { in: '${ .a }' }, do: [{ b: 1 }]", ""),
        ("try: [{ b: 1 }], catch: { do: [{ c: 1 }] }", "try: [{ b: 1 }], catch: { do: [{ c: 2 }] }", "/catch/do/0/c"),
        ("try: [{ b: 1 }], catch: {}", "try: [{ b: 1 }], catch: { retry: { delay: PT1S } }", "/catch"),
        ("fork: { branches: [{ b: 1 }, { c: 1 }] }", "fork: { branches: [{ b: 1 }, { c: 2 }] }", "/fork/branches/1/c"),
        ("set: { a: 1 }", "set: { a: 1 }, output: { as: '${ .a }' }", "/output"),
        ("set: { a: 1 }", "set: { a: 1 }, if: '${ .a }'", ""),
        ("do: [{ b: 1 }]", "do: [{ b: 1 }, { c: 1 }]", "/do/1/c"),
        ("do: [{ b: 1 }]", "do: [{ b: 1 }], timeout: { after: PT1S }", nil),
    ])
    func `inside a task of any kind, the first changed place is found`(
        before: String, after: String, place: String?
    ) throws {
        func workflow(_ task: String) throws -> Workflow {
            let tasks = task.replacing(#/\{ (b|c): (\d) \}/#) { "{ \($0.1): { set: { n: \($0.2) } } }" }
            return try Workflow(tasks: "- t: { \(tasks) }")
        }
        let changes = WorkflowChanges(from: try workflow(before), to: try workflow(after), digest: "sha256:0")
        #expect(changes.anew.map(\.description) == (place.map { ["/do/0/t\($0)"] } ?? []))
    }

    @Test func `a run goes on with a changed file behind what is kept`() async throws {
        func tasks(_ d: Int) -> String {
            """
            - a: { call: note, with: { what: a } }
            - b: { do: [{ c: { call: note, with: { what: c } } }, { d: { set: { d: \(d) } } }] }
            - f: { call: note, with: { what: f }, output: { as: $input } }
            - g: { wait: PT1H }
            """
        }
        let notes = Locked<[String]>([])
        let register: (inout Catalog) -> Void = { catalog in
            catalog.register("note", effect: .once) { input, _ in
                notes.withLock { $0.append(input["what"]?.string ?? "") }
                return .value("noted")
            }
        }
        let events = try await InterruptedRun.events(
            of: tasks(1), until: { $0.task?.tokens.last == "g" && $0.type.contains("started") }, register: register)
        let (before, after) = (try Workflow(tasks: tasks(1)), try Workflow(tasks: tasks(2)))
        let changes = WorkflowChanges(from: before, to: after, digest: "sha256:0")
        let process = CrashingRun(events: events)
        let output = try await process.resume(
            after, input: [:], by: .testing(register: register), blobs: BlobStore(), accepting: changes)
        #expect(output == ["d": 2])
        #expect(notes.withLock { $0 } == ["a", "c", "f", "f"])
        #expect(Set(process.events.map(\.number)).count == process.events.count)
    }
}
