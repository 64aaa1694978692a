/// An effect that a run had.
public struct AccountedEffect: Sendable {
    /// What it was.
    public var effect: Effect
    /// What became of it.
    public var state: Effect.State
    /// When that was recorded.
    public var at: Date
    /// The run, which for an item of a batch is the item's.
    public var run: String
    /// The run that had it: that one, or one inside it.
    package var inner: String
    /// The name of the run's workflow.
    public var workflow: String
    /// Whether a sandbox inside the process answered.
    public var isSandboxed: Bool

    package init(
        effect: Effect, state: Effect.State, at time: Date, run: String, inside outermost: String? = nil
    ) {
        (self.effect, self.state, at, inner, self.run) = (effect, state, time, run, outermost ?? run)
        (workflow, isSandboxed) = ("", false)
    }

    /// The effect in words: in the past, if it happened.
    public var summary: String { isDone ? effect.pastSummary : effect.summary }

    /// What it was for a person, and what became of it.
    package var wordsForPerson: String {
        (state == .done ? "" : "\(state.rawValue): ") + effect.words(isPast: isDone)
    }

    /// Whether it happened, even if it was undone.
    private var isDone: Bool { state == .done || state == .undone }

    /// The effect as JSON, without its run.
    public var value: Object {
        var members = effect.value.object ?? [:]
        members["summary"] = .string(summary)
        members["at"] = .string(at.iso8601)
        members["state"] = .string(state.rawValue)
        return members
    }

    /// The effect as JSON, with its run.
    public var valueWithRun: Value {
        var members: Object = [
            "run": .string(run), "workflow": .string(workflow), "sandbox": .bool(isSandboxed),
        ]
        for (name, member) in value { members[name] = member }
        return .object(members)
    }
}

/// What a run did, folded from the events of its journal.
public struct EffectAccount: Sendable {
    /// One place of a run at which effects of a kind happen.
    private struct Place: Hashable {
        let run: String
        let task: JSONPointer?
        let rounds: String
        let kind: Effect.Kind
    }

    private struct Likeness: Hashable {
        let place: Place
        let effect: Effect.Details
    }

    /// The effects in the order in which they began, including refused ones.
    private var all: [AccountedEffect] = []
    /// Where each is, by all events with which it began: a repetition begins it again.
    private var known: [String: Int] = [:]
    private var alike: [Likeness: Int] = [:]
    /// For outcomes that do not name their effect.
    private var latest: [Place: Int] = [:]
    /// Where the first effects are in ``all``, made when one of them was taken back.
    private var places: (count: Int, indices: [Place: [Int]]) = (0, [:])
    /// The outermost runs by their inner runs.
    private var outer: [String: String] = [:]

    /// Creates an empty account.
    public init() {}

    /// Takes an event of a run.
    public mutating func take(_ event: Event) {
        enclose(event.run, in: event.parent?.run)
        guard case .request(_, let request) = event.kind, case .effect(var effect, let state) = request.kind else {
            return
        }
        if event.hidesObject { effect.object = nil }
        take(effect, state, of: event.run, inside: event.parent?.run, at: event.time, as: event.id)
    }

    /// Takes an effect of a run; `parent` is the run around it, and `event` the id of the event that records it.
    mutating func take(
        _ effect: Effect, _ state: Effect.State, of run: String, inside parent: String?, at time: Date,
        as event: String
    ) {
        enclose(run, in: parent)
        let identity = effect.identity ?? event
        guard let index = index(of: effect, state, in: run) else {
            guard state != .undone else { return }
            var effect = effect
            effect.identity = identity
            known[identity] = all.count
            latest[Self.place(of: effect, in: run)] = all.count
            alike[Self.likeness(of: effect, in: run)] = all.count
            all.append(AccountedEffect(effect: effect, state: state, at: time, run: run, inside: outer[run]))
            return
        }
        known[identity] = index
        if state == .undone {
            (all[index].state, all[index].at) = (.undone, time)
            // The version that the undo left is no one else's.
            if effect.identity != nil, let etag = effect.object?.etag { all[index].effect.object?.etag = etag }
            return
        }
        // An effect that certainly happened stays so, even if a repetition has no answer.
        guard all[index].state != .done || state == .done else { return }
        var effect = effect
        effect.identity = all[index].effect.identity
        // A repeated request may find what the first one made, and say less of it.
        if effect.object?.path == nil, let known = all[index].effect.object { effect.object = known }
        (all[index].effect, all[index].state, all[index].at) = (effect, state, time)
    }

    /// Where the effect is whose start, repetition or outcome is recorded.
    private mutating func index(of effect: Effect, _ state: Effect.State, in run: String) -> Int? {
        if let identity = effect.identity, let index = known[identity] { return index }
        if state == .undone { return effect.identity == nil ? undone(effect, of: run) : nil }
        if let index = alike[Self.likeness(of: effect, in: run)],
            effect.continues(all[index].effect, all[index].state, as: state)
        {
            return index
        }
        // Only an outcome can say more than its start, or another thing than expected.
        guard state != .begun, effect.identity == nil, let index = latest[Self.place(of: effect, in: run)],
            effect.continues(all[index].effect, all[index].state, as: state)
        else { return nil }
        return index
    }

    /// The effect that a former version recorded as taken back, which did not name it.
    private mutating func undone(_ effect: Effect, of run: String) -> Int? {
        if places.count != all.count {
            places = (all.count, Dictionary(grouping: all.indices) { Self.place(of: all[$0].effect, in: all[$0].run) })
        }
        return places.indices[Self.place(of: effect, in: outer[run] ?? run)]?.last { index in
            all[index].state == .done && all[index].effect.details == effect.details
                && all[index].effect.object == effect.object
        }
    }

    private static func likeness(of effect: Effect, in run: String) -> Likeness {
        Likeness(place: place(of: effect, in: run), effect: effect.likeness)
    }

    private static func place(of effect: Effect, in run: String) -> Place {
        Place(run: run, task: effect.task, rounds: effect.placeOfRepetitions, kind: effect.kind)
    }

    private mutating func enclose(_ run: String, in parent: String?) {
        if let parent, outer[run] == nil { outer[run] = outer[parent] ?? parent }
    }

    var isEmpty: Bool { all.isEmpty }

    /// Whether the outcome of an effect is unknown.
    var isOpen: Bool { all.contains { $0.state == .begun } }

    /// The effects that happened or may have happened.
    /// - Parameter isAtWork: Whether the run is in progress: begun effects may still end.
    public func effects(isAtWork: Bool) -> [AccountedEffect] {
        all.compactMap { accounted in
            var accounted = accounted
            switch accounted.state {
            case .refused: return nil
            case .begun:
                guard !isAtWork else { return nil }
                accounted.state = .unknown
            case .done, .unknown, .undone: break
            }
            return accounted
        }
    }
}

extension Effect {
    /// The rounds of an effect; repeatable effects have the same ones in each attempt.
    fileprivate var placeOfRepetitions: String {
        isOnce ? rounds : Self.withoutAttempts(rounds)
    }

    /// Whether it is a known effect at the same place, repeated or with a newer state.
    fileprivate func continues(_ former: Effect, _ state: State, as new: State) -> Bool {
        switch state {
        case .begun, .unknown, .refused: true
        // What is set again is the same; a file that is written again is another one.
        case .done, .undone: new == .begun ? !isOnce && kind != .file : isOnce || details == former.details
        }
    }
}
