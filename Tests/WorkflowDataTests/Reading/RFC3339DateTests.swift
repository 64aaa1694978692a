import Foundation
import Testing

@testable import WorkflowData

/// Times from outside, of which only those that exist count.
struct RFC3339DateTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0.0), ("2026-01-05T09:00:00Z", 1_767_603_600), ("2024-02-29T00:00:00Z", 1_709_164_800),
        ("2000-02-29t00:00:00z", 951_782_400), ("2026-01-05T09:00:00.5Z", 1_767_603_600.5),
        ("2026-01-05T09:00:00.250000000+00:00", 1_767_603_600.25), ("2026-01-05T10:30:00+01:30", 1_767_603_600),
        ("2026-01-04T10:00:00-23:00", 1_767_603_600), ("2026-01-05T09:00:00-00:00", 1_767_603_600),
        ("1969-12-31T23:59:59Z", -1), ("9999-12-31T23:59:59Z", 253_402_300_799),
        ("0001-01-01T00:00:00Z", -62_135_596_800),
    ])
    func `a time that exists is read`(_ text: String, _ seconds: Double) {
        #expect(Date(rfc3339: text) == Date(timeIntervalSince1970: seconds))
    }

    @Test(arguments: [
        "2026-02-31T00:00:00Z", "2026-02-30T00:00:00.5Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
        "2100-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
        "2026-01-00T00:00:00Z", "2026-01-32T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T25:00:00Z",
        "2026-01-01T00:60:00Z", "2026-01-01T00:00:61Z", "2016-12-31T23:59:60Z", "2026-01-01T00:00:60Z",
        "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00+14:60", "2026-01-01T00:00:00-99:00",
        "2026-01-01T00:00:00+0100", "2026-01-01T00:00:00+01", "2026-01-01T00:00:00", "2026-1-1T00:00:00Z",
        "2026-01-01 00:00:00Z", " 2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z ", "2026-01-01T00:00:00Zjunk",
        "2026-01-01T00:00:00.Z", "2026-01-01T00:00Z", "20260101T000000Z", "+2026-01-01T00:00:00Z",
        "-026-01-01T00:00:00Z", "12026-01-01T00:00:00Z", "２026-01-01T00:00:00Z", "2026-01-01T00:00:00\u{661}Z",
        "2026-01-01", "tomorrow", "", "Z", "2026-01-01T00:00:00." + String(repeating: "0", count: 10_000) + "Z",
    ])
    func `a time that does not exist, and another text, is none`(_ text: String) {
        #expect(Date(rfc3339: text) == nil)
    }

    @Test func `each day of four centuries is read, and the day after each month is none`() {
        for year in stride(from: 1_899, through: 2_301, by: 1) {
            for month in 1...12 {
                func text(_ day: Int) -> String {
                    let pad = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
                    return "\(year)-\(pad(month))-\(pad(day))T12:00:00Z"
                }
                let last = CivilDate.days(inMonth: month, of: year)
                #expect(Date(rfc3339: text(last)) == (try? Date(text(last), strategy: .iso8601)))
                #expect(Date(rfc3339: text(last + 1)) == nil)
            }
        }
    }
}
