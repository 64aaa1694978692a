/// What a run and its inner runs did, and which task each inner run is inside.
struct EffectEvents: Sendable {
    private var events: [Event] = []
    private var parents: [String: Event.Parent] = [:]

    mutating func take(_ event: Event) {
        if let parent = event.parent { parents[event.run] = parent }
        if case .request(_, let request) = event.kind, case .effect = request.kind { events.append(event) }
    }

    /// The effects of the tasks of a `try`, in the order in which they began.
    /// - Parameters:
    ///   - place: The `try`, which handles an error.
    ///   - run: The run that it belongs to.
    ///   - outermost: The outermost run around that.
    ///   - names: The names of the tasks whose effects are wanted; nil for all.
    func effects(
        ofTrying place: TaskExecution, in run: String, inside outermost: String, named names: Set<String>?
    ) -> [AccountedEffect] {
        var account = EffectAccount()
        for event in events {
            guard case .request(_, let request) = event.kind, case .effect(let effect, _) = request.kind,
                let task = effect.task,
                let found = self.names(from: TaskExecution(task, effect.rounds), of: event.run, to: place, in: run)
            else { continue }
            if names.map({ !$0.isDisjoint(with: found) }) ?? true { account.take(event) }
        }
        return account.effects(isAtWork: false).map { accounted in
            var accounted = accounted
            accounted.run = outermost
            return accounted
        }
    }

    /// The names of the tasks from a place to the tasks of a `try` around it; nil if it is not inside.
    private func names(
        from inner: TaskExecution, of innerRun: String, to place: TaskExecution, in run: String
    ) -> [String]? {
        var (current, names) = (inner, [String]())
        var owner = innerRun
        while owner != run {
            guard let parent = parents[owner] else { return nil }
            (owner, current) = (parent.run, TaskExecution(parent.task, parent.occurrence))
        }
        let list = place.task.tokens + ["try"]
        while true {
            let isAround =
                current.occurrence == place.occurrence || current.occurrence.hasPrefix("\(place.occurrence)/")
            if current.task.tokens.starts(with: list), isAround || place.occurrence.isEmpty {
                return names + current.task.names(after: list.count)
            }
            names += current.task.names(after: 0)
            guard let caller = current.caller else { return nil }
            current = caller
        }
    }
}

extension JSONPointer {
    /// The names of the tasks in a pointer to a task, without the first tokens.
    fileprivate func names(after count: Int) -> [String] {
        let tokens = tokens.dropFirst(count)
        return zip(tokens, tokens.dropFirst()).filter { Int($0.0) != nil }.map(\.1)
    }
}

extension TaskExecution {
    /// The task that called the workflow's function, or has the extension, that this task belongs to.
    fileprivate var caller: TaskExecution? {
        guard task.tokens.first == "use" else { return nil }
        var parts = occurrence.split(separator: "/")
        while let part = parts.popLast() {
            if let caller = JSONPointer(caller: part) { return TaskExecution(caller, parts.joined(separator: "/")) }
        }
        return nil
    }
}
