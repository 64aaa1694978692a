import Foundation
import Promises
import TestSupport
import Testing

@testable import MicrosoftGraph
@testable import Workflows

/// Draws of a place, a value and a change: nothing unapproved is sent, and nothing unchanged is refused.
///
/// `GRAPHFLOW_FUZZ_SEED` names the first draw.
@Suite struct ApprovalFuzzTests {
    private static let batch: UInt64 = 50
    private static let first =
        ProcessInfo.processInfo.environment["GRAPHFLOW_FUZZ_SEED"].flatMap { UInt64($0) } ?? 0

    @Test(arguments: 0..<Extent.of(200, or: 10) as Range<UInt64>)
    func `a run does what was approved, or nothing`(batch: UInt64) async throws {
        for seed in 0..<Self.batch {
            try await Self.check(
                ApprovalDraw(seed: Self.first + batch * Self.batch + seed), Self.first + batch * Self.batch + seed)
        }
    }

    /// How a run ended, and what it wrote.
    private struct End: Equatable {
        var error: String?
        var isRefused = false
        var writes: [String]
    }

    private static func check(_ draw: ApprovalDraw, _ seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        try folder.write("note.txt", "Grüße")
        let file = folder.url.appending(path: "draw.yaml")
        func write(_ text: String) throws -> Workflow {
            try Data(text.utf8).write(to: file)
            return try Workflow(contentsOf: file)
        }
        let workflow = try write(draw.text)
        let words =
            "seed \(seed), \(draw.change), \(draw.mode): \(PlainText.line(draw.value.json(), limit: 100)): \(draw.place)"

        let planning = runner(draw.transport(draw.value))
        guard let plan = try? await planning.plan(workflow, mode: draw.mode).value else {
            // What cannot be planned cannot be run either.
            let free = draw.transport(draw.value)
            let end = await end(of: runner(free).run(workflow), free)
            #expect(end.error != nil && end.writes.isEmpty, "\(words)")
            return
        }
        var approved = try ApprovedPlan(try Value(json: ApprovedPlan(plan).value.jsonData()))
        #expect(plan.isComplete == draw.canBePlanned, "\(words): \(plan.gaps)")

        // What the run meets, and what a run without a plan would do with it.
        var (value, function, changed) = (draw.value, "1", workflow)
        var running = runner(draw.transport(value))
        var mustRefuse = !draw.canBePlanned
        switch draw.change {
        case .nothing, .kill: break
        case .answer:
            value = draw.other
            mustRefuse = mustRefuse || draw.mode == .read && draw.other != draw.value
        case .file:
            try folder.write("note.txt", "Gruß")
            mustRefuse = true
        case .killAndFile: break
        case .variable:
            running.environment["TO"] = "somebody else"
            running.access.variables = ["TO"]
            mustRefuse = true
        case .workflow:
            changed = try write(draw.text.replacing("1.0.0", with: "1.0.1"))
            mustRefuse = true
        case .clock: running.now = { Date(timeIntervalSince1970: 2_000_000_000) }
        case .catalog:
            function = "2"
            mustRefuse = mustRefuse || draw.isCatalog
        case .plan:
            approved.plan = edited(approved.plan, draw.editIndex)
            mustRefuse = true
        }
        let free = draw.transport(value, function: function)
        let expected = await end(of: runner(free, like: running).run(changed), free)
        // What a plan has read is in it, whatever it is.
        mustRefuse = mustRefuse || draw.mode == .dry && expected.writes.contains(where: draw.leavesItsPlace)
        let live = draw.transport(value, function: function)
        running = runner(live, like: running)
        let isKilled = [.kill, .killAndFile].contains(draw.change)
        let found =
            isKilled && draw.canBePlanned
            ? try await killed(draw, changed, approved, running, live, folder)
            : await end(of: running.run(changed, as: approved), live)
        try? FileManager.default.removeItem(at: folder.url.appending(path: "out"))
        if mustRefuse {
            // What no run can send needs no refusal.
            #expect((found.isRefused || expected.error != nil) && found.writes.isEmpty, "\(words): \(found)")
        } else if isKilled {
            #expect(Set(found.writes).isSubset(of: expected.writes), "\(words): \(found) \(expected.writes)")
            let mayRefuse = draw.change == .killAndFile
            #expect(!found.isRefused || mayRefuse, "\(words): \(found.error ?? "")")
            // A mail that was being sent, and that this service cannot look up, is asked about.
            let isOpen = found.error?.contains("It is unknown whether the request was carried out") == true
            if !mayRefuse, !isOpen { #expect(Set(found.writes) == Set(expected.writes), "\(words): \(found)") }
        } else {
            #expect(!found.isRefused, "\(words): \(found.error ?? "")")
            #expect(found.writes == expected.writes, "\(words)")
            #expect(
                (found.error == nil) == (expected.error == nil),
                "\(words): \(found.error ?? "") \(expected.error ?? "")")
        }
    }

