import Promises
public import Workflows

/// Keeps the events of a run for a test.
public final class EventLog: Sendable {
    private let kept = Locked<[Event]>([])

    /// Creates an empty log.
    public init() {}

    /// The recorder to give to a runner.
    public var recorder: Recorder { Recorder { event in self.kept.withLock { $0.append(event) } } }

    /// Every event so far, in order.
    public var events: [Event] { kept.withLock { $0 } }

    /// How many events there were so far.
    public var count: Int { kept.withLock { $0.count } }

    /// The types of the events so far without their common prefix, such as `task.completed`, with their tasks.
    ///
    /// Without `task.created`, which comes before every `task.started` and `task.skipped`.
    public var summary: [String] {
        events.filter { !$0.type.hasSuffix("task.created.v1") }.map { event in
            let type = event.type.replacing("io.serverlessworkflow.", with: "").replacing("graphflow.", with: "")
                .replacing(".v1", with: "")
            return event.task.map { "\(type) \($0)" } ?? type
        }
    }
}
