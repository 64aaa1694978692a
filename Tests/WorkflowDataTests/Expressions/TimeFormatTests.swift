import Testing
import Workflows

/// `strftime` and `strptime`, as in jq.
struct TimeFormatTests {
    @Test(arguments: [
        ("2024-12-30", "1 52 01 2025 25 53 1 365 24 20 01 PM 30 12/30/24 Dec 13:05"),
        ("2021-01-01", "5 00 53 2020 20 00 5 001 21 20 01 PM  1 01/01/21 Jan 13:05"),
        ("2020-12-31", "4 52 53 2020 20 52 4 366 20 20 01 PM 31 12/31/20 Dec 13:05"),
        ("2026-07-04", "6 26 27 2026 26 26 6 185 26 20 01 PM  4 07/04/26 Jul 13:05"),
        ("2000-02-29", "2 09 09 2000 00 09 2 060 00 20 01 PM 29 02/29/00 Feb 13:05"),
        ("1999-12-31", "5 52 52 1999 99 52 5 365 99 19 01 PM 31 12/31/99 Dec 13:05"),
        ("2026-01-04", "7 01 01 2026 26 00 0 004 26 20 01 PM  4 01/04/26 Jan 13:05"),
    ])
    func `a time is written as the calendar has it`(day: String, expected: String) throws {
        let format = "%u %U %V %G %g %W %w %j %y %C %I %p %e %D %h %R"
        let found = try Expression("fromdate | strftime(\"\(format)\")").evaluate(.string("\(day)T13:05:09Z"))
        #expect(found == [.string(expected)])
    }

    @Test func `the zone is written with four digits and a sign`() throws {
        #expect(try Expression("gmtime | strftime(\"%z %Z\")").evaluate(0) == ["+0000 UTC"])
    }

    @Test(arguments: [
        ("7", "%u", 6, 0), ("3", "%u", 6, 3), ("0", "%w", 6, 0), ("6", "%w", 6, 6), ("12 AM", "%I %p", 3, 0),
        ("12 PM", "%I %p", 3, 12),
        ("11 pm", "%I %p", 3, 23), ("060", "%j", 7, 59), ("02/03/68", "%D", 0, 2068), ("02/03/69", "%D", 0, 1969),
    ])
    func `a part of a time is read where it belongs`(text: String, format: String, part: Int, value: Int) throws {
        let found = try Expression("strptime($format)[$part]").evaluate(
            .string(text), variables: ["format": .string(format), "part": .integer(part)])
        #expect(found == [.integer(value)])
    }
}
