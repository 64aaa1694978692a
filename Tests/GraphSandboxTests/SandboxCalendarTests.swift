import Foundation
import TestSupport
import Testing
import GraphSandbox

/// The calendar that everybody has, and events that recur.
@Suite struct SandboxCalendarTests {
    private static let event: Value = [
        "subject": "Stand-up", "isOnlineMeeting": "false",
        "body": ["contentType": "HTML", "content": ""],
        "start": ["dateTime": "2026-12-01T09:00:00", "timeZone": "UTC"],
        "end": ["dateTime": "2026-12-01T09:15:00", "timeZone": "UTC"],
    ]

    @Test func `events are in the calendar`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let calendars = try #require(try await client.get("/me/calendars")["value"]?.array)
            #expect(calendars.map { $0["isDefaultCalendar"] } == [true])
            let id = try #require(calendars.first?["id"]?.string)
            #expect(try await client.get("/me/calendar")["id"] == .string(id))
            let made = try await client.send("POST", "/me/calendars/\(id)/events", json: Self.event)
            #expect(made.status == 201)
            #expect(try made.json["isOnlineMeeting"] == false)
            let event = try #require(try made.json["id"]?.string)
            #expect(try await client.get("/me/calendars/\(id)/events/\(event)")["type"] == "singleInstance")
            #expect(try await client.send("GET", "/me/calendars/other/events").status == 404)
            #expect(try await client.send("GET", "/me/calendar/calendarView").status == 501)
        }
    }

    @Test func `an event that recurs is the master of a series`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            var event = try #require(Self.event.object)
            event["recurrence"] = ["pattern": ["type": "daily", "interval": 1]]
            let broken = try await client.send("POST", "/me/events", json: .object(event))
            #expect(broken.errorCode == "ErrorPropertyValidationFailure")
            let recurrence: Value = [
                "pattern": ["type": "daily", "interval": 1], "range": ["type": "noEnd", "startDate": "2026-12-01"],
            ]
            event["recurrence"] = recurrence
            let made = try await client.send("POST", "/me/events", json: .object(event))
            #expect(try made.json["type"] == "seriesMaster")
            #expect(try made.json["recurrence"] == recurrence)
        }
    }
}
