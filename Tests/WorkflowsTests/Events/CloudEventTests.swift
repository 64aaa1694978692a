import Foundation
import Testing

@testable import Workflows

/// CloudEvents 1.0.2: the JSON format and the HTTP binding.
@Suite struct CloudEventTests {
    private static let whole: Value = [
        "specversion": "1.0", "id": "1", "source": "https://example.com", "type": "com.example.t",
        "time": "2026-01-31T12:00:00Z", "data": ["a": 1],
    ]

    @Test func `an event is read from JSON and written as it was`() throws {
        let event = try CloudEvent(Self.whole)
        #expect(event.type == "com.example.t")
        #expect(event.data == ["a": 1])
        #expect(event.rawData == "{\"a\":1}")
        #expect(event.envelope == Self.whole)
    }

    @Test(
        arguments: [
            ("specversion", "0.3", "the event's 'specversion' must be '1.0'"),
            ("id", "", "an event needs the attribute 'id', a string"),
            ("type", 1, "an event needs the attribute 'type', a string"),
            ("source", .null, "an event needs the attribute 'source', a string"),
            ("time", "yesterday", "the event's 'time' must be a date and time such as '2026-01-31T12:00:00Z'"),
            ("Camel", "a", "'Camel' cannot be the name of an event's attribute"),
            ("list", ["a"], "the event's attribute 'list' must be a string, a boolean or an integer"),
            ("data_base64", "AAAA", "an event cannot have both 'data' and 'data_base64'"),
        ] as [(String, Value, String)])
    func `what is no event is refused`(name: String, value: Value, message: String) {
        var members = Self.whole.object ?? [:]
        members[name] = value
        let error = #expect(throws: CloudEventError.self) { try CloudEvent(.object(members)) }
        #expect(error?.description == message)
    }

    @Test func `an event's data can be bytes in base64, and nothing else is taken for that`() throws {
        var members = Self.whole.object ?? [:]
        members["data"] = nil
        members["data_base64"] = "aGVsbG8="
        let event = try CloudEvent(.object(members))
        #expect(event.rawData == "aGVsbG8=")
        #expect(event.envelope == .object(members))
        for bytes in ["hello!", 1, ["aGVsbG8="]] as [Value] {
            members["data_base64"] = bytes
            let error = #expect(throws: CloudEventError.self) { try CloudEvent(.object(members)) }
            #expect(error?.description == "'data_base64' must be in base64")
        }
    }

    @Test func `binary mode has attributes in header fields and data in the body`() throws {
        let headers: HTTPHeaders = [
            "ce-specversion": "1.0", "ce-id": "1", "ce-source": "https://example.com/%C3%A4", "ce-type": "t",
            "Content-Type": "application/json; charset=utf-8",
        ]
        let event = try CloudEvent(headers: headers, body: Data("{ \"a\": 1 }".utf8))
        #expect(event.source == "https://example.com/ä")
        #expect(event.data == ["a": 1])
        #expect(event.rawData == "{ \"a\": 1 }")
        #expect(event.envelope["datacontenttype"] == "application/json; charset=utf-8")
    }

    @Test(
        arguments: [("text/plain", "hello", "data"), ("image/png", "aGVsbG8=", "data_base64")]
            as [(String, Value, String)])
    func `data that are no JSON are text or base64`(type: String, data: Value, member: String) throws {
        let headers: HTTPHeaders = [
            "ce-specversion": "1.0", "ce-id": "1", "ce-source": "s", "ce-type": "t", "Content-Type": type,
        ]
        let event = try CloudEvent(headers: headers, body: Data("hello".utf8))
        #expect(event.envelope[member] == data)
    }
}
