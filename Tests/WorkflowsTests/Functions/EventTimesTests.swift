import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// The times of events, and the days of those that last whole days.
struct EventTimesTests {
    private static func event(_ start: String, _ end: String, _ zone: String? = nil, isAllDay: Bool = false) -> Value {
        var event: Object = ["subject": "s", "start": .string(start), "end": .string(end)]
        event["timeZone"] = zone.map(Value.string)
        if isAllDay { event["isAllDay"] = true }
        return .object(event)
    }

    @Test(arguments: [
        ("2026-12-01T09:00", nil, "2026-12-01T09:00:00", "UTC"),
        ("2026-12-01T09:00:00.0000000", nil, "2026-12-01T09:00:00", "UTC"),
        ("2026-12-01T09:00:00.000", "Europe/Paris", "2026-12-01T09:00:00", "Europe/Paris"),
        ("2026-12-01T09:00:00Z", "Europe/Paris", "2026-12-01T10:00:00", "Europe/Paris"),
        ("2026-07-01T09:00:00.5Z", "Europe/Paris", "2026-07-01T11:00:00.5000000", "Europe/Paris"),
        ("2026-12-01T09:00:00+01:00", nil, "2026-12-01T08:00:00", "UTC"),
        ("2026-12-31T23:30:00-05:30", "Asia/Kolkata", "2027-01-01T10:30:00", "Asia/Kolkata"),
        ("2026-12-01T00:30+0900", "America/New_York", "2026-11-30T10:30:00", "America/New_York"),
        ("2026-12-01", "Europe/Paris", "2026-12-01T00:00:00", "Europe/Paris"),
        // Clocks in Paris show this time twice, and this machine does not know Windows's zones.
        ("2026-10-25T00:30:00Z", "Europe/Paris", "2026-10-25T00:30:00", "UTC"),
        ("2026-12-01T09:00:00+01:00", "W. Europe Standard Time", "2026-12-01T08:00:00", "UTC"),
        ("2026-12-01T09:00:00", "W. Europe Standard Time", "2026-12-01T09:00:00", "W. Europe Standard Time"),
    ])
    func `a time is sent as the same moment in the event's zone`(
        text: String, zone: String?, sent: String, sentZone: String
    ) async throws {
        let fixture = FunctionFixture(Sandbox())
        let with = Self.event(text, text, zone)
        let function = try #require(Catalog.default["createEvent"])
        #expect(function.check(with, files: WorkflowFiles(folder: nil)).isEmpty)
        _ = try await fixture.call("createEvent", with)
        let events = try await fixture.call("graph", ["path": "/me/events", "all": true])
        #expect(events[0]?["start"] == ["dateTime": .string(sent), "timeZone": .string(sentZone)])
        // What Graph says can be given again.
        let again = try #require(events[0]?["start"]?["dateTime"]?.string)
        _ = try await fixture.call("createEvent", Self.event(again, again, sentZone))
    }

    @Test(arguments: [
        "2026-02-29", "2026-13-01T09:00", "2026-12-01T24:00", "2026-12-01T09:60", "2026-12-01T09:00:60",
        "2026-12-01T09:00+24:00", "2026-12-01T09:00:00.", "2026-12-01T09", "2026-12-01 09:00", "tomorrow", "",
        "2026-12-01T09:00Z ", "2026-12-01T09:00:00Zulu", "٢٠٢٦-12-01",
    ])
    func `what is no time is refused`(text: String) async {
        let sandbox = Sandbox()
        #expect(await FunctionFixture(sandbox).problem("createEvent", Self.event(text, text))?["status"] == 400)
        #expect(sandbox.requests.isEmpty)
    }