    /// A plan that says something else, and is as valid as before.
    private static func edited(_ plan: Value, _ index: Int) -> Value {
        var members = plan.object ?? [:]
        let names = members.keys.filter { !["input", "mode", "plannedBy"].contains($0) }
        let name = names[index % names.count]
        members[name] = ["edited": .integer(index)]
        return .object(members)
    }

    /// A run that is killed after one of its events, and is resumed from what is on disk.
    private static func killed(
        _ draw: ApprovalDraw, _ workflow: Workflow, _ approved: ApprovedPlan, _ running: Runner,
        _ live: DrawTransport, _ folder: TemporaryFolder
    ) async throws -> End {
        let runs = RunsFolder(folder.url.appending(path: "home/runs"))
        let copies = RunsFolder(folder.url.appending(path: "copy/runs"))
        var first = running
        first.journals = runs
        // The other draws have one run each, whose id their mails have as well.
        if draw.isCatalog { first.makeID = { UUID().uuidString } }
        first.ownFiles = OwnFiles([folder.url.appending(path: "home").path, folder.url.appending(path: "copy").path])
        // A run of these workflows has at most some twenty events.
        let last = 1 + Int(draw.moment * 24)
        let (count, death) = (Locked(0), Promise<Void>.pending())
        first.recorders = [
            Recorder { _ in
                guard
                    count.withLock({
                        $0 += 1; return $0 == last
                    })
                else { return }
                live.isDead.withLock { $0 = true }
                try? FileManager.default.createDirectory(at: copies.url, withIntermediateDirectories: true)
                let run = (try? FileManager.default.contentsOfDirectory(atPath: runs.url.path).first) ?? ""
                try? FileManager.default.copyItem(
                    at: runs.url.appending(path: run), to: copies.url.appending(path: run))
                try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: copies.url.path)
                death.resolver.fulfill(())
            }
        ]
        let run = first.run(workflow, as: approved)
        let ended = run.map { _ in true }.recover(policy: .allErrors) { _ in Guarantee.value(true) }
        let isWhole = try await race(ended, death.promise.map { false }).value
        guard live.isDead.withLock({ $0 }) else {
            _ = isWhole
            return await end(of: run, live)
        }
        run.cancel()
        live.isDead.withLock { $0 = false }
        if draw.change == .killAndFile { try folder.write("note.txt", "Gruß") }
        let name = try FileManager.default.contentsOfDirectory(atPath: copies.url.path).first ?? ""
        let (journal, events) = try Journal.open(name, in: copies)
        var next = running
        next.makeID = first.makeID
        next.ownFiles = first.ownFiles
        var found = await end(of: next.resume(workflow, journal, from: events, assuming: .notSent), live)
        if draw.change == .killAndFile {
            // What is sent after the file has changed would be sent by a run that was not approved.
            found.error = found.isRefused ? found.error : "not refused"
            #expect(found.isRefused, "\(draw)")
        }
        return found
    }

    private static func end(of run: Promise<Value>, _ transport: DrawTransport) async -> End {
        do {
            _ = try await run.value
            return End(writes: transport.writes)
        } catch {
            let problem = WorkflowError(error, at: .root)
            let isRefused =
                error is PlanMismatch || problem.type == PlanDeviation.type
                || problem.detail?.contains("approved plan") == true
            let words = (error as? PlanMismatch)?.differences.joined(separator: "; ") ?? problem.detail ?? "\(error)"
            return End(error: words, isRefused: isRefused, writes: transport.writes)
        }
    }

    private static func runner(_ transport: DrawTransport, like other: Runner? = nil) -> Runner {
        let clock = SkippingClock()
        var runner =
            other
            ?? Runner(
                graph: GraphClient(
                    credential: .fixed(AccessToken("t")), baseURL: Sandbox.baseURL, transport: transport, clock: clock),
                clock: clock)
        runner.graph.transport = transport
        runner.graph.ids = { "00000000-0000-4000-8000-000000000000" }
        runner.makeID = { "RUN" }
        runner.random = { 0.5 }
        return runner
    }
}
