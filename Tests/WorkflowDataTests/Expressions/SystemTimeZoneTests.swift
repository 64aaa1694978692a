import Foundation
import Testing

@testable import WorkflowData

/// Time zones; `Tests/Conformance/time_zones.py` compares all of the system's with `zdump`.
struct SystemTimeZoneTests {
    /// A folder with files, which is removed at the end.
    private final class Folder {
        let url = FileManager.default.temporaryDirectory.appending(path: "time-zones-\(UUID().uuidString)")
        var variables: [String: String] { ["TZDIR": url.path] }

        init(_ files: [String: [UInt8]]) throws {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            for (name, bytes) in files { try Data(bytes).write(to: url.appending(path: name)) }
        }

        deinit { try? FileManager.default.removeItem(at: url) }
    }

    private func block(_ version: String, width: Int, _ changes: [(moment: Int, kind: UInt8)]) -> [UInt8] {
        func bytes(_ number: Int, _ width: Int) -> [UInt8] {
            (0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        }
        let counts = [0, 0, 0, changes.count, 2, 8].flatMap { bytes($0, 4) }
        return Array("TZif".utf8) + [version.utf8.first ?? 0] + Array(repeating: 0, count: 15) + counts
            + changes.flatMap { bytes($0.moment, width) } + changes.map(\.kind)
            + bytes(3_600, 4) + [0, 0] + bytes(7_200, 4) + [1, 4] + Array("AAA\0BBB\0".utf8)
    }

    private var sample: [UInt8] {
        block("2", width: 4, []) + block("2", width: 8, [(1_000, 1), (5_000_000_000, 0)])
            + Array("\nAAA-1BBB,M3.5.0,M10.5.0/3\n".utf8)
    }

    private func times(_ zone: SystemTimeZone, _ moments: [Int]) -> [String] {
        moments.map { "\(zone.time(at: $0).offset) \(zone.time(at: $0).abbreviation)" }
    }

    @Test func `clocks follow the table, and then the rule`() throws {
        let zone = try SystemTimeZone("x", tzif: sample)
        #expect(
            times(zone, [-9_000_000_000, 999, 1_000, 4_999_999_999]) == [
                "3600 AAA", "3600 AAA", "7200 BBB", "7200 BBB",
            ])
        let summer = CivilDate.day(year: 2130, month: 3, day: 26) * 86_400 + 3_600
        let winter = CivilDate.day(year: 2130, month: 10, day: 29) * 86_400 + 3_600
        #expect(
            times(zone, [summer - 1, summer, winter - 1, winter]) == ["3600 AAA", "7200 BBB", "7200 BBB", "3600 AAA"])
    }

    @Test func `a file of version 1 has a table of 32 bits and no rule`() throws {
        let zone = try SystemTimeZone("x", tzif: block("\0", width: 4, [(-5, 1), (10, 0)]))
        #expect(times(zone, [-6, -5, 9, 10]) == ["3600 AAA", "7200 BBB", "7200 BBB", "3600 AAA"])
    }

    @Test func `a file that is cut or changed is refused, or read as something else`() {
        for count in 0..<sample.count {
            #expect(throws: TimeZoneError.self) { try SystemTimeZone("x", tzif: Array(sample.prefix(count))) }
        }
        for place in sample.indices {
            for bit in 0..<8 {
                var bytes = sample
                bytes[place] ^= 1 << UInt8(bit)
                if let zone = try? SystemTimeZone("x", tzif: bytes) { _ = zone.time(at: 6_000_000_000) }
            }
        }
    }

    @Test(arguments: [
        ("EST5EDT", [1_784_073_600, 1_767_225_600], ["-14400 EDT", "-18000 EST"]),
        ("CET-1CEST,M3.5.0,M10.5.0/3", [1_774_745_999, 1_774_746_000], ["3600 CET", "7200 CEST"]),
        ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", [1_767_225_600, 1_782_864_000], ["39600 +11", "37800 +1030"]),
        (
            "XXX3EDT4,0/0,J365/23", [1_767_225_600, 1_782_864_000, 1_798_761_599],
            ["-14400 EDT", "-14400 EDT", "-14400 EDT"]
        ),
        ("IST-1GMT0,M10.5.0,M3.5.0/1", [1_767_225_600, 1_782_864_000], ["0 GMT", "3600 IST"]),
        ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", [1_774_745_999, 1_774_746_000], ["-7200 -02", "-3600 -01"]),
        ("AAA0BBB,J60/0,J61/0", [1_709_164_800, 1_709_251_200, 1_709_337_600], ["0 AAA", "3600 BBB", "0 AAA"]),
        ("AAA0BBB,59/0,60/1", [1_709_164_800, 1_709_251_200], ["3600 BBB", "0 AAA"]),
    ])
    func `TZ can be a rule`(_ rule: String, _ moments: [Int], _ expected: [String]) throws {
        #expect(times(try .current(variables: ["TZ": rule]), moments) == expected)
    }

    @Test(arguments: [
        "../../etc/passwd", "/etc/passwd", "Europe/../../x", "a//b", "/", "a/", "Europe", "x\0y", "A-1,", "AAA",
        "AAA1BBB,M13.1.1,J1",
        "AAA25", "AAA1BBB,J0,J1", "AAA1BBB,M1.6.0,J1", "AAA1BBB,J1", "AAA1BBB,J1,J2,J3", "AAA1:60",
        String(repeating: "a", count: 256),
    ])
    func `what is no name or rule is refused`(_ name: String) throws {
        let folder = try Folder(["Europe-x": sample])
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "Europe"), withIntermediateDirectories: true)
        #expect(throws: TimeZoneError.self) { try SystemTimeZone(identifier: name, variables: folder.variables) }
        var variables = folder.variables
        variables["TZ"] = name
        let error = #expect(throws: TimeZoneError.self) { try SystemTimeZone.current(variables: variables) }
        #expect(error?.message.hasSuffix("; the variable TZ names it") == true)
    }

    @Test func `a name is looked up in the folder that TZDIR names, and only a file of the format is read`() throws {
        let folder = try Folder([
            "Here": sample, "Text": Array("hello".utf8), "Large": Array(repeating: 0, count: 1_000_001),
        ])
        let inner = try Folder(["Secret": sample])
        #expect(try SystemTimeZone(identifier: "Here", variables: folder.variables).time(at: 0).abbreviation == "AAA")
        for tz in ["Here", ":Here", folder.url.path + "/Here"] {
            let zone = try SystemTimeZone.current(variables: ["TZDIR": folder.url.path, "TZ": tz])
            #expect(zone.identifier == "Here")
        }
        let error = #expect(throws: TimeZoneError.self) {
            try SystemTimeZone(identifier: "Text", variables: folder.variables)
        }
        #expect(error?.message == "the file of the time zone 'Text' is not a valid TZif file")
        for name in ["Large", "../\(inner.url.lastPathComponent)/Secret", inner.url.path + "/Secret"] {
            #expect(throws: TimeZoneError.self) { try SystemTimeZone(identifier: name, variables: folder.variables) }
        }
    }

    @Test func `without a database there is UTC, and other names are refused with the reason`() throws {
        let none = ["TZDIR": "/nowhere/zoneinfo"]
        #expect(try SystemTimeZone(identifier: "UTC", variables: none).identifier == "UTC")
        #expect(try SystemTimeZone.current(variables: ["TZ": ""]).identifier == "UTC")
        let error = #expect(throws: TimeZoneError.self) {
            try SystemTimeZone(identifier: "Asia/Tokyo", variables: none)
        }
        #expect(
            error?.message
                == "the time zone 'Asia/Tokyo' is not known, because this system has no database of time zones")
    }

    @Test func `local times are those of the time zone`() throws {
        let berlin = try SystemTimeZone(identifier: "Europe/Berlin")
        var environment = WorkflowData.Expression.Environment()
        environment.timeZone = { () throws(TimeZoneError) in berlin }
        let expression = try WorkflowData.Expression(
            #"1774746000 | [strflocaltime("%FT%T%z %Z"), (localtime | mktime), (0 | strflocaltime("%Z"))]"#)
        let values = try expression.first(nil, environment: environment)
        #expect(values == ["2026-03-29T03:00:00+0200 CEST", 1_774_753_200, "CET"])
        // As C's mktime has it, where clocks skip an hour.
        let beyond = try WorkflowData.Expression(
            "[([2026, 2, 29, 2, 0, 7200], [2026, 2, 29, 2, 30, -7200], [2026, 2, 29, 4, 30, -7200]) | strflocaltime(\"%T\")]"
        )
        #expect(try beyond.first(nil, environment: environment) == ["05:00:00", "00:30:00", "01:30:00"])
        environment.timeZone = { () throws(TimeZoneError) in throw TimeZoneError("there is no time zone 'X'") }
        let failing = try WorkflowData.Expression("try (0 | localtime) catch .")
        #expect(try failing.first(nil, environment: environment) == "there is no time zone 'X'")
        #expect(berlin.text(of: Date(timeIntervalSince1970: 1_774_746_000)) == "2026-03-29T03:00:00+02:00")
        #expect(SystemTimeZone.utc.text(of: Date(timeIntervalSince1970: 0.5)) == "1970-01-01T00:00:00Z")
    }
}
