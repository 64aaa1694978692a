extension Plan {
    /// What a run does to people and things, in the order of the plan, and the notifications at its end.
    public var effects: [Effect] {
        var collector = EffectCollector()
        for task in tasks { collector.collect(task, inside: EffectCollector.Place()) }
        return collector.effects.map { $0.seen(by: perspective) } + notifications
    }
}

/// Collects the effects of planned tasks, with how often each happens.
private struct EffectCollector {
    private(set) var effects: [Effect] = []
    /// The paths of the written files, by the unknown ids of the files.
    private var paths: [Unknown: Value] = [:]

    /// How often the tasks at a place are performed.
    struct Place {
        var count = Effect.Count.one
        /// How often an effect that must not be repeated may happen anyway; nil for no limit.
        var attempts: Int? = 1
        /// The innermost condition in words.
        var condition: String?

        func on(_ certainty: PlannedCertainty) -> Place {
            guard certainty != .certain else { return self }
            var place = self
            place.count.atLeast = 0
            place.condition = certainty.description
            switch certainty {
            case .each(_, let count):
                place.count.atMost = place.count.atMost.flatMap { most in count.flatMap(most.times) }
            case .loop: place.count.atMost = nil
            case .certain, .condition, .case, .failure, .race: break
            }
            return place
        }

        /// The place of tasks that may be performed several times, with nil for unlimited attempts.
        ///
        /// If errors are caught, any of the tasks may be skipped.
        func tried(_ attempts: Int?, isCaught: Bool) -> Place {
            var place = self
            place.attempts = attempts.flatMap { attempts in self.attempts.flatMap(attempts.times) }
            guard isCaught else { return place }
            place.count.atLeast = 0
            place.condition = condition ?? "unless something fails before it"
            return place
        }
    }

    mutating func collect(_ task: PlannedTask, inside place: Place) {
        var place = place.on(task.certainty)
        // A jump back repeats it; only a run knows how often.
        if task.occurrence.split(separator: "/").contains("jump:*") { place.count.atMost = nil }
        take(task, at: place)
        for branch in task.branches {
            var inner = place.on(branch.certainty)
            if case .each = branch.certainty, let least = branch.repetitions.flatMap(place.count.atLeast.times) {
                (inner.count.atLeast, inner.condition) = (least, place.condition)
            }
            if task.kind == .try, branch.kind == .tasks {
                inner = inner.tried(
                    task.retry.map { $0.attempts } ?? 1, isCaught: task.branches.contains { $0.kind == .handler })
            } else if task.collectsFailures, branch.kind == .item {
                inner = inner.tried(1, isCaught: true)
            }
            for task in branch.tasks { collect(task, inside: inner) }
        }
    }

    /// Adds the effects of a task's requests and programs; an effect that several requests share counts once.
    private mutating func take(_ task: PlannedTask, at place: Place) {
        var found: [(effect: Effect, conditions: [PlannedCondition?])] = []
        for step in task.steps {
            for (var effect, condition) in step.effects {
                if effect.kind == .file, let id = step.answeredID { paths[id] = effect["path"] }
                if effect.kind == .link, let path = effect["item"].unknown.flatMap({ paths[$0] }) {
                    effect.itemNames["item"] = path
                }
                if let index = found.firstIndex(where: { $0.effect.isSame(as: effect) }) {
                    found[index].conditions.append(condition)
                } else {
                    found.append((effect, [condition]))
                }
            }
        }
        for (var effect, conditions) in found {
            effect.task = task.reference
            effect.rounds = task.occurrence
            (effect.count, effect.condition) = (place.count, place.condition)
            if effect.isOnce {
                effect.count.atMost = place.attempts.flatMap { attempts in place.count.atMost.flatMap(attempts.times) }
            }
            let isSure = conditions.contains { $0 == nil } || conditions.count { $0?.isExtra == false } > 1
            if !isSure {
                effect.count.atLeast = 0
                effect.condition = conditions.first??.words ?? effect.condition
            }
            effects.append(effect)
        }
    }
}

extension PlannedStep {
    fileprivate var answeredID: Unknown? {
        guard case .request(let request) = self, let answer = request.answer else { return nil }
        if case .object(let members)? = answer.unknown?.shape { return members["id"]?.unknown }
        return answer["id"]?.unknown
    }

    fileprivate var effects: [(Effect, PlannedCondition?)] {
        switch self {
        case .process(let process): process.effects.map { ($0, nil) }
        case .request(let request):
            request.effects.map { ($0, request.operation.condition) }
        }
    }
}

extension PlannedRequest {
    /// Its effects, with what the plan found.
    var effects: [Effect] {
        operation.consequences.map { effect in
            switch existing {
            case .file: effect.with("replaces", true)
            case .object(let properties): effect.before(properties)
            case .nothing where effect.kind == .file: effect.with("replaces", false)
            case .nothing, .unknown, nil: effect
            }
        }
    }
}

extension Effect {
    /// The effect with the former state.
    fileprivate func before(_ former: Object) -> Effect {
        var effect = self
        if effect["name"].isNull, let name = former["displayName"] ?? former["subject"] ?? former["name"] {
            effect = effect.with("name", name)
        }
        guard let changed = effect["properties"].object else { return effect }
        return effect.with(
            "properties",
            .object(
                Object(
                    changed.map { name, change in
                        (name, former[name].map { ["before": $0, "after": change["after"] ?? .null] } ?? change)
                    })))
    }

    fileprivate func isSame(as other: Effect) -> Bool {
        kind == other.kind && members == other.members && isOwn == other.isOwn
    }
}
