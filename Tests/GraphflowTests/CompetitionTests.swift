import Dispatch
import Foundation
import TestSupport
import Testing
import Workflows

/// A competition whose losing branch has a mail on its way, and batches of one name that are started at once.
@Suite struct CompetitionTests {
    private static let race = """
          - race:
              fork:
                compete: true
                branches:
                  - slow:
                      call: sendMail
                      with: { to: megan@contoso.com, subject: 'Grüße ‹%› 😀', body: Hello, delivery: direct }
                  - quick: { call: http, with: { method: get, endpoint: 'SERVICE/quick' } }

        """

    /// A service that never answers the mail, and answers the other branch once the mail has arrived.
    private static func service() throws -> LoopbackService {
        let mail = DispatchSemaphore(value: 0)
        return try LoopbackService { request in
            switch request.url.path {
            case "/v1.0/me/sendMail":
                mail.signal()
                return nil
            case "/quick":
                mail.wait()
                return ["name": "quick"]
            default: return [:]
            }
        }
    }

    private static func place(of service: LoopbackService, head: String = "") throws -> WorkflowPlace {
        try WorkflowPlace(race.replacing("SERVICE", with: service.address), head: head)
    }

    /// What the user is asked about the run, and that the answer ends it without a second mail.
    private func expectQuestion(of run: String, in place: WorkflowPlace, _ service: LoopbackService) async throws {
        let graph = ["GRAPHFLOW_GRAPH_URL": "\(service.address)/v1.0"]
        let asked = place.console(graph)
        #expect(await asked.run("resume", run) == 4)
        #expect(asked.standardError.contains("graphflow resume \(run) --assume sent"), "\(asked.standardError)")
        let told = place.console(graph)
        #expect(await told.run("resume", run, "--assume", "sent") == 0, "\(told.standardError)")
        #expect(service.paths.filter { $0 == "/v1.0/me/sendMail" }.count == 1)
    }

    @Test(.timeLimit(.minutes(60)))
    func `a run whose losing branch has a mail on its way ends with 4 and names the task`() async throws {
        let service = try Self.service()
        let place = try Self.place(of: service)
        let result = try await place.process(
            ["run", place.file], ["GRAPHFLOW_GRAPH_URL": "\(service.address)/v1.0"]
        ).result()
        #expect(result.status == 4, "\(result.error)")
        #expect(result.output.isEmpty)
        #expect(result.error.contains("'slow' (/do/0/race/fork/branches/0/slow)"), "\(result.error)")
        try await expectQuestion(of: try #require(try place.runs.first), in: place, service)
    }

    @Test(.timeLimit(.minutes(60)))
    func `a served run whose losing branch has a mail on its way has an unknown outcome`() async throws {
        let service = try Self.service()
        let place = try Self.place(of: service, head: "schedule: { every: PT1H }")
        let process = try place.process(
            ["serve", place.file, "--notify", "\(service.address)/notes"],
            ["GRAPHFLOW_GRAPH_URL": "\(service.address)/v1.0"])
        // The mail, the other branch, and what the service notifies of.
        try await process.waits(for: service.arrival(of: 3))
        let note = try #require(service.asked.first { $0.url.path == "/notes" })
        let event = try Value(json: note.body ?? Data())
        #expect(event["type"] == "io.graphflow.run.unknown.v1", "\(event.json())")
        process.send(SIGTERM)
        let result = try await process.result()
        #expect(result.status == 143, "\(result.error)")
        #expect(result.output.isEmpty)
        #expect(result.error.contains("'slow' (/do/0/race/fork/branches/0/slow)"), "\(result.error)")
        try await expectQuestion(of: try #require(try place.runs.first), in: place, service)
    }

    @Test(.timeLimit(.minutes(60)), arguments: 1...3)
    func `of four batches with one name that are started at once, one works, and three say why not`(round: Int)
        async throws
    {
        let isOpen = DispatchSemaphore(value: 0)
        let service = try LoopbackService { _ in
            isOpen.wait()
            return ["number": 1]
        }
        let place = try WorkflowPlace(
            "  - ask: { call: http, with: { method: post, endpoint: '\(service.address)/ask' } }\n")
        let source = place.folder.appending(path: "items.csv")
        try Data("number\n1\n".utf8).write(to: source)
        let name = "spring-\(round)"
        let processes = try (0..<4).map { _ in
            try place.process(["batch", place.file, "--each", source.path, "--name", name])
        }
        // The item of the batch that works is answered when the others have ended.
        let results = try await withThrowingTaskGroup(of: TestProcess.Result.self) { group in
            for process in processes { group.addTask { try await process.result() } }
            var results: [TestProcess.Result] = []
            while let result = try await group.next() {
                results.append(result)
                if results.count == 3 { for _ in processes { isOpen.signal() } }
            }
            return results
        }
        for result in results.prefix(3) {
            #expect(result.status == 1 && result.output.isEmpty, "\(result)")
            let isTrue =
                result.error.contains("the batch \(name) is in progress in another process (")
                || result.error.contains("the batch \(name) was begun by another process a moment ago")
            #expect(isTrue, "\(result.error)")
        }
        let last = try #require(results.last)
        #expect(last.status == 0, "\(last.error)")
        #expect(try Value(json: last.output)["state"] == "completed")
        #expect(service.paths == ["/ask"])
    }
}
