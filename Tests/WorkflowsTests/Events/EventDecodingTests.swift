import Foundation
import Promises
import Testing

@testable import Workflows
@testable import WorkflowHistory

/// Events, encoded and decoded.
@Suite struct EventDecodingTests {
    private static let workflow = Workflow.Metadata(
        dsl: "1.0.3", namespace: "tests", name: "journal", version: "1.0.0", title: nil, summary: nil)
    private static let task = JSONPointer(["do", "0", "a/b~c", "try", "1", "é\u{1B}"])
    private static let error = WorkflowError(
        ["type": "urn:x", "status": 418, "title": "T", "detail": "D", "instance": "/do/0", "code": "teapot"])
    private static let data: Value = [
        "text": "a\n\"\\\u{0}\u{1F600}", "numbers": [0, -1, 9_007_199_254_740_993, 0.1, -1e300], "none": nil,
        "yes": true,
        "blobs": "output=sha256:00", "empty": [[:], []],
    ]

    /// One of every kind; a new kind must be added here, or this does not compile.
    private static func next(_ kind: Event.Kind?) throws -> Event.Kind? {
        switch kind {
        case nil: .workflowStarted(input: data, context: ["other": 1])
        case .workflowStarted(_, let context) where context["other"] != nil:
            .workflowStarted(input: data, context: data)
        case .workflowStarted: .workflowCompleted(output: data)
        case .workflowCompleted: .workflowFaulted(error)
        case .workflowFaulted: .workflowCancelled
        case .workflowCancelled: .workflowSuspended
        case .workflowSuspended: .workflowResumed(Event.Resumption())
        case .workflowResumed(let resumption) where resumption.digest == nil:
            .workflowResumed(Event.Resumption(digest: "sha256:00", anew: [task, .root]))
        case .workflowResumed: .taskCreated(task)
        case .taskCreated: .taskStarted(task, input: nil)
        case .taskStarted(_, nil): .taskStarted(task, input: data)
        case .taskStarted: .taskSkipped(task)
        case .taskSkipped: .taskRetried(task, attempt: 2, delay: .milliseconds(1_234), error: error)
        case .taskRetried: .taskCompleted(task, output: data, context: nil, then: .continue)
        case .taskCompleted(_, _, nil, .continue): .taskCompleted(task, output: nil, context: data, then: .exit)
        case .taskCompleted(_, _, _, .exit): .taskCompleted(task, output: 1, context: nil, then: .end)
        case .taskCompleted(_, _, _, .end): .taskCompleted(task, output: 1, context: nil, then: .task("a/b"))
        case .taskCompleted: .taskFaulted(task, error)
        case .taskFaulted: .taskCancelled(task)
        case .taskCancelled: .decided(task, what: "in", value: [1, data])
        case .decided: .iterationStarted(task, round: 0, data: data)
        case .iterationStarted: .iterationCompleted(task, round: 3, output: data, context: nil, isLast: false)
        case .iterationCompleted(_, _, _, nil, _):
            .iterationCompleted(task, round: 3, output: nil, context: data, isLast: true)
        case .iterationCompleted: .jumped(task, count: 2, data: data)
        case .jumped: .eventEmitted(task, try emitted.get())
        case .eventEmitted: .eventReceived(try emitted.get())
        case .eventReceived(let event) where event.text == nil:
            .eventReceived(
                try CloudEvent(
                    headers: ["ce-specversion": "1.0", "ce-id": "1", "ce-source": "x", "ce-type": "y"],
                    body: Data("[ 1, 2 ]".utf8)))
        case .eventReceived: .eventRead(task, position: 4)
        case .eventRead: .correlationStarted(task)
        case .correlationStarted: .correlationCompleted(task, keys: [:])
        case .correlationCompleted(_, let keys) where keys.isEmpty:
            .correlationCompleted(task, keys: ["order": 1, "customer": "x"])
        case .correlationCompleted: .callStarted(task, .once)
        case .callStarted: .callEnded(task, nil)
        case .callEnded(_, nil): .callEnded(task, .completed(nil))
        case .callEnded(_, .completed): .callEnded(task, .failed(error))
        case .callEnded: request(.retrying(attempt: 3, reason: "503", delay: .seconds(1.5)))
        case .request(_, let event):
            switch event.kind {
            case .retrying: request(.held(delay: .milliseconds(20), reason: "busy"))
            case .held: request(.uploaded(bytes: 5, total: 10))
            case .uploaded: request(.drafted(id: "AAMk=", internetMessageID: nil))
            case .drafted(_, nil): request(.drafted(id: "AAMk=", internetMessageID: "<x@contoso.com>"))
            case .drafted: request(.committing())
            case .committing(nil): request(.committing(reason: "drafts are not permitted"))
            case .committing: request(.effect(effect, .begun))
            case .effect: .taskSuspended(task)
            }
        case .taskSuspended: .taskResumed(task)
        case .taskResumed: nil
        }
    }

    /// An effect with a member of each kind of data.
    private static var effect: Effect {
        var effect = Effect(
            .mail(
                .init(
                    to: ["adelev@contoso.com"], cc: [], subject: "Größe '‹x›'",
                    attachments: [["name": "a.pdf", "size": 5]], sent: true)))
        effect.task = task
        effect.rounds = "for:0/try:2"
        effect.count = Effect.Count(atLeast: 0, atMost: nil)
        effect.condition = "if .x"
        effect.isOnce = true
        // Its words are those of when it was made.
        return Effect(effect.value) ?? effect
    }

    private static func request(_ kind: GraphEvent.Kind) -> Event.Kind {
        .request(task, GraphEvent(operation: "upload", task: task, kind: kind))
    }

