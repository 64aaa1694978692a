import Foundation
import Testing

@testable import Workflows

/// Cron expressions; `Tests/Conformance/cron.py` compares thousands of them with another implementation.
struct CronExpressionTests {
    private let berlin = try? SystemTimeZone(identifier: "Europe/Berlin")

    private func times(_ text: String, after start: String, in zone: SystemTimeZone?, count: Int = 3) throws -> [String]
    {
        let zone = try #require(zone)
        let expression = try CronExpression(text)
        var moment = try Date(start, strategy: .iso8601)
        return try (0..<count).map { _ in
            moment = try #require(expression.next(after: moment, in: zone))
            return zone.text(of: moment)
        }
    }

    @Test(arguments: [
        ("*/15 * * * *", ["2026-01-01T00:15:00Z", "2026-01-01T00:30:00Z", "2026-01-01T00:45:00Z"]),
        ("0 9 * * MON-FRI", ["2026-01-01T09:00:00Z", "2026-01-02T09:00:00Z", "2026-01-05T09:00:00Z"]),
        ("5,10 0-4/2 1 jan *", ["2026-01-01T00:05:00Z", "2026-01-01T00:10:00Z", "2026-01-01T02:05:00Z"]),
        ("0 0 29 2 *", ["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z", "2036-02-29T00:00:00Z"]),
        // Either day is enough: the 13th, and Fridays.
        ("0 0 13 * FRI", ["2026-01-02T00:00:00Z", "2026-01-09T00:00:00Z", "2026-01-13T00:00:00Z"]),
        ("0 0 * * 7", ["2026-01-04T00:00:00Z", "2026-01-11T00:00:00Z", "2026-01-18T00:00:00Z"]),
        ("5/20 * * * *", ["2026-01-01T00:05:00Z", "2026-01-01T00:25:00Z", "2026-01-01T00:45:00Z"]),
        ("0 0 * * WED/2", ["2026-01-02T00:00:00Z", "2026-01-07T00:00:00Z", "2026-01-09T00:00:00Z"]),
        ("0 0 * * SUN/3", ["2026-01-03T00:00:00Z", "2026-01-04T00:00:00Z", "2026-01-07T00:00:00Z"]),
        ("@hourly", ["2026-01-01T01:00:00Z", "2026-01-01T02:00:00Z", "2026-01-01T03:00:00Z"]),
        ("@weekly", ["2026-01-04T00:00:00Z", "2026-01-11T00:00:00Z", "2026-01-18T00:00:00Z"]),
        ("@monthly", ["2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z", "2026-04-01T00:00:00Z"]),
        ("0 0 31 * *", ["2026-01-31T00:00:00Z", "2026-03-31T00:00:00Z", "2026-05-31T00:00:00Z"]),
    ])
    func `times follow each other`(text: String, expected: [String]) throws {
        #expect(try times(text, after: "2026-01-01T00:00:00Z", in: .utc) == expected)
    }

    @Test func `a time that clocks leave out comes once, right after the gap`() throws {
        #expect(
            try times("30 2 * * *", after: "2026-03-28T00:00:00Z", in: berlin)
                == ["2026-03-28T02:30:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"])
        #expect(
            try times("0,20,40 2,3 * * *", after: "2026-03-28T23:00:00Z", in: berlin)
                == ["2026-03-29T03:00:00+02:00", "2026-03-29T03:20:00+02:00", "2026-03-29T03:40:00+02:00"])
    }

    @Test func `a time that clocks show twice comes once`() throws {
        #expect(
            try times("30 2 * * *", after: "2026-10-24T12:00:00Z", in: berlin)
                == ["2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00", "2026-10-27T02:30:00+01:00"])
        #expect(
            try times("30 1,2,3 * * *", after: "2026-10-25T00:00:00Z", in: berlin)
                == ["2026-10-25T02:30:00+02:00", "2026-10-25T03:30:00+01:00", "2026-10-26T01:30:00+01:00"])
    }

    @Test func `a schedule of every hour goes on as time passes`() throws {
        #expect(
            try times("30 * * * *", after: "2026-10-24T23:45:00Z", in: berlin)
                == ["2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00", "2026-10-25T03:30:00+01:00"])
        #expect(
            try times("30 * * * *", after: "2026-03-29T00:00:00Z", in: berlin, count: 2)
                == ["2026-03-29T01:30:00+01:00", "2026-03-29T03:30:00+02:00"])
    }

    @Test func `clocks that change at midnight, or by half an hour, are no exception`() throws {
        // Midnight of 2018-11-04 does not exist in São Paulo.
        #expect(
            try times(
                "0 0 * * *", after: "2018-11-03T12:00:00Z", in: try SystemTimeZone(identifier: "America/Sao_Paulo"),
                count: 2)
                == ["2018-11-04T01:00:00-02:00", "2018-11-05T00:00:00-02:00"])
        #expect(
            try times(
                "45 1 * * *", after: "2026-04-04T00:00:00Z", in: try SystemTimeZone(identifier: "Australia/Lord_Howe"),
                count: 2)
                == ["2026-04-05T01:45:00+11:00", "2026-04-06T01:45:00+10:30"])
    }

    @Test func `a day that clocks show almost twice comes again for a schedule of every hour`() throws {
        // Kwajalein moved across the date line: its clocks were set back by 23 hours.
        let kwajalein = try SystemTimeZone(identifier: "Pacific/Kwajalein")
        #expect(
            try times("30 * * * *", after: "1969-09-30T12:00:00Z", in: kwajalein)
                == ["1969-09-30T23:30:00+11:00", "1969-09-30T01:30:00-12:00", "1969-09-30T02:30:00-12:00"])
    }

    @Test(arguments: [
        "", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * 32 * *", "* * * 13 *", "* * * * 8",
        "*/0 * * * *", "1-0 * * * *", "a * * * *", "1,,2 * * * *", "1/2/3 * * * *", "-1 * * * *", "+1 * * * *",
        "@reboot",
        "@never", "@daily 5", "0 0 30 2 *", "0 0 31 4,6 *", "99999999999999999999 * * * *", "* * * MON *",
        "1-2-3 * * * *",
        "L * * * *", "٣ * * * *",
    ])
    func `what is no cron expression is refused`(text: String) {
        #expect(throws: CronError.self) { try CronExpression(text) }
    }
}
