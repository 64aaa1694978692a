import Foundation
import Promises

/// A ``Sandbox`` behind HTTP/1.1 at 127.0.0.1 and ::1, for browsers, other programs and other processes.
///
/// Only this machine reaches it, and only under this machine's names. Dropped connections and truncated bodies are
/// played for real.
public final class SandboxServer: Sendable {
    /// Why the server could not be started.
    public struct StartError: Error, Sendable, Hashable, CustomStringConvertible {
        /// What is wrong, in words for people.
        public var description: String
    }

    /// The sandbox that answers.
    public let sandbox: Sandbox

    private let listener = Locked<LoopbackListener?>(nil)

    /// Creates a server that is not started yet.
    public init(_ sandbox: Sandbox) {
        self.sandbox = sandbox
    }

    deinit { stop() }

    /// Begins to listen.
    /// - Parameter port: The port; 0 for any that is free.
    /// - Returns: The port that it listens at.
    /// - Throws: ``StartError`` where the port is taken or not allowed, or the server runs already.
    @discardableResult
    public func start(port: Int = 0) throws(StartError) -> Int {
        guard let number = UInt16(exactly: port) else {
            throw StartError(description: "\(port) is not a port: give a number from 0 to 65535")
        }
        guard listener.withLock({ $0 == nil }) else { throw StartError(description: "the server runs already") }
        let made: LoopbackListener
        do {
            made = try LoopbackListener(port: number, isReset: { [sandbox] in sandbox.isReset($0) }) {
                [sandbox] request in
                let answer = sandbox.answer(request)
                // The thread is the connection's own.
                if answer.delay > .zero { Thread.sleep(forTimeInterval: answer.delay.seconds) }
                sandbox.finish(answer)
                return (answer.response, answer.delivery)
            }
        } catch {
            throw StartError(
                description: error.isAddressInUse
                    ? "port \(port) is in use" : "cannot listen at port \(port): \(error.description)")
        }
        let isFirst = listener.withLock { listener in
            guard listener == nil else { return false }
            listener = made
            return true
        }
        guard isFirst else {
            made.stop()
            throw StartError(description: "the server runs already")
        }
        sandbox.setOrigin("http://127.0.0.1:\(made.port)")
        made.run()
        return Int(made.port)
    }

    /// Stops listening and ends all connections.
    public func stop() {
        listener.withLock { listener in
            defer { listener = nil }
            return listener
        }?.stop()
    }
}
