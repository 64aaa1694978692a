import Essentials
import Foundation
import Testing
import Workflows

@testable import graphflow

/// What `graphflow serve` says before it serves anything.
@Suite struct ServeOptionsTests {
    private func place(_ schedule: String, zone: String? = nil) throws -> WorkflowPlace {
        let place = try WorkflowPlace("  - a: { set: { x: 1 } }\n", head: "schedule: \(schedule)")
        guard let zone else { return place }
        let text = try String(contentsOfFile: place.file, encoding: .utf8)
            .replacing("version: 1.0.0", with: "version: 1.0.0, metadata: { timeZone: \(zone) }")
        try Data(text.utf8).write(to: URL(fileURLWithPath: place.file))
        return place
    }

    @Test func `others reach a service only with tokens`() async throws {
        let place = try place("{ every: PT1H }")
        let console = place.console()
        #expect(await console.run("serve", place.file, "--listen", "0.0.0.0:0") == 64)
        #expect(console.standardError.contains("add '--token-file' to say who may"))
        #expect(console.standardError.contains("a TLS proxy"))
    }

    @Test func `a schedule is shown in the file's time zone, across the next change of clocks`() throws {
        let cron = try CronExpression("30 2 * * *")
        let zone = try SystemTimeZone(identifier: "Europe/Berlin")
        // 2027-03-20T12:00:00Z
        let forecast = ScheduleForecast(
            schedule: .cron(cron), timeZone: zone, moment: Date(timeIntervalSince1970: 1_805_544_000))
        #expect(
            forecast.lines == [
                "runs at '30 2 * * *' in Europe/Berlin:", "  2027-03-21T02:30:00+01:00 CET",
                "  2027-03-22T02:30:00+01:00 CET", "  2027-03-23T02:30:00+01:00 CET", "  2027-03-24T02:30:00+01:00 CET",
                "  2027-03-25T02:30:00+01:00 CET",
                "  the clocks change from CET to CEST at 2027-03-28T03:00:00+02:00:", "  2027-03-27T02:30:00+01:00 CET",
                "  2027-03-28T03:00:00+02:00 CEST", "  2027-03-29T02:30:00+02:00 CEST",
            ])
    }

    @Test func `a check prints the times and runs nothing`() async throws {
        let place = try place("{ cron: '0 5 * * *' }", zone: "Asia/Tokyo")
        let console = place.console()
        #expect(await console.run("serve", "--check", place.file) == 0, "\(console.standardError)")
        let lines = console.standardOutput.split(separator: "\n")
        #expect(lines.count == 6 && lines[0].hasSuffix("runs at '0 5 * * *' in Asia/Tokyo:"))
        #expect(lines.dropFirst().allSatisfy { $0.hasSuffix("T05:00:00+09:00 JST") })
        let other = place.console()
        #expect(await other.run("serve", "--check", "--time-zone", "UTC", place.file) == 0)
        #expect(other.standardOutput.contains("T05:00:00Z UTC"))
    }

    @Test func `a time zone that does not exist is a finding of the file`() async throws {
        let place = try place("{ cron: '0 5 * * *' }", zone: "Europe/Berln")
        let console = place.console()
        #expect(await console.run("validate", place.file) == 2)
        #expect(console.standardError.contains("there is no time zone 'Europe/Berln'"))
        #expect(console.standardError.contains("did you mean 'Europe/Berlin'?"))
    }
}
