import Promises
import TestSupport
import Testing
import Workflows

/// Swift functions and outputs whose types are Codable.
struct CodableFunctionTests {
    private struct Size: Codable, Sendable {
        var width: Int
        var note: String?
    }

    private struct Resized: Codable, Sendable, Equatable {
        var width: Int
        var note: String
    }

    private static func runner() -> Runner {
        .testing { catalog in
            catalog.register("double", effect: .read) { (size: Size, _) async throws -> Resized in
                await Task.yield()
                return Resized(width: size.width * 2, note: size.note ?? "‹none› 100 %")
            }
        }
    }

    private static func workflow(_ with: String) throws -> Workflow {
        try Workflow(
            text: """
                document: { dsl: 1.0.3, namespace: tests, name: double, version: 1.0.0 }
                do: [ { resize: { call: double, with: \(with) } } ]
                """)
    }

    @Test func `a function is asynchronous, and takes and returns Codable values`() async throws {
        let workflow = try Self.workflow(#"{ width: 21, note: "ü \"☕️\"" }"#)
        let output = try await Self.runner().run(workflow, as: Resized.self).value
        #expect(output == Resized(width: 42, note: "ü \"☕️\""))
        let other = try await Self.runner().run(try Self.workflow("{ width: 1 }")).value
        #expect(other == ["width": 2, "note": "‹none› 100 %"])
    }

    @Test func `an input of another shape faults the task, and an output of another shape rejects the promise`()
        async throws
    {
        let fault = await #expect(throws: WorkflowError.self) {
            try await Self.runner().run(try Self.workflow("{ width: wide }")).value
        }
        #expect(fault?.instance == "/do/0/resize")
        await #expect(throws: DecodingError.self) {
            try await Self.runner().run(try Self.workflow("{ width: 1 }"), as: [String].self).value
        }
    }

    @Test func `cancelling the run cancels the function's task`() async throws {
        let (cancelled, resolver) = Promise<Bool>.pending()
        let runner = Runner.testing { catalog in
            catalog.register("double", effect: .read) { (_: Size, _) async throws -> Resized in
                while !Task.isCancelled { await Task.yield() }
                resolver.fulfill(true)
                throw CancellationError()
            }
        }
        let run = runner.run(try Self.workflow("{ width: 1 }"))
        run.cauterize()
        await Task.yield()
        run.cancel()
        #expect(try await cancelled.value)
    }
}
