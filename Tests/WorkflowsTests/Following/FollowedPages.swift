import Foundation
import Promises
import TestSupport

@testable import MicrosoftGraph
@testable import WorkflowHistory
@testable import WorkflowModel
@testable import Workflows

/// Follows a source whose pages a test wrote, without a network.
final class FollowedPages {
    enum Answer {
        case page([Value], next: String)
        case last([Value], cursor: String)
        case value(Value)
        case failure(GraphError)

        static func status(_ status: Int, _ code: String? = nil) -> Answer {
            var error = GraphError(GraphError.Code(status: status), status: status, message: "No.")
            error.serviceCode = code
            return .failure(error)
        }

        fileprivate var result: Result<Value, GraphError> {
            switch self {
            case .page(let items, let next): .success(["value": .array(items), "@odata.nextLink": .string(next)])
            case .last(let items, let cursor): .success(["value": .array(items), "@odata.deltaLink": .string(cursor)])
            case .value(let value): .success(value)
            case .failure(let error): .failure(error)
            }
        }
    }

    /// How a round ended.
    struct Outcome: Equatable {
        /// Such as `created a`, in order.
        var changes: [String] = []
        /// Nil if the round was written.
        var stop: String?
        /// The addresses that were asked; nil is the beginning.
        var asked: [String?] = []
        /// In seconds.
        var pauses: [Double] = []
        var isComparison = false
    }

    let folder = PrivateFolder(
        path: FileManager.default.temporaryDirectory.resolvingSymlinksInPath().appending(path: "f-\(UUID())").path)
    let source: ChangeSource
    /// What runs wrote, which is no change.
    let own = OwnWrites(clock: SkippingClock())
    /// When the next round begins.
    var began = Date(timeIntervalSince1970: 1_767_225_600)
    var log: ChangeLog
    private var eventCount = 0
    private var follower: ChangeFollower
    private let now = Date(timeIntervalSince1970: 1_767_225_600)

    init(_ source: ChangeSource = .testing()) throws {
        self.source = source
        log = try ChangeLog(in: folder, of: "test", at: now)
        follower = ChangeFollower(source, from: nil)
    }

    deinit {
        log.close()
        try? FileManager.default.removeItem(atPath: folder.path)
    }

    /// Continues as a new process does.
    func restart() throws {
        log.close()
        log = try ChangeLog(in: folder, of: "test", at: now)
        follower = ChangeFollower(source, from: log.cursor)
    }

    /// Performs a round, with what the service answers in order; it ends early if the answers do.
    func round(_ answers: Answer...) throws -> Outcome { try round(answers) }

    func round(_ answers: [Answer]) throws -> Outcome {
        var rest = answers[...]
        return try round { _ in rest.popFirst()?.result }
    }

    /// - Parameter answer: The answer to a request for an address; nil for none.
    func round(_ answer: (String?) throws -> Result<Value, GraphError>?) throws -> Outcome {
        var outcome = Outcome()
        var action = follower.begin()
        while true {
            switch action {
            case .ask(let address):
                outcome.asked.append(address)
                switch try answer(address) {
                case .success(let page):
                    let found: ChangeFollower.Found
                    (found, action) = try follower.take(page, knowing: log)
                    let events = found.changes.compactMap { number, change in
                        change.event(log.eventID(number), of: source, for: "tests/w", at: now)
                    }
                    try log.note(found.items, events)
                case .failure(let error): action = follower.take(error)
                case nil:
                    outcome.stop = "no answer"
                    return outcome
                }
            case .compare:
                try log.abandon()
                action = .ask(nil)
            case .pause(let time, _):
                outcome.pauses.append(time.seconds)
                if follower.isAnew { try log.abandon() }
                action = follower.resumption
            case .stop(let stop):
                outcome.stop = stop.words(for: source)
                return outcome
            case .commit(let round):
                try log.note(round.removed.map { ($0, nil) })
                let ours = OwnWrites.Round(workflow: "tests/w", source: source, began: began, since: .distantPast)
                let leftOut = round.changes.indices.filter { index in
                    round.changes[index].map { own.made($0, in: ours, knowing: log) } ?? true
                }
                own.end(ours, knowing: log)
                try log.commit(leavingOut: leftOut, cursor: round.cursor, at: began)
                outcome.changes = try log.undelivered.events.map { event in
                    "\(event.type.split(separator: ".").last ?? "") \(event["subject"]?.string ?? "")"
                }
                try log.delivered()
                follower.committed(round)
                outcome.isComparison = round.isComparison
                return outcome
            }
        }
    }
}

extension FollowedPages {
    /// Takes an event of a run of the workflow, now or at a time.
    func take(
        _ kind: Event.Kind, run: String = "1", name: String = "w", parent: String? = nil, at time: Date? = nil
    ) {
        let metadata = Workflow.Metadata(
            dsl: "1.0.3", namespace: "tests", name: name, version: "1.0.0", title: nil, summary: nil)
        eventCount += 1
        var event = Event(number: eventCount, run: run, workflow: metadata, time: time ?? began, kind: kind)
        event.parent = parent.map { Event.Parent(run: $0, task: .root) }
        own.take(event)
    }

    func take(_ kind: GraphEvent.Kind) {
        take(.request(.root, GraphEvent(operation: "graph", task: .root, kind: kind)))
    }

    /// Takes the effect of a request of a run.
    func write(
        _ kind: Effect.Kind, _ members: Object = [:], _ state: Effect.State = .done, object: ObjectVersion? = nil,
        run: String = "1", name: String = "w", parent: String? = nil, at time: Date? = nil
    ) {
        var effect = Effect(.init(kind, members))
        effect.object = object
        let event = GraphEvent(operation: "graph", task: .root, kind: .effect(effect, state))
        take(.request(.root, event), run: run, name: name, parent: parent, at: time)
    }
}

extension PendingEvents? {
    /// All of them.
    var events: [CloudEvent] {
        get throws {
            var events: [CloudEvent] = []
            try self?.forEachPart { events += $0 }
            return events
        }
    }
}

extension ChangeSource {
    static func testing(
        _ resource: String = "/me/mailFolders/inbox/messages", _ item: Item = .message,
        kinds: Set<Kind> = Set(Kind.allCases), since: Beginning = .now, select: [String] = [], maximum: Int? = nil
    ) -> ChangeSource {
        ChangeSource(
            resource: resource, item: item, kinds: kinds, every: .seconds(60), since: since, select: select,
            maximum: maximum, place: .root)
    }
}

extension Value {
    /// A message as a delta query lists it.
    static func mail(_ id: String, _ version: Int, received: String = "2026-01-01T00:00:00Z") -> Value {
        [
            "id": .string(id), "@odata.etag": .string("W/\"\(id) \(version)\""), "subject": "Größe ‹\(id)› 50 % \"😀\"",
            "receivedDateTime": .string(received),
        ]
    }

    static func removed(_ id: String) -> Value { ["id": .string(id), "@removed": ["reason": "deleted"]] }
}
