import Foundation
import Promises

/// The built program, run in its own process.
final class GraphflowProcess: Sendable {
    /// The result of a process.
    struct Result: Sendable {
        var status: Int32
        var output: String
        var error: String
    }

    /// The process ended before the awaited event.
    struct EndedEarly: Error {
        var result: Result
    }

    private let identifier: Int32
    private let ended: Promise<Int32>
    private let output: PipeReader
    private let error: PipeReader

    /// Starts the program.
    /// - Parameters:
    ///   - arguments: The arguments after its name.
    ///   - environment: Variables in addition to those that any program needs.
    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        let process = Process()
        process.executableURL = try Self.executable
        process.arguments = arguments
        process.environment = [
            "PATH": "/usr/bin:/bin", "HOME": NSTemporaryDirectory(), "GRAPHFLOW_HOME": TestHome.path,
        ].merging(environment) { $1 }
        let (outputPipe, errorPipe) = (Pipe(), Pipe())
        process.standardOutput = outputPipe
        process.standardError = errorPipe
        process.standardInput = FileHandle.nullDevice
        let (ended, resolver) = Promise<Int32>.pending()
        process.terminationHandler = { resolver.fulfill($0.terminationStatus) }
        try process.run()
        identifier = process.processIdentifier
        self.ended = ended
        output = PipeReader(outputPipe)
        error = PipeReader(errorPipe)
    }

    /// The program next to the tests' executable.
    private static var executable: URL {
        get throws {
            let tests = URL(
                fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            return tests.deletingLastPathComponent().appendingPathComponent("graphflow")
        }
    }

    /// The first line of standard output, without its line break, as soon as it is written.
    func firstLine() async throws -> String { try await output.firstLine.value }

    /// Standard error so far, as soon as it satisfies the condition, at the latest when the process ends.
    func errorText(_ isEnough: @escaping @Sendable (String) -> Bool) async throws -> String {
        try await error.text(isEnough).value
    }

    /// Waits for something that happens while the process is running.
    /// - Throws: ``EndedEarly`` if the process ends first.
    func waits(for promise: Promise<Void>) async throws {
        let isEarly = try await race(promise.map { false }, ended.map { _ in true }).value
        if isEarly { throw EndedEarly(result: try await result()) }
    }

    /// Sends a signal to the process.
    func send(_ signal: Int32) { kill(identifier, signal) }

    /// The result of the process, once it has ended.
    func result() async throws -> Result {
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

    init(_ pipe: Pipe) {
        let (firstLine, lineResolver) = Promise<String>.pending()
        let (all, allResolver) = Promise<String>.pending()
        self.firstLine = firstLine
        self.all = all
        let descriptor = dup(pipe.fileHandleForReading.fileDescriptor)
        Thread.detachNewThread { [state] in
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            var data = Data()
            while true {
                // Not read(upToCount:), which waits for the full count.
                let chunk = handle.availableData
                guard !chunk.isEmpty else { break }
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
