import Foundation
import Promises
package import Workflows

/// Functions of the default catalog over a sandbox, over a plan, or over a script.
package struct FunctionFixture {
    package let context: FunctionContext
    package var graph: GraphClient { context.graph }

    package init(_ sandbox: Sandbox, files: WorkflowFiles = WorkflowFiles(folder: nil)) {
        self.init(transport: sandbox.transport, files: files)
    }

    package init(transport: any HTTPTransport, files: WorkflowFiles = WorkflowFiles(folder: nil)) {
        let graph = GraphClient(
            credential: .fixed(AccessToken("sandbox")), transport: transport, clock: ImpatientClock(), environment: [:])
        context = FunctionContext(graph: graph, files: files)
    }

    package func call(_ name: String, _ input: Value) async throws -> Value {
        guard let function = Catalog.default[name] else { throw FunctionError("there is no function '\(name)'") }
        return try await function(input, in: context).value
    }

    /// The problem that a call ends with.
    package func problem(_ name: String, _ input: Value) async -> Object? {
        do {
            _ = try await call(name, input)
            return nil
        } catch {
            return (error as? any ProblemConvertible)?.problem
        }
    }
}

/// A folder that exists while a test runs.
package final class TemporaryFolder {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "graphflow-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    package func write(_ name: String, _ data: Data) throws {
        let file = url.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file)
    }

    package func write(_ name: String, _ text: String) throws { try write(name, Data(text.utf8)) }

    /// Writes a new file of its own name, and returns its path.
    package func file(_ text: String, mode: Int = 0o600) throws -> String {
        let name = "\(UUID().uuidString).yaml"
        try write(name, text)
        let path = url.appending(path: name).path(percentEncoded: false)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    package func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: url.appending(path: name).path(percentEncoded: false), withDestinationPath: target)
    }
}
