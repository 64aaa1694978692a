import Foundation
import Promises
import TestSupport
import Testing
import Workflows

/// `graphflow serve`, interrupted while runs are active.
@Suite struct ServeInterruptionTests {
    private static let schedule = "schedule: { every: PT1H }"

    private static func tasks(of service: LoopbackService, _ method: String = "get") -> String {
        """
          - note: { call: http, with: { method: post, endpoint: '\(service.address)/note' } }
          - hold: { call: http, with: { method: \(method), endpoint: '\(service.address)/hold' } }
          - last: { set: { all: done } }

        """
    }

    @Test(.timeLimit(.minutes(60)), arguments: [SIGINT, SIGTERM])
    func `runs that are going on are suspended, and go on when they are resumed`(signal: Int32) async throws {
        let isOpen = Locked(false)
        let service = try LoopbackService { request in
            isOpen.withLock { $0 } || request.method == "POST" ? ["told": true] : nil
        }
        let place = try WorkflowPlace(Self.tasks(of: service), head: Self.schedule)
        let other = try WorkflowPlace(Self.tasks(of: service), head: Self.schedule)
        let process = try place.process(["serve", place.file, other.file, "--grace", "900s"])
        try await process.waits(for: service.arrival(of: 4))
        process.send(signal)
        let result = try await process.result()
        #expect(result.status == 128 + signal, "\(result.error)")
        #expect(result.output.isEmpty)
        let runs = try place.runs
        #expect(runs.count == 2)
        isOpen.withLock { $0 = true }
        for run in runs {
            #expect(result.error.contains("interrupted; resume with: graphflow resume \(run)"), "\(result.error)")
            #expect(try place.journal(run).last?.contains("io.serverlessworkflow.workflow.suspended.v1") == true)
            let resumed = place.console()
            #expect(await resumed.run("resume", run) == 0, "\(resumed.standardError)")
            #expect(resumed.standardOutput == "{\"all\":\"done\"}\n")
        }
        #expect(service.paths.sorted() == ["/hold", "/hold", "/hold", "/hold", "/note", "/note"])
    }

    @Test(.timeLimit(.minutes(60)))
    func `the second signal ends it at once, and what was at work is asked about`() async throws {
        let service = try LoopbackService { $0.url.path == "/note" ? ["told": true] : nil }
        let place = try WorkflowPlace(Self.tasks(of: service, "post"), head: Self.schedule)
        let process = try place.process(["serve", place.file, "--grace", "900s"])
        try await process.waits(for: service.arrival(of: 2))
        // Two signals of the same kind could be merged.
        process.send(SIGINT)
        process.send(SIGTERM)
        let result = try await process.result()
        #expect([130, 143].contains(result.status), "\(result.error)")
        let run = try #require(try place.runs.first)
        #expect(try await place.state() == "unknown")
        let resumed = place.console()
        #expect(await resumed.run("resume", run) == 4)
        #expect(resumed.standardError.contains("graphflow resume \(run) --assume not-sent"))
        let assumed = place.console()
        #expect(await assumed.run("resume", run, "--assume", "sent") == 0, "\(assumed.standardError)")
        #expect(service.paths == ["/note", "/hold"])
    }

    @Test(.timeLimit(.minutes(60)))
    func `runs without a journal are ended, and leave nothing behind`() async throws {
        let service = try LoopbackService { $0.url.path == "/note" ? ["told": true] : nil }
        let place = try WorkflowPlace(Self.tasks(of: service), head: Self.schedule)
        let process = try place.process(["serve", place.file, "--no-journal", "--grace", "900s"])
        try await process.waits(for: service.arrival(of: 2))
        process.send(SIGTERM)
        let result = try await process.result()
        #expect(result.status == 143, "\(result.error)")
        #expect(!result.error.contains("graphflow resume"))
        #expect(!FileManager.default.fileExists(atPath: place.home))
    }

