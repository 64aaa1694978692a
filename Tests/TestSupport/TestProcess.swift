import Foundation
package import Promises
import WorkflowHTTP

/// A program in a process of its own, whose output is read while it runs.
///
/// Not Foundation's `Process`: to close descriptors it reads /proc/self/fd, and copies 256 bytes for each name in it,
/// beyond the end of what was read. That ends the tests once in some hundred starts.
package final class TestProcess: Sendable {
    /// The result of a process.
    package struct Result: Sendable {
        /// The exit code, or the number of the signal that ended it.
        package var status: Int32
        package var output: String
        package var error: String
    }

    /// The process ended before the awaited event.
    package struct EndedEarly: Error {
        package var result: Result
    }

    private let identifier: Int32
    private let ended: Promise<Int32>
    private let output: PipeReader
    private let error: PipeReader

    /// Starts a program.
    /// - Parameters:
    ///   - path: The path of its file.
    ///   - arguments: The arguments after its name.
    ///   - environment: All its environment variables.
    ///   - folder: The working folder; nil for that of the tests.
    package init(
        _ path: String, _ arguments: [String] = [], environment: [String: String], folder: URL? = nil
    ) throws {
        let (output, error) = (try Descriptor.pipe(), try Descriptor.pipe())
        defer { for descriptor in [output.writing, error.writing] { descriptor.close() } }
        let identifier = try SystemCall.spawn(
            path, [path] + arguments, environment: environment, folder: folder?.path(percentEncoded: false),
            output: output.writing, error: error.writing)
        let (ended, resolver) = Promise<Int32>.pending()
        Thread.detachNewThread { resolver.fulfill(SystemCall.awaitEnd(of: identifier)) }
        self.identifier = identifier
        self.ended = ended
        self.output = PipeReader(output.reading)
        self.error = PipeReader(error.reading)
    }

    /// The first line of standard output, without its line break, as soon as it is written.
    package func firstLine() async throws -> String { try await output.firstLine.value }

    /// Standard error so far, as soon as it satisfies the condition, at the latest when the process ends.
    package func errorText(_ isEnough: @escaping @Sendable (String) -> Bool) async throws -> String {
        try await error.text(isEnough).value
    }

    /// Waits for something that happens while the process is running.
    /// - Throws: ``EndedEarly`` if the process ends first.
    package func waits(for promise: Promise<Void>) async throws {
        let isEarly = try await race(promise.map { false }, ended.map { _ in true }).value
        if isEarly { throw EndedEarly(result: try await result()) }
    }

    /// Sends a signal to the process.
    package func send(_ signal: Int32) { kill(identifier, signal) }

    /// Waits on this thread for the result of the process.
    package func wait() throws -> Result {
        let status = try ended.wait()
        return Result(status: status, output: try output.all.wait(), error: try error.all.wait())
    }

    /// The result of the process, once it has ended.
    package func result() async throws -> Result {
        let status = try await ended.value
        return Result(status: status, output: try await output.all.value, error: try await error.all.value)
    }
}

/// Reads a pipe to its end on its own thread: a test that blocks one of the few shared threads would hold up others.
private final class PipeReader: Sendable {
    private struct State {
        var text = ""
        var hasEnded = false
        var waiting: [(isEnough: @Sendable (String) -> Bool, resolver: Resolver<String>)] = []
    }

    let firstLine: Promise<String>
    let all: Promise<String>
    private let state = Locked(State())

    init(_ pipe: Descriptor) {
        let (firstLine, lineResolver) = Promise<String>.pending()
        let (all, allResolver) = Promise<String>.pending()
        self.firstLine = firstLine
        self.all = all
        Thread.detachNewThread { [state] in
            defer { pipe.close() }
            var data = Data()
            while case .bytes(let chunk) = pipe.read() {
                data += chunk
                let text = String(decoding: data, as: UTF8.self)
                if let end = text.firstIndex(of: "\n") { lineResolver.fulfill(String(text[..<end])) }
                Self.tell(text, state)
            }
            let text = String(decoding: data, as: UTF8.self)
            state.withLock { $0.hasEnded = true }
            Self.tell(text, state)
            lineResolver.fulfill(text)
            allResolver.fulfill(text)
        }
    }

    /// The text so far, as soon as it satisfies the condition or is complete.
    func text(_ isEnough: @escaping @Sendable (String) -> Bool) -> Promise<String> {
        let (promise, resolver) = Promise<String>.pending()
        let text = state.withLock { state in
            state.waiting.append((isEnough, resolver))
            return state.text
        }
        Self.tell(text, state)
        return promise
    }

    private static func tell(_ text: String, _ state: Locked<State>) {
        let (waiting, hasEnded) = state.withLock { state in
            if text.utf8.count > state.text.utf8.count { state.text = text }
            return (state.waiting, state.hasEnded)
        }
        for waiter in waiting where hasEnded || waiter.isEnough(text) { waiter.resolver.fulfill(text) }
    }
}
