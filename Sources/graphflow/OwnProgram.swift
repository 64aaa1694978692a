import Essentials
import Promises
import WorkflowHTTP

/// This program, started once more with other arguments.
struct OwnProgram: Sendable {
    /// Why it did not begin its work.
    struct Refusal: Error {
        /// What it said.
        var text: String
    }

    let environment: [String: String]
    var path = Self.running

    /// Starts the program in a session of its own, so that it goes on when this one ends.
    /// - Parameters:
    ///   - arguments: The arguments after its name.
    ///   - hasBegun: Whether it has begun its work; asked until it has, or has ended.
    /// - Throws: ``Refusal`` if it ends with an error before it has begun.
    func start(_ arguments: [String], until hasBegun: () -> Bool) throws {
        let messages = try UnnamedFile()
        let error = try Descriptor.sharing(messages)
        defer { error.close() }
        let process = try SystemCall.spawn(
            path, ["graphflow"] + arguments, environment: environment, error: error)
        let status = Locked<Int32?>(nil)
        SystemThread.start {
            let ended = SystemCall.awaitEnd(of: process)
            status.withLock { $0 = ended }
        }
        while true {
            let ended = status.withLock { $0 }
            if ended == 0 || ended == nil && hasBegun() { return }
            guard ended == nil else {
                let text = (try? messages.mapped(messages.size)).map { String(decoding: $0, as: UTF8.self) } ?? ""
                throw Refusal(text: text.isEmpty ? "it ended with status \(ended ?? 0)" : text)
            }
            SystemThread.sleep(seconds: 0.05)
        }
    }

    /// The path of this program.
    private static var running: String {
        #if canImport(Darwin)
            CommandLine.arguments.first ?? "graphflow"
        #else
            "/proc/self/exe"
        #endif
    }
}