    /// An event that looks like one of a run.
    private static let emitted = Result {
        try CloudEvent(
            Event(
                number: 7, run: "01X", workflow: workflow, time: Date(timeIntervalSince1970: 5),
                kind: .taskCompleted(task, output: "forged", context: nil, then: .end)
            ).cloudEvent)
    }

    /// Events of every kind.
    static let all = Result { () throws -> [Event] in
        var kinds: [Event.Kind] = []
        while let kind = try next(kinds.last) { kinds.append(kind) }
        return kinds.enumerated().map { index, kind in
            Event(
                number: index + 1, run: "01J0000000000000000000000A", workflow: workflow,
                time: Date(timeIntervalSince1970: 1_800_000_000 + Double(index) * 0.001).inWholeMilliseconds,
                kind: kind,
                parent: index.isMultiple(of: 2) ? nil : Event.Parent(run: "01J0-B", task: task, occurrence: "for:1"),
                occurrence: index.isMultiple(of: 3) ? "for:3/try:2/call:~1do~10~1a~0b" : "")
        }
    }

    @Test func `an event of each kind is read back as it was`() throws {
        for event in try Self.all.get() {
            let read = try Event(cloudEvent: Value(json: event.record.jsonData()), workflow: event.workflow)
            #expect(dumped(read) == dumped(event))
            #expect(read.record.json() == event.record.json())
        }
    }

    @Test func `the writer of events writes their records, and those that tasks emitted for recorders`() throws {
        var writer = EventWriter()
        let lines = Locked<[String]>([])
        let recorder = Recorder.jsonLines { line in lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
        }
        var events = try Self.all.get()
        let names = ["a \"name\" with /, ~ and \u{1}", "ä"].map { JSONPointer(["do", "0", $0]) }
        events += names.map {
            Event(number: 1, run: "a\"b", workflow: Self.workflow, time: .distantPast, kind: .taskCreated($0))
        }
        for event in events {
            #expect(String(decoding: writer.json(of: event), as: UTF8.self) == event.record.json())
            recorder.record(event)
        }
        #expect(lines.withLock { $0 } == events.map { $0.cloudEvent.json() + "\n" })
        var sealed = events[0]
        sealed.seals = []
        #expect(try Value(json: Data(writer.json(of: sealed, withSeals: true)))[Seal.attribute] == "[]")
        #expect(try Value(json: Data(writer.json(of: sealed)))[Seal.attribute] == nil)
    }

    @Test func `the context of a run that is its input is written once`() throws {
        let started = try Self.all.get()[1]
        #expect(started.record["data"]?["context"] == nil)
        #expect(try Self.all.get()[0].record["data"]?["context"] == ["other": 1])
    }

    @Test(
        arguments: [
            "1", "{}", #"{"data":{}}"#, #"{"source":"urn:graphflow:run:A","id":"B-1","type":"x","data":{}}"#,
            #"{"source":"urn:graphflow:run:A","id":"A-1","type":"x","time":"2026-01-01T00:00:00.000Z","data":{}}"#,
            #"{"source":"urn:graphflow:run:A","id":"A-0","type":"graphflow.call.ended.v1","time":"2026-01-01T00:00:00.000Z","data":{"task":"/do"}}"#,
            #"{"source":"urn:graphflow:run:A","id":"A-1","type":"graphflow.call.ended.v1","time":"yesterday","data":{"task":"/do"}}"#,
            #"{"source":"urn:graphflow:run:A","id":"A-1","type":"graphflow.call.ended.v1","time":"2026-01-01T00:00:00.000Z","data":{"task":"do"}}"#,
            #"{"source":"urn:graphflow:run:A","id":"A-1","type":"graphflow.call.ended.v1","time":"2026-01-01T00:00:00.000Z","data":{"task":"/~2"}}"#,
            #"{"source":"urn:graphflow:run:A","id":"A-1","type":"io.serverlessworkflow.task.retried.v1","time":"2026-01-01T00:00:00.000Z","data":{"task":"/do","attempt":1,"delay":-1,"error":{}}}"#,
        ])
    func `what is no event of a run is refused`(json: String) throws {
        #expect(throws: CloudEventError.self) { try Event(cloudEvent: Value(json: json), workflow: Self.workflow) }
    }

    @Test func `every millisecond is the same when it is read back`() throws {
        for millisecond in 0..<5_000 {
            let date = Date(timeIntervalSince1970: 1_800_000_000 + Double(millisecond) * 0.997).inWholeMilliseconds
            try #require(Date(iso8601: date.iso8601) == date, "\(date.timeIntervalSince1970)")
        }
    }

    @Test func `days are written as Foundation writes them`() throws {
        for day in stride(from: -135_000, to: 2_932_896, by: 97) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 86_399)
            let text = date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
            try #require(date.iso8601 == text)
            try #require(Date(iso8601: text) == date)
        }
    }

    @Test(arguments: [-62_300_000_000.125, 253_402_300_800])
    func `a year that has no four digits is written as Foundation writes it, and not read`(seconds: Double) {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(date.iso8601 == date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        #expect(Date(iso8601: date.iso8601) == nil)
    }

    @Test(
        arguments: [
            "2026-02-29T00:00:00.000Z", "2026-13-01T00:00:00.000Z", "2026-01-01T24:00:00.000Z",
            "2026-01-01T00:60:00.000Z",
            "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000+00:00", "2026-00-10T00:00:00.000Z", "",
        ])
    func `what is no time is not read`(text: String) { #expect(Date(iso8601: text) == nil) }

    private func dumped(_ event: Event) -> String {
        var text = ""
        dump(event, to: &text)
        return text
    }
}
