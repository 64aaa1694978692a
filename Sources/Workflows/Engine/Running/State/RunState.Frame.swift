import Foundation

extension RunState {
    /// How a task ended, or a run.
    enum End: Sendable {
        /// With that output, to go on at that place.
        case completed(Value, then: FlowDirective)
        /// Without having begun, because its condition did not hold.
        case skipped
        /// With that error.
        case failed(WorkflowError)
    }

    /// The next attempt of a `try`.
    struct Retry: Sendable {
        var attempt: Int
        /// When it begins, or began.
        var beginsAt: Date
    }

    /// What the tasks of a `listen` made of one event.
    struct Reading: Sendable {
        var output: Value
        var isLast: Bool
    }

    /// Where a directive led in a list of tasks.
    struct Jump: Sendable {
        /// How often directives led to tasks by their names in the list.
        var count: Int
        /// The data there.
        var data: Value
        /// The position of the task in its list.
        var index = 0

        func leading(to task: JSONPointer) -> Jump {
            var jump = self
            jump.index = task.tokens.dropLast().last.flatMap { Int($0) } ?? 0
            return jump
        }
    }

    /// A call of a function, or of a program.
    struct Call: Sendable {
        var effect: Effect
        /// How it ended, where that was recorded.
        var end: Event.CallEnd?
        /// The draft of the message that it sends, which can be looked for.
        var draft: (id: String, internetMessageID: String?)?

        /// Whether it must be made once, and nobody knows whether it was.
        var isUnsettled: Bool { effect == .once && end == nil }
    }

    /// What is known of one performance of a task.
    struct Frame: Sendable {
        /// When its turn came.
        var createdAt: Date
        /// When it began; nil as long as it has not.
        var startedAt: Date?
        /// Its transformed input, where the file transforms it.
        var input: Value?
        private(set) var end: End?
        /// The number of the event that recorded the end.
        private(set) var endNumber = 0
        /// What is not to be found out again.
        private(set) var decisions: [String: Value] = [:]
        /// The round of a `for`, and the data with which it began.
        private(set) var round: (number: Int, data: Value)?
        /// The last attempt of a `try` but the first one.
        private(set) var retry: Retry?
        /// What a `listen` made of its events so far.
        private(set) var readings: [Reading] = []
        /// The events that tasks inside it have read, as far as those tasks are forgotten.
        var positions: [Int] = []
        /// The events that it has read itself.
        private(set) var reads: [Int] = []
        private(set) var call: Call?
        /// What it emitted.
        private(set) var emitted: CloudEvent?
        /// Whether it was recorded that it waits for events, and that it has them.
        private(set) var listens = (begun: false, ended: false)
        /// Where directives led in the lists of tasks inside it.
        var jumps: [JSONPointer: Jump] = [:]

        init(createdAt: Date) { self.createdAt = createdAt }

        /// Whether it was found out that its condition holds.
        var isDecided: Bool { startedAt != nil || decisions["extensions"] != nil }

        /// Keeps nothing but how it ended, what it read, and what extends it.
        mutating func finish(_ end: End, number: Int) {
            var frame = Frame(createdAt: createdAt)
            frame.startedAt = startedAt
            frame.end = end
            frame.endNumber = number
            frame.positions = positions + reads
            // What extensions put behind it comes when it has ended.
            frame.decisions["extensions"] = decisions["extensions"]
            self = frame
        }

        /// Takes note of what happens while it is at work.
        mutating func note(_ event: Event) {
            switch event.kind {
            case .decided(_, let what, let value): decisions[what] = value
            case .iterationStarted(_, let number, let data): round = (number, data)
            case .iterationCompleted(_, _, let output, _, let isLast):
                readings.append(Reading(output: output, isLast: isLast))
            case .taskRetried(_, let attempt, let delay, _):
                retry = Retry(attempt: attempt, beginsAt: event.time + delay.seconds)
            case .eventEmitted(_, let event): emitted = event
            case .eventRead(_, let position): reads.append(position)
            case .correlationStarted: listens.begun = true
            case .correlationCompleted: listens.ended = true
            case .callStarted(_, let effect): call = Call(effect: effect)
            case .callEnded(_, let end?): call?.end = end
            case .request(_, let request):
                switch request.kind {
                case .drafted(let id, let internetMessageID):
                    call?.effect = .once
                    call?.draft = (id, internetMessageID)
                case .committing: call?.effect = .once
                case .retrying, .held, .uploaded: break
                }
            default: break
            }
        }
    }
}
