/// Serves a ``Sandbox`` over HTTP/1.1 at 127.0.0.1 and ::1, for browsers and other programs.
///
/// It can be reached only from this machine, under this machine's names. It really drops connections and truncates
/// bodies.
public final class SandboxServer: Sendable {
    /// Why the server could not be started.
    public struct StartError: Error, Sendable, Hashable, CustomStringConvertible {
        /// A description of the error.
        public var description: String
    }

    /// The sandbox that answers.
    public let sandbox: Sandbox

    private let listener = Locked<LoopbackListener?>(nil)

    /// Nil for http.
    private let identity: TLSIdentity?

    /// Creates a server; ``start(port:)`` starts it.
    public convenience init(_ sandbox: Sandbox) { self.init(sandbox, identity: nil) }

    package init(_ sandbox: Sandbox, identity: TLSIdentity?) {
        self.sandbox = sandbox
        self.identity = identity
    }

    deinit { stop() }

    /// Starts to listen.
    /// - Parameter port: The port; 0 for any free one.
    /// - Returns: The port that it listens on.
    /// - Throws: ``StartError`` if the port is in use or not allowed, or the server is running.
    @discardableResult
    public func start(port: Int = 0) throws(StartError) -> Int {
        guard let number = UInt16(exactly: port) else {
            throw StartError(description: "\(port) is not a port: give a number from 0 to 65535")
        }
        guard listener.withLock({ $0 == nil }) else { throw StartError(description: "the server runs already") }
        let made: LoopbackListener
        do {
            made = try LoopbackListener(
                port: number, isReset: { [sandbox] in sandbox.isReset($0) }, bodyLimit: Sandbox.bodyLimit,
                identity: identity
            ) { [sandbox] request in
                var answer = sandbox.answer(request)
                if let subscription = answer.handshake,
                    let end = try? sandbox.validate(subscription, answer).wait()
                {
                    answer = end
                }
                // The thread belongs to the connection, so it may sleep.
                if answer.delay > .zero { SystemThread.sleep(seconds: answer.delay.seconds) }
                sandbox.finish(answer)
                return (answer.response, answer.delivery)
            }
        } catch {
            throw StartError(
                description: error.isAddressInUse
                    ? "port \(port) is in use" : "cannot listen on port \(port): \(error.description)")
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
        sandbox.setOrigin("\(made.scheme)://127.0.0.1:\(made.port)")
        made.run()
        return Int(made.port)
    }

    /// Stops listening and closes all connections.
    public func stop() { listener.take()?.stop() }
}
