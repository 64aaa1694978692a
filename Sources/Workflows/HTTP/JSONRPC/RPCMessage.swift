/// A message of JSON-RPC 2.0.
package enum RPCMessage: Sendable, Equatable {
    case request(id: Value, method: String, params: Value)
    case notification(method: String, params: Value)
    /// The answer to a request; the id is null, or missing in the stream, if the request could not be read.
    case response(id: Value, Result<Value, RPCError>)

    /// A message can have at most this many levels.
    static let depthLimit = 200

    /// Reads a message.
    /// - Parameter allowsNull: Whether null stands for no parameters, which editors write.
    /// - Throws: ``RPCError`` if it is none; batches, which no protocol here has, are none.
    package init(_ bytes: Data, allowsNull: Bool = false) throws(RPCError) {
        var value: Value
        do throws(ReadingError) {
            value = try Value(strictJSON: bytes, depthLimit: Self.depthLimit)
        } catch {
            throw RPCError(.parse, error.diagnostics.first?.message ?? "the message is not JSON")
        }
        if allowsNull, value["params"]?.isNull ?? false, case .object(var members) = value {
            members["params"] = nil
            value = .object(members)
        }
        try self.init(value)
    }

    package init(_ value: Value) throws(RPCError) {
        guard let members = value.object, members["jsonrpc"] == "2.0" else {
            throw RPCError(.request, "a message must be an object with 'jsonrpc': '2.0'")
        }
        let id = members["id"]
        if let id {
            switch id {
            case .string, .integer: break
            case .null where members["error"] != nil: break
            default: throw RPCError(.request, "'id' must be a string or an integer")
            }
        }
        guard let method = members["method"] else {
            guard let id = id ?? members["error"].map({ _ in Value.null }) else {
                throw RPCError(.request, "the message has neither 'method' nor 'id'")
            }
            switch (members["result"], members["error"]) {
            case (let result?, nil): self = .response(id: id, .success(result))
            case (nil, let error?): self = .response(id: id, .failure(RPCError(error)))
            default: throw RPCError(.request, "an answer must have either 'result' or 'error'")
            }
            return
        }
        guard let method = method.string else { throw RPCError(.request, "'method' must be a string") }
        let params = members["params"] ?? [:]
        guard params.object != nil || params.array != nil else {
            throw RPCError(.request, "'params' must be an object or an array")
        }
        if let id {
            guard !id.isNull else { throw RPCError(.request, "'id' must be a string or an integer") }
            self = .request(id: id, method: method, params: params)
        } else {
            self = .notification(method: method, params: params)
        }
    }

    /// The id of a request that is not valid, so that its sender learns which one; null if there is none.
    static func requestID(in bytes: Data) -> Value {
        guard let members = try? Value(strictJSON: bytes, depthLimit: depthLimit).object, members["method"] != nil
        else { return .null }
        switch members["id"] {
        case .string(let id): return .string(id)
        case .integer(let id): return .integer(id)
        default: return .null
        }
    }

    package var value: Value {
        switch self {
        case .request(let id, let method, let params):
            ["jsonrpc": "2.0", "id": id, "method": .string(method), "params": params]
        case .notification(let method, let params):
            ["jsonrpc": "2.0", "method": .string(method), "params": params]
        case .response(let id, .success(let result)): ["jsonrpc": "2.0", "id": id, "result": result]
        case .response(let id, .failure(let error)):
            .members([("jsonrpc", "2.0"), ("id", id.isNull ? Value?.none : id), ("error", error.value)])
        }
    }

    /// The message on one line, in which characters that control a terminal are escaped.
    package var json: Data { Data(value.json().escapingControls.utf8) }
}

/// An error of JSON-RPC 2.0.
package struct RPCError: Error, Sendable, Equatable {
    package struct Code: RawRepresentable, Sendable, Hashable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        package static let parse = Code(rawValue: -32_700)
        package static let request = Code(rawValue: -32_600)
        package static let method = Code(rawValue: -32_601)
        package static let params = Code(rawValue: -32_602)
        package static let failure = Code(rawValue: -32_603)
        /// Too many requests are in progress.
        package static let busy = Code(rawValue: -32_000)
    }

    package var code: Code
    package var message: String
    package var data: Value?

    package init(_ code: Code, _ message: String, data: Value? = nil) {
        (self.code, self.message, self.data) = (code, message, data)
    }

    /// The error of a failed answer; what is not meant for the peer by its type is an internal error.
    init(any error: any Error) { self = (error as? RPCError) ?? RPCError(.failure, "\(error)") }

    /// Reads the error of an answer; whatever is missing gets a default.
    init(_ value: Value) {
        code = Code(rawValue: value["code"]?.integer ?? Code.failure.rawValue)
        message = value["message"]?.string ?? "an error without a message"
        data = value["data"]
    }

    var value: Value {
        .members([("code", .integer(code.rawValue)), ("message", .string(message)), ("data", data)])
    }
}
