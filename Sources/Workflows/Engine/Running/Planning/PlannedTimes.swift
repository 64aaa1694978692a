struct PlannedTimes {
    var shortest = Duration.zero
    /// Nil if there is no limit.
    var longest: Duration? = .zero
}

extension [PlannedTimes] {
    /// The times of parts that happen one after the other.
    var inARow: PlannedTimes {
        reduce(into: PlannedTimes()) { sum, part in
            sum.shortest += part.shortest
            sum.longest = sum.longest.flatMap { longest in part.longest.map { longest + $0 } }
        }
    }

    /// The times of parts that all happen concurrently, or only one of which happens.
    func oneOf(shortest: (Duration, Duration) -> Duration) -> PlannedTimes {
        guard let first else { return PlannedTimes() }
        return dropFirst().reduce(into: first) { all, part in
            all.shortest = shortest(all.shortest, part.shortest)
            all.longest = all.longest.flatMap { longest in part.longest.map { Swift.max(longest, $0) } }
        }
    }
}

extension PlannedTask {
    var times: PlannedTimes {
        var own = PlannedTimes()
        if kind == .wait {
            own = PlannedTimes(shortest: wait ?? .zero, longest: wait)
        } else if case .unknown = outcome {
            own.longest = nil
        } else if kind == .listen {
            own.longest = nil
        }
        for step in steps {
            switch step {
            case .request(let request):
                own.longest = own.longest.map {
                    $0 + request.operation.timeout * request.operation.attempts + request.operation.longestWait
                }
            case .process(let process):
                if process.isAwaited { own.longest = nil }
            }
        }
        func part(_ kinds: Set<PlannedBranch.Kind>) -> [PlannedTimes] {
            branches.filter { kinds.contains($0.kind) }.map(\.times)
        }
        var items = part([.item]).inARow
        items.shortest = items.shortest / (concurrency ?? ForEach.mostAtWork)
        var inside = ([own, items] + part([.tasks, .round])).inARow
        if let retry {
            inside.longest = inside.longest.flatMap { longest in
                retry.attempts.flatMap { attempts in retry.longestWait.map { longest * attempts + $0 } }
            }
        }
        let competes = branches.contains { $0.certainty == .race }
        let sides = part([.branch]).oneOf { competes ? Swift.min($0, $1) : Swift.max($0, $1) }
        let ways = part([.alternative]).oneOf { Swift.min($0, $1) }
        let rest = part([.rest]).inARow
        let handlers = part([.handler]).oneOf { Swift.min($0, $1) }
        var all = [inside, sides, ways, rest, PlannedTimes(longest: handlers.longest)].inARow
        if let timeout {
            all.longest = all.longest.map { Swift.min($0, timeout) } ?? timeout
            all.shortest = Swift.min(all.shortest, timeout)
        }
        if certainty != .certain || { if case .skipped = outcome { true } else { false } }() { all.shortest = .zero }
        return all
    }
}

extension PlannedBranch {
    var times: PlannedTimes {
        var times = tasks.map(\.times).inARow
        switch certainty {
        case .each:
            // The number of repetitions is unknown.
            times.longest = times.longest == .zero ? .zero : nil
            times.shortest = .zero
        case .loop, .condition: times.shortest = .zero
        default: break
        }
        if case .again = end { times.longest = nil }
        return times
    }
}

extension DurationSource {
    var known: Duration? {
        guard case .literal(let duration) = self else { return nil }
        return duration
    }
}
