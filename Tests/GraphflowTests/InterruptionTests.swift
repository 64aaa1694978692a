import Foundation
import Testing

@testable import graphflow

@Suite struct InterruptionTests {
    @Test func `a signal of the first moment ends the work in order`() async {
        await #expect(processExitsWith: .exitCode(143)) {
            let console = Console(
                environment: [:], outputIsTerminal: false, errorIsTerminal: false, ownsProcess: true, output: { _ in },
                error: { _ in })
            let interruption = Interruption(on: console) { exit(143) }
            kill(getpid(), SIGTERM)
            // Real time: the signal ends it.
            sleep(900)
            interruption.end()
        }
    }
}
