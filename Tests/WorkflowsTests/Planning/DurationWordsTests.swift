import Testing

@testable import Workflows

/// How plans and drawings write durations.
@Suite struct DurationWordsTests {
    @Test(arguments: [
        (0, "0 s"), (20, "0.02 s"), (1_000, "1 s"), (1_500, "1.5 s"), (60_000, "1 min"), (90_250, "1 min 30.25 s"),
        (3_600_000, "1 h"), (183_845_000, "2 d 3 h 4 min 5 s"),
    ])
    func `a duration is written in the units that it has`(milliseconds: Int, words: String) {
        #expect(Duration.milliseconds(milliseconds).words == words)
    }
}
