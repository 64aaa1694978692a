import Foundation
import Promises

package import WorkflowHTTP

/// A server that answers every request with the given bytes, and records the requests.
package final class ScriptedServer: Sendable {
    /// What it does with a request.
    package enum Step: Sendable {
        /// Sends these bytes and keeps the connection open.
        case send(String)
        /// Sends these bytes and closes the connection.
        case sendAndClose(String)
        /// Sends nothing until the server is stopped.
        case keepSilent
    }

    /// A request, and its connection.
    package struct Asked: Sendable {
        package var connection: Int
        package var message: HTTPRequestParser.Message
    }

    private struct State {
        var steps: [Step]
        var asked: [Asked] = []
        var connections: [LoopbackSocket] = []
        var onRequest: (@Sendable () -> Void)?
    }

    package let port: Int
    private let socket: LoopbackSocket
    private let state: Locked<State>

    package init(_ steps: [Step], onRequest: (@Sendable () -> Void)? = nil) throws {
        socket = try LoopbackSocket.listening(.ipv4, port: 0)
        port = Int(socket.port)
        state = Locked(State(steps: steps, onRequest: onRequest))
        let (socket, state) = (socket, state)
        Thread.detachNewThread {
            while socket.waitToRead(for: .seconds(900)) == .ready, let connection = try? socket.accept() {
                let number = state.withLock { state in
                    state.connections.append(connection)
                    return state.connections.count
                }
                Thread.detachNewThread { Self.serve(connection, number, state) }
            }
        }
    }

    deinit {
        socket.shutDown()
        state.withLock { $0.connections }.forEach { $0.shutDown() }
    }

    package var asked: [Asked] { state.withLock { $0.asked } }

    package var url: URL { URL(string: "http://127.0.0.1:\(port)/path") ?? URL(filePath: "/") }

    /// Serves until the client or the server closes the connection.
    ///
    /// It never stays open without a reader: a client would wait for an answer in vain.
    private static func serve(_ socket: LoopbackSocket, _ number: Int, _ state: Locked<State>) {
        defer { socket.shutDown() }
        var parser = HTTPRequestParser()
        while true {
            switch try? parser.next() {
            case .message(let message):
                let (step, onRequest) = state.withLock { state in
                    state.asked.append(Asked(connection: number, message: message))
                    return (state.steps.isEmpty ? Step.sendAndClose("") : state.steps.removeFirst(), state.onRequest)
                }
                onRequest?()
                switch step {
                case .send(let text): _ = socket.send(Data(text.utf8), patience: .seconds(900))
                case .sendAndClose(let text):
                    _ = socket.send(Data(text.utf8), patience: .seconds(900))
                    return
                case .keepSilent: break
                }
            case .expectsContinue:
                _ = socket.send(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8), patience: .seconds(900))
            case .needsMore:
                guard socket.waitToRead(for: .seconds(900)) == .ready, let bytes = socket.receive() else { return }
                parser.append(bytes)
            case nil: return
            }
        }
    }
}
