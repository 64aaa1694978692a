import TestSupport
import Testing
import Workflows

/// Warnings about retries that repeat an effect that must happen once.
struct RetriedEffectsTests {
    private func findings(_ catching: String, method: String = "post") throws -> [String] {
        try Workflow(
            tasks: """
                - attempt:
                    try: [{ ask: { call: http, with: { method: \(method), endpoint: https://a.com } } }]
                    catch: { \(catching) }
                """
        ).validate().map(\.id)
    }

    @Test(arguments: ["retry: {}", "retry: { limit: { attempt: { count: 2 } } }"])
    func `a retry after any error is warned of where it repeats a POST, not a GET`(catching: String) throws {
        #expect(try findings(catching) == ["retried-once"])
        #expect(try findings(catching, method: "get") == [])
    }

    @Test(arguments: [
        "retry: { limit: { attempt: { count: 0 } } }", "errors: { with: { status: 503 } }, retry: {}",
        "when: '$error.status == 503', retry: {}", "exceptWhen: '$error.status == 503', retry: {}",
        "retry: { when: '$error.status == 503' }", "retry: { exceptWhen: '$error.status == 503' }", "errors: {}",
    ])
    func `a retry that chooses its errors, or repeats nothing, is not warned of`(catching: String) throws {
        #expect(try findings(catching) == [])
    }
}
