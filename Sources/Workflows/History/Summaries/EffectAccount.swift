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

    /// The effect as JSON, without its run.
    public var value: Object {
        var members = effect.value.object ?? [:]
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

    /// The effects in the order in which they began, including refused ones.
    private var all: [AccountedEffect] = []
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
        take(effect, state, of: event.run, inside: event.parent?.run, at: event.time)
    }

    /// Takes an effect of a run; `parent` is the run around it.
    mutating func take(
        _ effect: Effect, _ state: Effect.State, of run: String, inside parent: String?, at time: Date
    ) {
        enclose(run, in: parent)
        if state == .undone { return undo(effect, of: run, at: time) }
        let place = Self.place(of: effect, in: run)
        if let index = latest[place], effect.continues(all[index].effect, all[index].state, as: state) {
            // An effect that certainly happened stays so, even if a repetition has no answer.
            guard all[index].state != .done || state == .done else { return }
            var effect = effect
            // A repeated request may find what the first one made, and say less of it.
            if effect.object?.path == nil, let known = all[index].effect.object { effect.object = known }
            (all[index].effect, all[index].state, all[index].at) = (effect, state, time)
            return
        }
        latest[place] = all.count
        all.append(
            AccountedEffect(effect: effect, state: state, at: time, run: run, inside: outer[run]))
    }

    /// Marks the effect that another run took back.
    private mutating func undo(_ effect: Effect, of run: String, at time: Date) {
        if places.count != all.count {
            places = (all.count, Dictionary(grouping: all.indices) { Self.place(of: all[$0].effect, in: all[$0].run) })
        }
        let index = places.indices[Self.place(of: effect, in: outer[run] ?? run)]?.last { index in
            all[index].state == .done && all[index].effect.members == effect.members
                && all[index].effect.object == effect.object
        }
        guard let index else { return }
        (all[index].state, all[index].at) = (.undone, time)
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
    ///
    /// An effect that must not happen twice is recorded before it happens. A resumed run that only finds that it
    /// happened records it again.
    fileprivate func continues(_ former: Effect, _ state: State, as new: State) -> Bool {
        switch state {
        case .begun, .unknown, .refused: true
        case .done, .undone: isOnce ? new != .begun : members == former.members
        }
    }
}
