import Foundation
import Promises
import Testing

@testable import WorkflowHTTP

/// A connection over pipes, and the other side, which sends and reads bytes.
final class RPCPeer {
    let connection: RPCConnection
    private let framing: RPCFraming
    private typealias Pipe = (reading: Descriptor, writing: Descriptor)

    private let input: Pipe
    private let output: Pipe
    private var reader: RPCReader
    private let ended: Promise<Void>
    private var isReading = true
    private var isWriting = true

    init(
        _ framing: RPCFraming = .lines, limits: RPCConnection.Limits = RPCConnection.Limits(),
        answer: @escaping RPCConnection.Answering = { _, params, _ in .value(params) },
        notified: @escaping RPCConnection.Notified = { _, _, _ in }
    ) throws {
        let (toConnection, fromConnection) = (try Descriptor.pipe(), try Descriptor.pipe())
        (input, output) = (toConnection, fromConnection)
        self.framing = framing
        reader = RPCReader(framing, limit: 100 << 20)
        let connection = RPCConnection(
            input: toConnection.reading.number, output: fromConnection.writing.number, framing, limits: limits,
            answer: answer, notified: notified)
        self.connection = connection
        let (ended, resolver) = Promise<Void>.pending()
        self.ended = ended
        SystemThread.start {
            connection.run()
            resolver.fulfill(())
        }
    }

    /// Sends a line, or text as it is.
    func send(_ text: String) throws {
        try SystemCall.write(input.writing.number, all: Data((framing == .lines ? text + "\n" : text).utf8))
    }

    /// Sends what ``send(_:)`` does, from another thread.
    var sender: @Sendable (String) throws -> Void {
        { [number = input.writing.number] in try SystemCall.write(number, all: Data(($0 + "\n").utf8)) }
    }

    func request(_ id: Value, _ method: String, _ params: Value = [:]) throws {
        let bytes = framing.bytes(of: .request(id: id, method: method, params: params))
        try SystemCall.write(input.writing.number, all: bytes)
    }

    /// The connection's next message; nil at its end.
    func next() throws -> RPCMessage? {
        var part = [UInt8](repeating: 0, count: 4_096)
        while true {
            if case .message(let content)? = reader.next() { return try RPCMessage(content) }
            let count = try SystemCall.readSome(output.reading.number, into: &part)
            guard count > 0 else { return nil }
            reader.append(Data(part[..<count]))
        }
    }

    /// The error that the connection answers next, and the id of the request.
    func nextError() throws -> (id: Value, code: RPCError.Code) {
        let message = try next()
        guard case .response(let id, .failure(let error))? = message else {
            Issue.record("\(String(describing: message)) is no error")
            return (nil, .failure)
        }
        return (id, error.code)
    }

    func stopReading() {
        output.reading.close()
        isReading = false
    }

    func stopWriting() {
        input.writing.close()
        isWriting = false
    }

    /// Ends both directions, once the connection has ended.
    func end() async throws {
        if isWriting { input.writing.close() }
        try await ended.value
        connection.drain(for: .seconds(900))
        input.reading.close()
        output.writing.close()
        if isReading { output.reading.close() }
    }
}
