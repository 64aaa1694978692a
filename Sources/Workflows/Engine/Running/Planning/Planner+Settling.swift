extension Planner {
    /// What is not undone when something is planned again.
    struct Learning: Sendable {
        /// The widest state at each place that was planned more than once.
        fileprivate var states: [String: any Sendable] = [:]
        fileprivate var isInProgress = false
        fileprivate var hasNews = false
        /// How often the outermost of these places has been planned.
        fileprivate var passes = 0
        /// The number of tasks that were planned, each as often as it was.
        var effort = 0
    }

    /// The number of passes after which what is repeated inside something repeated is not looked at more closely.
    private static let mostPasses = 5

    /// Whether what is learned spreads so slowly that all of it counts as unknown.
    var isHurried: Bool { learning.withLock { $0.passes > Self.mostPasses } }

    /// Plans what depends on what it leaves itself, from one state after another; only the last one stays in the plan.
    ///
    /// What is inside and depends on itself as well learns a step each time, so that costs do not multiply.
    /// - Parameters:
    ///   - place: Where it is, which no other has.
    ///   - first: The first state, with what an earlier one at this place knows.
    ///   - wider: The state from which it is planned again; nil if the result agrees with the state.
    /// - Returns: The last state, and its result.
    func settle<State: Sendable, T: Sendable>(
        at place: String, from first: (State?) -> State, plan: @escaping @Sendable (State) -> Promise<T>,
        wider: @escaping @Sendable (State, Result<T, any Error>) -> State?
    ) -> Promise<(state: State, value: T)> {
        let (former, isInside) = learning.withLock { learning in
            if !learning.isInProgress { learning.passes = 0 }
            return (learning.states[place] as? State, learning.isInProgress)
        }
        @Sendable func learn(_ state: State, _ result: Result<T, any Error>) throws -> State? {
            if case .failure(let error) = result, error.isCancelled { throw error }
            guard let wider = wider(state, result) else { return nil }
            learning.withLock { ($0.states[place], $0.hasNews) = (wider, true) }
            return wider
        }
        let start = first(former)
        guard !isInside else {
            return plan(start).outcome.map { result in
                _ = try learn(start, result)
                return (start, try result.get())
            }
        }
        return repeating(start) { state -> Promise<Step<State, (state: State, value: T)>> in
            self.learning.withLock { ($0.isInProgress, $0.hasNews, $0.passes) = (true, false, $0.passes + 1) }
            return self.rehearse { plan(state) }.then {
                result, planned -> Promise<Step<State, (state: State, value: T)>> in
                self.learning.withLock { $0.isInProgress = false }
                let wider = try learn(state, result)
                if self.learning.withLock(\.hasNews) { return .value(.again(wider ?? state)) }
                guard self.adopt(planned) else { return plan(state).map { .done((state, $0)) } }
                return .value(.done((state, try result.get())))
            }
        }
    }
}

extension Promise {
    /// The value or the error, as a value.
    var outcome: Promise<Result<T, any Error>> {
        map { value -> Result<T, any Error> in .success(value) }.recover {
            error -> Promise<Result<T, any Error>> in .value(.failure(error))
        }
    }
}