    @Test(.timeLimit(.minutes(60)), arguments: [[SIGTERM], [SIGINT, SIGTERM]])
    func `no process of a run outlives it, also one that ignores to be asked`(signals: [Int32]) async throws {
        let begun = "trap \"\" TERM; echo $$ > group.tmp; mv group.tmp group; sleep 1000 & wait; sleep 1000"
        let place = try WorkflowPlace(
            "  - work: { run: { shell: { command: '\(begun)' } } }\n", head: Self.schedule)
        // Real time: the limit passes on purpose, after which the program is killed.
        let process = try place.process(["serve", place.file, "--grace", "1s"])
        let mark = place.folder.appending(path: "group")
        while !FileManager.default.fileExists(atPath: mark.path) { await pause() }
        let group = try #require(
            Int32(String(decoding: try Data(contentsOf: mark), as: UTF8.self).trimmingCharacters(in: .newlines)))
        for signal in signals { process.send(signal) }
        let result = try await process.result()
        #expect([130, 143].contains(result.status), "\(result.error)")
        // A killed process may remain for a moment.
        while ProcessGroup.isAtWork(group) { await pause() }
    }

    @Test(.timeLimit(.minutes(60)))
    func `a program of a run without a journal may end within the grace as well`() async throws {
        let place = try WorkflowPlace(
            "  - work: { run: { shell: { command: 'kill -TERM $PPID; sleep 0.5; echo x >> ended' } } }\n",
            head: Self.schedule)
        let result = try await place.process(["serve", place.file, "--no-journal", "--grace", "900s"]).result()
        #expect(result.status == 143, "\(result.error)")
        #expect(try Data(contentsOf: place.folder.appending(path: "ended")) == Data("x\n".utf8))
    }

    @Test(.timeLimit(.minutes(60)), arguments: ["900s", "0s"])
    func `a program may end within the grace, and one that outlasts it is asked about`(grace: String) async throws {
        // It ends the service that runs it.
        let rest = grace == "0s" ? "sleep 1000" : "sleep 0.5; echo \"ä ‹done\""
        let place = try WorkflowPlace(
            "  - work: { run: { shell: { command: 'echo x >> begun; kill -TERM $PPID; \(rest)' } }, "
                + "output: { as: '${ { said: . } }' } }\n", head: Self.schedule)
        let result = try await place.process(["serve", place.file, "--grace", grace]).result()
        #expect(result.status == 143, "\(result.error)")
        let run = try #require(try place.runs.first)
        let resumed = place.console()
        if grace == "0s" {
            #expect(result.error.contains("its effect must happen once"), "\(result.error)")
            #expect(await resumed.run("resume", run) == 4, "\(resumed.standardError)")
        } else {
            #expect(result.error.contains("interrupted; resume with: graphflow resume \(run)"), "\(result.error)")
            #expect(await resumed.run("resume", run) == 0, "\(resumed.standardError)")
            #expect(resumed.standardOutput == "{\"said\":\"ä ‹done\"}\n")
        }
        #expect(try Data(contentsOf: place.folder.appending(path: "begun")) == Data("x\n".utf8))
    }

    @Test(.timeLimit(.minutes(60)))
    func `a run that began before approvals were demanded waits for a person`() async throws {
        let isOpen = Locked(false)
        let service = try LoopbackService { request in
            isOpen.withLock { $0 } || request.method == "POST" ? ["told": true] : nil
        }
        let end = "  - tell: { call: http, with: { method: post, endpoint: '\(service.address)/end' } }\n"
        let place = try WorkflowPlace(Self.tasks(of: service) + end, head: Self.schedule)
        let first = try place.process(["serve", place.file, "--grace", "900s"])
        try await first.waits(for: service.arrival(of: 2))
        first.send(SIGTERM)
        _ = try await first.result()
        let run = try #require(try place.runs.first)
        isOpen.withLock { $0 = true }
        let demand = ["--require-approval", "--approvers", "adelev@contoso.com", "--self-approval"]
        let known = ["AZURE_TENANT_ID": "contoso.com", "GRAPHFLOW_APPROVAL_CLIENT_ID": "an application"]
        let next = try place.process(["serve", place.file] + demand, known)
        let words = "the run \(run) does not continue by itself: the run was not approved"
        let said = try await next.errorText { $0.contains("\(run) does not continue") }
        #expect(said.contains(words), "\(said)")
        next.send(SIGTERM)
        _ = try await next.result()
        let resumed = place.console()
        #expect(await resumed.run(["resume", run] + demand) == 2, "\(resumed.standardError)")
        #expect(resumed.standardError.contains("the run was not approved"), "\(resumed.standardError)")
        #expect(!service.paths.contains("/end"))
    }

    @Test(.timeLimit(.minutes(60)))
    func `a run that began at Microsoft does not continue in a sandbox, where its mails would seem to be sent`()
        async throws
    {
        let isOpen = Locked(false)
        let service = try LoopbackService { request in
            isOpen.withLock { $0 } || request.method == "POST" ? ["told": true] : nil
        }
        let mail = "  - mail: { call: sendMail, with: { to: [megan@contoso.com], subject: 'Ä ‹x›', body: x } }\n"
        let place = try WorkflowPlace(Self.tasks(of: service) + mail, head: Self.schedule)
        let token = ["GRAPHFLOW_ACCESS_TOKEN": "a.b.c"]
        let first = try place.process(["serve", place.file, "--grace", "900s"], token)
        try await first.waits(for: service.arrival(of: 2))
        first.send(SIGTERM)
        _ = try await first.result()
        let run = try #require(try place.runs.first)
        isOpen.withLock { $0 = true }
        let next = try place.process(["serve", place.file, "--sandbox"], token)
        let said = try await next.errorText { $0.contains("\(run) does not continue") }
        #expect(said.contains("it called another Microsoft Graph"), "\(said)")
        next.send(SIGTERM)
        _ = try await next.result()
        #expect(try place.journal(run).last?.contains("io.serverlessworkflow.workflow.suspended.v1") == true)
    }
}
