public import Foundation
public import Workflows

/// A folder of runs that is removed with its last user, and what runs in it need.
public final class TemporaryRuns: Sendable {
    /// The value of `GRAPHFLOW_HOME`.
    public let home: URL
    /// The folder of runs in it.
    public var folder: RunsFolder { .standard(environment: ["GRAPHFLOW_HOME": home.path]) }
    /// The workflow of the runs.
    public static let workflow = Workflow.Metadata(
        dsl: "1.0.3", namespace: "tests", name: "journal", version: "1.0.0", title: nil, summary: nil)
    /// The text of its file.
    public static let text = Data(
        "document: { dsl: 1.0.3, namespace: tests, name: journal, version: 1.0.0 }\ndo: []\n".utf8)

    /// Names a folder that does not exist yet.
    public init() {
        home = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appendingPathComponent("runs-\(UUID().uuidString)", isDirectory: true)
    }

    deinit { try? FileManager.default.removeItem(at: home) }

    /// The place of a run's file.
    public func path(_ run: String, _ name: String = "journal.jsonl") -> String {
        folder.url.appendingPathComponent(run).appendingPathComponent(name).path
    }

    /// The header of a run that is the same in every test.
    public static func header(_ run: String, input: Value = ["to": "megan@contoso.com"]) -> Journal.Header {
        Journal.Header(
            run: run, workflow: workflow, file: "/home/megan/journal.yaml", digest: Journal.Header.digest(of: text),
            input: input, startedAt: Date(timeIntervalSince1970: 1_800_000_000.125),
            graphURL: "https://graph.microsoft.com/v1.0")
    }

    /// Begins a run, writes events with its name and their numbers, and closes it.
    @discardableResult
    public func record(
        _ kinds: [Event.Kind], as run: String = "01J00000000000000000000001", startedAt: Date? = nil,
        workflow: Workflow.Metadata = TemporaryRuns.workflow
    ) throws -> [Event] {
        var header = Self.header(run)
        header.workflow = workflow
        if let startedAt { header.startedAt = startedAt }
        let journal = try Journal.begin(header, text: Self.text, in: folder)
        let events = Self.events(kinds, of: header)
        for event in events { try journal.append(event) }
        try journal.flush()
        return events
    }

    /// Events of a run, one every second.
    public static func events(_ kinds: [Event.Kind], of header: Journal.Header) -> [Event] {
        kinds.enumerated().map { index, kind in
            Event(
                number: index + 1, run: header.run, workflow: header.workflow,
                time: header.startedAt.addingTimeInterval(Double(index)), kind: kind)
        }
    }
}

extension Journal {
    /// Appends an event of a run without secrets.
    package func append(_ event: Event, _ urgency: Urgency = .atOnce) throws(JournalError) {
        if let searched = KnownSecrets().conceal(event) { try append(searched, urgency) }
    }
}
