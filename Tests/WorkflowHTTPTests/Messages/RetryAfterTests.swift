import Foundation
import Testing
import WorkflowHTTP

struct RetryAfterTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    private static let now = Date(timeIntervalSince1970: 784_111_777)

    @Test(arguments: [
        ("0", 0), ("5", 5), (" 5 ", 5), ("2.128", 3), ("2.0", 2), ("0.001", 1), ("120", 120), ("86400", 86_400),
        ("1000000", 86_401), ("Sun, 06 Nov 1994 08:50:07 GMT", 30), ("Sunday, 06-Nov-94 08:50:07 GMT", 30),
        ("Sun Nov  6 08:50:07 1994", 30), ("Sun, 06 Nov 1994 08:49:00 GMT", 0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 86_401),
    ])
    func `seconds, fractions and dates are rounded up to seconds`(text: String, seconds: Int) {
        #expect(RetryAfter.seconds(text, now: Self.now) == seconds)
    }

    @Test func `the part of a second until a date counts as a whole one`() {
        let now = Self.now.addingTimeInterval(0.5)
        #expect(RetryAfter.seconds("Sun, 06 Nov 1994 08:49:38 GMT", now: now) == 1)
    }

    @Test(arguments: [
        "", " ", "-1", "+1", "1e9", "nan", "inf", "0x10", "1.", ".5", "1.2.3", "5 s", "soon", "٣",
        "Sun, 99 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Tue, 31 Feb 2026 08:49:37 GMT",
        "Thu, 29 Feb 2100 08:49:37 GMT", "Tue, 31 Nov 2026 24:00:00 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 25:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 19940 08:49:37 GMT", "06 Nov",
        String(repeating: "9", count: 1000),
    ])
    func `anything else is no time`(text: String) {
        #expect(RetryAfter.seconds(text, now: Self.now) == nil)
    }

    @Test(arguments: [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0), ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
        ("Fri, 20 Nov 2026 10:00:00 GMT", 1_795_168_800), ("Wednesday, 31-Dec-69 23:59:59 GMT", 3_155_759_999),
    ])
    func `dates are read in the Gregorian calendar`(text: String, seconds: Double) {
        #expect(HTTPDate.parse(text) == Date(timeIntervalSince1970: seconds))
    }
}
