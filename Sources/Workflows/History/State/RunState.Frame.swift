extension RunState {
    package enum End: Sendable {
        case completed(Value, then: FlowDirective)
        case skipped
        case failed(WorkflowError)
    }

    package struct Retry: Sendable {
        package var attempt: Int
        package var beginsAt: Date
    }

    package struct Reading: Sendable {
        package var output: Value
        package var isLast: Bool
    }

    /// The last jump to a named task in a list.
    package struct Jump: Sendable {
        package var count: Int
        package var data: Value
        /// The repetitions around what follows the jump.
        package var occurrence: String
        package var index = 0

        func leading(to task: JSONPointer) -> Jump {
            var jump = self
            jump.index = task.tokens.dropLast().last.flatMap { Int($0) } ?? 0
            return jump
        }
    }

    package struct Call: Sendable {
        var effect: Idempotency
        /// How it ended, if that was recorded.
        package var end: Event.CallEnd?
        /// The draft of the message that it sends, which can be looked up.
        package var draft: (id: String, internetMessageID: String?)?

        /// Whether it must be made once and its outcome is unknown.
        package var isUnsettled: Bool { effect == .once && end == nil }
    }

    /// What is known of one execution of a task.
    package struct Frame: Sendable {
        package var createdAt: Date
        package var startedAt: Date?
        /// Its transformed input, if the workflow transforms it.
        package var input: Value?
        package private(set) var end: End?
        /// The begun effects of its call that must not happen twice.
        package private(set) var begun: [Effect] = []
        /// When a request of its call was about to be sent that has an effect; nil if none was, or the call has ended.
        package private(set) var begunAt: Date?
        package private(set) var endNumber = 0
        /// Values that a resumed run reuses.
        package private(set) var decisions: [String: Value] = [:]
        /// The round of a `for`, with its initial data.
        package private(set) var round: (number: Int, data: Value)?
        package private(set) var retry: Retry?
        /// The outputs of a `listen` for its events so far.
        package private(set) var readings: [Reading] = []
        /// The events that its forgotten inner tasks have read.
        package var positions: [Int] = []
        /// The events that it has read itself.
        package private(set) var reads: [Int] = []
        package private(set) var call: Call?
        package private(set) var emitted: CloudEvent?
        /// Whether the start and the end of its wait for events are recorded.
        package private(set) var listens = (begun: false, ended: false)
        package var jumps: [JSONPointer: Jump] = [:]

        init(createdAt: Date) { self.createdAt = createdAt }

        var isCancelled = false
        /// When the run was resumed after its end: limits and retries count from then.
        private var renewal: (at: Date, attempts: Int)?
        /// Whether its condition held before it was performed again.
        private var hasBeenDecided = false

        /// Whether it is known that its condition holds.
        package var isDecided: Bool { startedAt != nil || decisions["extensions"] != nil || hasBeenDecided }

        /// The start of its time limits; nil if it has not started.
        package var limitsBeginAt: Date? { startedAt.map { max($0, renewal?.at ?? $0) } }

        package var renewedAt: Date? { renewal?.at }

        package var attemptBeganAt: Date {
            let start = retry?.beginsAt ?? startedAt ?? createdAt
            return max(start, renewal?.at ?? start)
        }

        /// The number of failed attempts that no longer count.
        package var forgivenAttempts: Int { renewal?.attempts ?? 0 }

        /// The events that are read: its own only after its end, because until then it takes them again.
        package var pastPositions: [Int] { end == nil ? positions : positions + reads }

        /// Whether it has not ended, and has made a call that must be made once and has no recorded outcome.
        package var leftCall: Bool { end == nil && call?.isUnsettled ?? false }

        /// The call, if its outcome is known or must be found out.
        private var keptCall: Call? {
            guard var call else { return nil }
            switch call.end {
            case .completed: return call
            case nil: return call.isUnsettled ? call : nil
            case .failed(let error) where error.is(.unknownOutcome):
                call.end = nil
                return call
            case .failed: return nil
            }
        }

        /// Undoes its failure or interruption, because the run is resumed after its end.
        /// - Parameter isInnermost: Whether no inner task is known.
        mutating func reopen(at time: Date, isInnermost: Bool) {
            let hasFailed = end != nil
            let kept = hasFailed ? keptCall : call
            if hasFailed, isInnermost, kept == nil {
                // Performed again with its recorded input.
                var frame = Frame(createdAt: createdAt)
                (frame.input, frame.positions, frame.emitted) = (input, positions, emitted)
                // The runs of its items are known by the items' numbers.
                frame.decisions[Workflow.Call.forEach] = decisions[Workflow.Call.forEach]
                frame.hasBeenDecided = isDecided
                self = frame
            }
            (end, isCancelled, call) = (nil, false, kept)
            renewal = (time, (retry?.attempt ?? 1) - 1)
        }

        /// Keeps only its end, the events that it read, and its extensions.
        mutating func finish(_ end: End, number: Int) {
            var frame = Frame(createdAt: createdAt)
            frame.startedAt = startedAt
            frame.end = end
            frame.endNumber = number
            frame.positions = positions + reads
            // Its `after` extensions run after its end.
            frame.decisions["extensions"] = decisions["extensions"]
            self = frame
        }

        /// Keeps everything with its error; a task that completed stays so if an extension fails after it.
        mutating func fail(_ end: End, number: Int) {
            if case .completed? = self.end { return }
            (self.end, endNumber) = (end, number)
        }

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
            case .callStarted(_, let effect):
                // A resumed run looks the draft up, even if its process ended before it could do so.
                let draft = call?.end == nil ? call?.draft : nil
                call = Call(effect: draft == nil ? effect : .once, draft: draft)
            case .callEnded(_, let end):
                if let end { call?.end = end }
                (begun, begunAt) = ([], nil)
            case .request(_, let request):
                switch request.kind {
                case .drafted(let id, let internetMessageID):
                    call?.effect = .once
                    call?.draft = (id, internetMessageID)
                case .committing: call?.effect = .once
                case .effect(let effect, .begun):
                    begunAt = begunAt ?? event.time
                    if effect.isOnce { begun.append(effect) }
                case .retrying, .held, .uploaded, .effect: break
                }
            default: break
            }
        }
    }
}
