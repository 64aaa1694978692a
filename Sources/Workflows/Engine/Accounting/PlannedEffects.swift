extension Plan {
    /// What a run does to people and things, in the order of the plan, and the notifications at its end.
    public var effects: [Effect] {
        var collector = EffectCollector(account: perspective.account)
        for task in tasks { collector.collect(task, inside: EffectCollector.Place()) }
        // What one task reads, names the same things of those before it.
        let names = collector.effects.reduce(into: [:]) { $0.merge($1.itemNames) { first, _ in first } }
        return collector.effects.map { effect in
            var effect = effect
            for id in effect.ids where effect.itemNames[id] == nil {
                if let name = names[id] { effect.name(id, as: name) }
            }
            return effect.seen(by: perspective)
        } + notifications
    }
}

/// Collects the effects of planned tasks, with how often each happens.
private struct EffectCollector {
    private(set) var effects: [Effect] = []
    /// The address of the signed-in account; nil if unknown.
    let account: String?
    /// What people call the objects whose ids are only known at run time: the paths of written files, the names of new
    /// objects, and the keys by which objects were read.
    private var names: [Unknown: Value] = [:]

    init(account: String?) { self.account = account }

    /// How often the tasks at a place are performed.
    struct Place {
        var count = Effect.Count.one
        /// How often an effect that must not be repeated may happen anyway; nil for no limit.
        var attempts: Int? = 1
        /// How often such an effect may be tried until it happens, as nothing after it makes it happen again; nil for no
        /// limit.
        var tries: Int? = 1
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

        /// The place of a task after which others may fail, so that what is tried again happens again.
        var repeated: Place {
            var place = self
            place.attempts = attempts.flatMap { attempts in tries.flatMap(attempts.times) }
            place.tries = 1
            return place
        }

        /// The place of tasks that may be performed several times, with nil for unlimited attempts.
        ///
        /// If errors are caught, any of the tasks may be skipped.
        func tried(_ attempts: Int?, isCaught: Bool) -> Place {
            var place = self
            place.tries = attempts.flatMap { attempts in tries.flatMap(attempts.times) }
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
            let isTried = task.kind == .try && branch.kind == .tasks
            for (number, task) in branch.tasks.enumerated() {
                collect(task, inside: isTried && number == branch.tasks.count - 1 ? inner : inner.repeated)
            }
        }
    }

    /// Adds the effects of a task's requests and programs; an effect that several requests share counts once.
    private mutating func take(_ task: PlannedTask, at place: Place) {
        var found: [(effect: Effect, conditions: [PlannedCondition?], step: Int)] = []
        for (number, step) in task.steps.enumerated() {
            let answered = step.answeredID
            if let answered, let name = step.nameOfRead(by: account) { names[answered] = .string(name) }
            for (var effect, condition) in step.effects {
                if let answered, !effect.newName.isNull { names[answered] = effect.newName }
                for id in effect.ids {
                    // The words have it; what the object is called, only a run knows.
                    guard let unknown = id.unknown, let name = names[unknown] else { continue }
                    effect.itemNames[id] = name
                }
                if let index = found.firstIndex(where: {
                    ($0.effect.details, $0.effect.isOwn) == (effect.details, effect.isOwn)
                }) {
                    found[index].conditions.append(condition)
                    found[index].step = number
                } else {
                    found.append((effect, [condition], number))
                }
            }
        }
        let last = found.filter { $0.effect.isOnce }.map { $0.step }.max()
        for (var effect, conditions, step) in found {
            let own = step == last ? place : place.repeated
            effect.task = task.reference
            effect.rounds = task.occurrence
            (effect.count, effect.condition) = (place.count, place.condition)
            if effect.isOnce {
                effect.mostTries = own.tries
                effect.count.atMost = own.attempts.flatMap { attempts in place.count.atMost.flatMap(attempts.times) }
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
        return answer["id"]?.unknown ?? answer.unknown?.member("id")
    }

    /// The key by which a request reads an object; nil if it reads none, or the key is not known.
    fileprivate func nameOfRead(by account: String?) -> String? {
        guard case .request(let request) = self, request.request.method == "GET" else { return nil }
        let whole = request.request.url.path()
        guard let version = whole.firstRange(of: "/v1.0/") else { return nil }
        let path = whole[version.upperBound...]
        if path.lowercased() == "me" { return account }
        guard let key = GraphClient.key(ofObjectAt: path), !UnknownTokens.isIn(key) else { return nil }
        return key
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
            var effect = effect
            switch existing {
            case .file: effect.file?.replaces = true
            case .object(let properties): effect.objectChange?.note(before: properties)
            case .nothing: effect.file?.replaces = false
            case .unknown, nil: break
            }
            return effect
        }
    }
}

extension Effect.ObjectChange {
    fileprivate mutating func note(before former: Object) {
        if name.isNull { name = former["displayName"] ?? former["subject"] ?? former["name"] ?? .null }
        for (name, change) in properties ?? [:] {
            if let value = former[name] { properties?[name] = ["before": value, "after": change["after"] ?? .null] }
        }
    }
}
