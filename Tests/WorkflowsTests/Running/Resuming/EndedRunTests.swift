import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// Runs that are over, whose journal somebody still knows.
@Suite struct EndedRunTests {
    private struct Broken: Error {}

    private let runs = TemporaryRuns()

    /// How a run ends.
    enum Ending: CaseIterable {
        case completed, faulted, suspended
    }

    @Test(arguments: Ending.allCases)
    func `when a run has ended, it can be resumed at once, and nothing more is written to its journal`(
        ending: Ending
    ) async throws {
        let suspension = Suspension()
        var runner = Runner.testing { catalog in
            catalog.register("end") { _, _ in
                switch ending {
                case .completed: return .value("done")
                case .faulted: return Promise(error: Broken())
                case .suspended:
                    suspension.request()
                    return .value("done")
                }
            }
        }
        runner.suspension = suspension
        let workflow = try Workflow(tasks: "- first: { call: end }\n- second: { set: { is: over } }")
        let journal = try runner.journal(of: workflow, in: runs.folder)
        let run = journal.header.run
        #expect(FileLock.isHeld(runs.path(run, "lock")))
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await runner.run(workflow, journal: journal).value) } catch {
            outcome = .failure(error)
        }
        #expect(!FileLock.isHeld(runs.path(run, "lock")))
        switch (ending, outcome) {
        case (.completed, .success), (.faulted, .failure), (.suspended, .failure(is RunSuspended)): break
        default: Issue.record("\(ending): \(outcome)")
        }
        let (other, events) = try Journal.open(run, in: runs.folder)
        let late = TemporaryRuns.events([.workflowCancelled], of: journal.header)[0]
        #expect(throws: JournalError.self) { try journal.append(late) }
        #expect(throws: JournalError.self) { try journal.flush() }
        #expect(try Journal.read(run, in: runs.folder).events.count == events.count)
        withExtendedLifetime((journal, other)) {}
    }
}
