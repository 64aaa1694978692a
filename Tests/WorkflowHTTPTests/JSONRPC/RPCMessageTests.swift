import Foundation
import Testing

@testable import WorkflowHTTP

struct RPCMessageTests {
    @Test func `takes null for no parameters where editors connect`() throws {
        let bytes = Data(#"{"jsonrpc":"2.0","id":1,"method":"m","params":null}"#.utf8)
        #expect(try RPCMessage(bytes, allowsNull: true) == .request(id: 1, method: "m", params: [:]))
        #expect(throws: RPCError.self) { try RPCMessage(bytes) }
    }

    @Test(arguments: [
        (
            #"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}"#,
            RPCMessage.request(id: 1, method: "m", params: ["a": 1])
        ),
        (#"{"jsonrpc":"2.0","id":"","method":"m"}"#, .request(id: "", method: "m", params: [:])),
        (#"{"jsonrpc":"2.0","id":-7,"method":"","params":[1]}"#, .request(id: -7, method: "", params: [1])),
        (#"{"jsonrpc":"2.0","method":"m","params":{}}"#, .notification(method: "m", params: [:])),
        (#"{"method":"m","jsonrpc":"2.0","more":null}"#, .notification(method: "m", params: [:])),
        (#"{"jsonrpc":"2.0","id":"a","result":null}"#, .response(id: "a", .success(nil))),
        (#"{"jsonrpc":"2.0","id":2,"result":{"a":[]}}"#, .response(id: 2, .success(["a": []]))),
        (
            #"{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no","data":[1]}}"#,
            .response(id: 2, .failure(RPCError(.method, "no", data: [1])))
        ),
        (
            #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#,
            .response(id: nil, .failure(RPCError(.parse, "no")))
        ),
        (
            #"{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}"#,
            .response(id: nil, .failure(RPCError(.parse, "no")))
        ),
        (
            #"{"jsonrpc":"2.0","id":2,"error":"no"}"#,
            .response(id: 2, .failure(RPCError(.failure, "an error without a message")))
        ),
    ])
    func `each form is read`(text: String, message: RPCMessage) throws {
        #expect(try RPCMessage(Data(text.utf8)) == message)
        #expect(try RPCMessage(message.value) == message)
    }

    @Test(arguments: [
        ("", RPCError.Code.parse), ("{", .parse), ("{} {}", .parse), (#"{"jsonrpc":"2.0","id":1,"id":1}"#, .parse),
        (String(repeating: "[", count: 201) + String(repeating: "]", count: 201), .parse),
        (String(repeating: "[", count: 100_000), .parse),
        ("[]", .request), (#"[{"jsonrpc":"2.0","method":"m"}]"#, .request), ("1", .request), ("null", .request),
        ("{}", .request), (#"{"method":"m"}"#, .request), (#"{"jsonrpc":2.0,"method":"m"}"#, .request),
        (#"{"jsonrpc":"2.0"}"#, .request), (#"{"jsonrpc":"2.0","id":1}"#, .request),
        (#"{"jsonrpc":"2.0","result":1}"#, .request), (#"{"jsonrpc":"2.0","id":null,"result":1}"#, .request),
        (#"{"jsonrpc":"2.0","id":1,"result":1,"error":{}}"#, .request),
        (#"{"jsonrpc":"2.0","id":null,"method":"m"}"#, .request),
        (#"{"jsonrpc":"2.0","id":1.5,"method":"m"}"#, .request),
        (#"{"jsonrpc":"2.0","id":true,"method":"m"}"#, .request),
        (#"{"jsonrpc":"2.0","id":[],"method":"m"}"#, .request),
        (#"{"jsonrpc":"2.0","id":1,"method":2}"#, .request),
        (#"{"jsonrpc":"2.0","id":1,"method":null}"#, .request),
        (#"{"jsonrpc":"2.0","id":1,"method":"m","params":null}"#, .request),
        (#"{"jsonrpc":"2.0","id":1,"method":"m","params":"p"}"#, .request),
    ])
    func `what is no message is refused`(text: String, code: RPCError.Code) {
        let error = #expect(throws: RPCError.self) { try RPCMessage(Data(text.utf8)) }
        #expect(error?.code == code)
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        #expect(throws: RPCError.self) {
            try RPCMessage(Data(#"{"jsonrpc":"2.0","method":""#.utf8 + [0xFF, 0x22, 0x7D]))
        }
    }

    @Test(arguments: [
        (#"{"id":1,"method":"m"}"#, 1 as Value), (#"{"id":"a","method":2}"#, "a"), (#"{"id":1.5,"method":"m"}"#, nil),
        (#"{"id":1}"#, nil), (#"{"id":1,"result":1,"error":1}"#, nil), (#"{"id":1,"method":"#, nil), ("[]", nil),
    ])
    func `a request that is not valid has an id if it can be read`(text: String, id: Value) {
        #expect(RPCMessage.requestID(in: Data(text.utf8)) == id)
    }

    @Test func `an error without an id is written without one`() {
        let message = RPCMessage.response(id: nil, .failure(RPCError(.parse, "no")))
        #expect(message.value.json() == #"{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}"#)
    }
}