    private static let zones = ["UTC", "Europe/Paris", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"]

    @Test func `an all-day event begins and ends at midnight, a day apart, everywhere`() async throws {
        var random = SeededGenerator(seed: 16)
        let function = try #require(Catalog.default["createEvent"])
        var fixture = FunctionFixture(Sandbox())
        let offsets = [0, 0, 0, 0, 1, 60, 3_600, 43_200, 86_399]
        for number in 0..<Extent.of(10_000, or: 60) {
            if number.isMultiple(of: 50) { fixture = FunctionFixture(Sandbox()) }
            let zone = Self.zones[number % Self.zones.count]
            let day = CivilDate.day(year: 2026, month: 1, day: 1) + Int.random(in: 0..<800, using: &random)
            let start = day * 86_400 + (offsets.randomElement(using: &random) ?? 0)
            let days = Int.random(in: 0...3, using: &random)
            let end = max(start, (day + days) * 86_400 + (offsets.randomElement(using: &random) ?? 0))
            func text(_ wall: Int) -> String {
                let iso = Date(timeIntervalSince1970: Double(wall)).formatted(.iso8601)
                return String(iso.dropLast()) + ["", ".000", ".0000000"][number % 3]
            }
            let isRight = start % 86_400 == 0 && end % 86_400 == 0 && end - start >= 86_400
            let with = Self.event(text(start), text(end), zone, isAllDay: true)
            #expect(function.check(with, files: WorkflowFiles(folder: nil)).isEmpty == isRight, "\(with.json())")
            let refused = await fixture.problem("createEvent", with)
            #expect(refused?["status"] == (isRight ? nil : 400), "\(with.json())")
            let body: Value = [
                "subject": "s", "isAllDay": true,
                "start": ["dateTime": .string(text(start)), "timeZone": .string(zone)],
                "end": ["dateTime": .string(text(end)), "timeZone": .string(zone)],
            ]
            let raw: Value = ["method": "POST", "path": "/me/events", "body": body]
            let problem = await fixture.problem("graph", raw)
            #expect(problem?["status"] == (isRight ? nil : 400), "\(body.json())")
        }
    }

    @Test func `an all-day event has one zone, and the moment counts`() async throws {
        let fixture = FunctionFixture(Sandbox())
        let paris = Self.event("2026-11-30T23:00:00Z", "2026-12-02T00:00:00+01:00", "Europe/Paris", isAllDay: true)
        _ = try await fixture.call("createEvent", paris)
        for wrong in [
            Self.event("2026-12-01T00:00:00Z", "2026-12-02T00:00:00Z", "Europe/Paris", isAllDay: true),
            Self.event("2026-12-01T00:00:00+01:00", "2026-12-02T00:00:00+01:00", isAllDay: true),
            Self.event("2026-12-01", "2026-12-01", isAllDay: true),
        ] {
            #expect(await fixture.problem("createEvent", wrong)?["status"] == 400)
        }
        let body: Value = [
            "subject": "s", "isAllDay": true, "start": ["dateTime": "2026-12-01T00:00:00", "timeZone": "UTC"],
            "end": ["dateTime": "2026-12-02T00:00:00", "timeZone": "Europe/Paris"],
        ]
        let raw: Value = ["method": "POST", "path": "/me/events", "body": body]
        #expect(await fixture.problem("graph", raw)?["status"] == 400)
    }

    @Test func `an event that would become an all-day one by a change stays as it is`() async throws {
        let fixture = FunctionFixture(Sandbox())
        let id = try #require(
            try await fixture.call("createEvent", Self.event("2026-12-01T09:00", "2026-12-01T10:00"))["id"]?.string)
        let change: Value = ["method": "PATCH", "path": .string("/me/events/\(id)"), "body": ["isAllDay": true]]
        #expect(await fixture.problem("graph", change)?["status"] == 400)
        let event = try await fixture.call("graph", ["path": .string("/me/events/\(id)")])
        #expect(event["isAllDay"] == false)
        let midnight: Value = [
            "isAllDay": true, "start": ["dateTime": "2026-12-01T00:00:00", "timeZone": "UTC"],
            "end": ["dateTime": "2026-12-02T00:00:00", "timeZone": "UTC"],
        ]
        _ = try await fixture.call("graph", change.setting(midnight, at: ["body"]))
    }
}
