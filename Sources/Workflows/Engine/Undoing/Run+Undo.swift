extension Run {
    /// Whether a task of a `catch` may take back what its `try` did.
    func mayUndo(_ task: Workflow.Task) -> Bool {
        task.withDescendants.contains { task in
            guard case .call(let call) = task.action else { return false }
            return call.source != nil || workflow.components.functions[call.function] != nil
                || runner.catalog[call.function]?.engineCall == .undo
        }
    }

    /// Calls `undo`: takes back what the tasks of the `try` did whose error is being handled.
    func performUndo(_ call: Workflow.Call, _ function: Function, _ task: ActiveTask) throws -> Promise<Outcome> {
        guard let handled = task.scope.handled else {
            throw WorkflowError(
                .configuration, detail: "'undo' takes back what a 'try' did, and can only be called in its 'catch'",
                instance: task.reference)
        }
        let parameters: UndoParameters
        let given = try arguments(of: call, task.input, task.scope)
        do throws(FunctionError) {
            parameters = try UndoParameters(argument: try function.arguments(sent(given)), at: .root)
        } catch {
            throw WorkflowError(error, at: task.reference)
        }
        let (done, images) = try performer.effects(ofTrying: handled, named: parameters.tasks.map(Set.init))
        let list = decide(Self.undoDecision, in: task.execution) {
            .array(Undo(id, done, images) { _ in true }.arguments.map(\.value))
        }
        let effects = Dictionary(
            (list.array ?? []).compactMap { UndoneEffect($0)?.accounted.effect }.map { ($0.identity ?? "", $0) },
            uniquingKeysWith: { $1 })
        let inverse = Function.takeBack(images.mapValues(\.former)) { [self] identity in
            guard let effect = effects[identity] else { return }
            let event = GraphEvent(operation: function.name, task: effect.task, kind: .effect(effect, .undone))
            record(.request(nil, event))
        }
        let known: Value = ["effects": list, "force": .bool(parameters.force)]
        return try perform(call, inverse, known, .none, task, task.scope).map { outcome in
            guard let identities = outcome.value["undone"]?.array else { return outcome }
            let undone = identities.compactMap { $0.string.flatMap { effects[$0] } }
            let result: Value = [
                "undone": .array(undone.map { .string($0.summary) }), "left": outcome.value["left"] ?? [],
            ]
            return Outcome(value: result, flow: outcome.flow)
        }
    }

    static let undoDecision = "undo"
}

extension LiveTaskPerformer {
    func effects(
        ofTrying place: TaskExecution, named names: Set<String>?
    ) throws -> ([AccountedEffect], [String: BeforeImages.Image]) {
        let effects = run.journal.effects.effects(
            ofTrying: place, in: run.id, inside: run.outermost, named: names)
        return (effects, try run.before?.all(at: run.runner.now(), of: run.outermost) ?? [:])
    }
}

extension DryTaskPerformer {
    /// What the planned tasks would do: only a run knows which of them it did.
    func effects(
        ofTrying place: TaskExecution, named names: Set<String>?
    ) throws -> ([AccountedEffect], [String: BeforeImages.Image]) {
        var (effects, images) = ([AccountedEffect](), [String: BeforeImages.Image]())
        let (moment, base) = (run.runner.now(), try run.runner.graph.baseURL.absoluteString)
        for (request, task) in planner.requests(ofTrying: place.task, named: names) {
            for effect in request.plainEffects(planner.unknowns, base) {
                var effect = effect
                (effect.task, effect.rounds) = (task.reference, task.occurrence)
                let isKept = run.runner.access.undoable != nil && (effect.kind == .change || effect.kind == .file)
                let isUnsure = effect.kind == .file && effect.file?.replaces == nil
                for replaces in isUnsure ? (isKept ? [true, false] : [false]) : [effect.file?.replaces] {
                    effect.file?.replaces = replaces
                    effect.identity = "\(effects.count)"
                    effects.append(AccountedEffect(effect: effect, state: .done, at: moment, run: run.id))
                    guard isKept, replaces != false else { continue }
                    images["\(images.count)"] = BeforeImages.Image(
                        of: run.id, inside: run.outermost, task.reference, task.occurrence, at: moment,
                        planner.former(of: effect))
                }
            }
        }
        return (effects, images)
    }
}

extension Planner {
    /// What a run would have kept before it changed something.
    fileprivate func former(of effect: Effect) -> FormerObject {
        func token(_ name: String) -> String { unknowns.token(for: Unknown("former \(name)")) }
        var object = Object()
        for name in (effect.objectChange?.properties ?? [:]).keys { object[name] = .string(token(name)) }
        let content = effect.kind == .file ? UnknownTokens.example(Data(), token: token("content")) : nil
        return FormerObject(path: effect.object?.path ?? "", object: .object(object), content: content)
    }
}

extension PlannedRequest {
    /// What it would do, with tokens for what only a run knows.
    fileprivate func plainEffects(_ unknowns: UnknownTokens, _ base: String) -> [Effect] {
        let address = unknowns.plain(Value.text(url)).string ?? ""
        let path = address.hasPrefix("\(base)/") ? String(address.dropFirst(base.count + 1)) : nil
        return effects.map { effect in
            let plain = effect.mapping(unknowns.plain)
            var completed = plain.completed(by: plainAnswer(unknowns), to: request.method, path)
            completed.file?.replaces = effect.file?.replaces
            return completed
        }
    }

    /// The answer that the plan assumes, with tokens for what identifies an object and its version.
    private func plainAnswer(_ unknowns: UnknownTokens) -> HTTPResponse {
        var object = (try? Value(json: operation.example.body))?.object ?? [:]
        for (name, known) in [
            ("id", object["id"]), ("eTag", ObjectVersion.etag(of: .object(object)).map(Value.string)),
        ]
        where known == nil {
            let unknown =
                answer?.unknown?.member(name, .text, from: .run) ?? Unknown("\(operation.name).\(name)", .text)
            object[name] = .string(unknowns.token(for: unknown))
        }
        return HTTPResponse(
            status: request.method == "POST" ? 201 : 200, headers: ["Content-Type": "application/json"],
            body: Value.object(object).jsonData())
    }
}
