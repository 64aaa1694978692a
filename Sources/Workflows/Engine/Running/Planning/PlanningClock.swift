/// A clock on which every wait ends at once.
struct PlanningClock: PromiseClock {
    private let time = Locked(Duration.zero)
    private let planner: Planner?

    init(_ planner: Planner? = nil) { self.planner = planner }

    var now: Duration { time.withLock { $0 } }

    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> ScheduledWork {
        time.withLock { $0 += delay }
        if delay > .zero {
            planner?.note { task in
                if task.kind == .wait { task.wait = delay }
            }
        }
        work()
        return ScheduledWork {}
    }
}
