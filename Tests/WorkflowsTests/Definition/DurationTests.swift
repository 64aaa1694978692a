import Testing

@testable import Workflows

/// Durations of a workflow's file: ISO 8601, and objects of units.
@Suite struct DurationTests {
    @Test(arguments: [
        ("PT0S", 0), ("PT0.25S", 250), ("PT1S", 1_000), ("PT1M", 60_000), ("PT1H", 3_600_000), ("P1D", 86_400_000),
        ("P1W", 604_800_000), ("P1M", 2_592_000_000), ("P1Y", 31_536_000_000), ("P1DT12H", 129_600_000),
    ])
    func `every unit of ISO 8601 has its length`(text: String, milliseconds: Int) {
        #expect(Duration(.string(text)) == .milliseconds(milliseconds))
    }

    @Test func `every unit of an object has its length`() {
        let object: Value = ["days": 1, "hours": 2, "minutes": 3, "seconds": 4, "milliseconds": 5]
        #expect(Duration(object) == .milliseconds(93_784_005))
    }

    @Test(
        arguments: [
            "", "P", "PT", "P1", "1D", "P1S", "PT1D", "PT1S1M", "P1D1D", "P-1D", "PT.5S", "PT1.S", "P1DT", "PT1HT1S",
            "P10000Y", 1, .null, [:], ["weeks": 1], ["seconds": -1], ["seconds": 1.5],
        ] as [Value])
    func `anything else is no duration`(value: Value) { #expect(Duration(value) == nil) }
}
