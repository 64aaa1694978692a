/// What a workflow gives `undo`.
struct UndoParameters: FunctionParameters {
    @Parameter("The names of the tasks of the 'try' that are taken back; by default all of them.")
    var tasks: [String]?
    @Parameter("Whether to take back what somebody has changed since.") var force = false
}

private struct TakeBackParameters: FunctionParameters {
    @Parameter(
        "The effects in the order in which they are taken back, as 'graphflow effects RUN --format json' prints them.",
        schema: ["type": "array", "items": ["type": "object"]])
    var effects: Value
    @Parameter("Whether to take back what somebody has changed since.") var force = false
}

extension Function {
    /// Takes back what the tasks of a `try` did, in its `catch`; ``Function/takeBack(_:_:)`` does it.
    static let undo = Function(
        "undo",
        summary: "Takes back what the tasks of the 'try' did, the last effect first; for the tasks of a 'catch'.",
        input: UndoParameters.self,
        output: FunctionSchema.object(
            required: ["undone", "left"], results(of: "string", "What was taken back, or is gone already, in words.")),
        effect: .idempotent, by: .undo,
        body: { _, _ in
            throw FunctionError("'undo' can only be called in a workflow: it takes back what its run did")
        })

    private static func results(of type: String, _ words: String) -> Object {
        [
            "undone": ["type": "array", "items": ["type": .string(type)], "description": .string(words)],
            "left": [
                "type": "array", "items": ["type": "object"],
                "description": .string(
                    "The others: 'effect' in words, 'state', 'reason' and 'advice'; 'by' and 'at', if Microsoft "
                        + "Graph knows who changed the object last."),
            ],
        ]
    }

    /// The function of the workflow that takes effects back.
    static let takeBackName = "takeBack"

    /// - Parameters:
    ///   - former: What the effects replaced and changed, by the names that the arguments give.
    ///   - note: Called with the identity of each effect that was taken back. Without it, the requests that take effects
    ///     back are effects themselves.
    static func takeBack(_ former: [String: FormerObject], _ note: (@Sendable (String) -> Void)? = nil) -> Function {
        Function(
            takeBackName, summary: "Takes back what a run did, unless somebody has changed it since.",
            input: TakeBackParameters.self,
            output: FunctionSchema.answer(
                required: ["undone", "left"],
                results(of: "string", "The identities of the effects that were taken back, or that are gone already.")),
            requests: { with in
                (with["effects"]?.array ?? []).compactMap { value in
                    guard let given = UndoneEffect(value),
                        let inverse = try? given.whole.inverse(to: FormerObject(given.former, among: former))
                    else { return nil }
                    return ExpectedRequest(inverse.method, inverse.path)
                }
            }, effect: .idempotent
        ) { with, context in
            let (effects, progress) = (with.effects.array ?? [], Locked(UndoProgress()))
            return repeating(0) { number -> Promise<Step<Int, Value>> in
                guard effects.indices.contains(number) else {
                    // What a run finds is not known before.
                    let planned = context.graph.plan.map { _ in
                        Value.string(context.graph.plannedAnswer("undo").whole())
                    }
                    return .value(.done(planned ?? progress.withLock { $0.end(note) }))
                }
                guard let given = UndoneEffect(effects[number]), given.accounted.effect.identity != nil else {
                    throw FunctionError("this is no effect of a run", at: JSONPointer(["effects", "\(number)"]))
                }
                let call = UndoCall(
                    given, to: FormerObject(given.former, among: former), isForced: with.force, isOwn: note != nil,
                    after: progress.withLock(\.self), context.graph)
                return call.perform().map(on: nil) { end in
                    progress.withLock { $0.take(end, of: given.accounted.effect, note) }
                    return .again(number + 1)
                }
            }
        }
    }
}

/// What became of the effects so far that are taken back one after the other.
struct UndoProgress: Sendable {
    private(set) var undone: Set<String> = []
    private var identities: [Value] = []
    private var left: [Value] = []
    /// What goes with what the run made, by the effects that made it.
    private var covered: [(effect: Effect, maker: String)] = []
    /// The versions of objects that the undo left.
    private var versions: [String: String] = [:]
    /// The same by the effects, for an undo of others on these objects.
    private var versionsByEffect = Object()

    func version(of effect: Effect) -> String? { Self.object(of: effect).flatMap { versions[$0] } }

    private static func object(of effect: Effect) -> String? { effect.object.flatMap { $0.id ?? $0.path } }

    mutating func take(_ end: UndoCall.End, of effect: Effect, _ note: (@Sendable (String) -> Void)?) {
        switch end {
        case .undone(let version):
            if let version, let object = Self.object(of: effect) {
                versions[object] = version
                versionsByEffect[effect.identity ?? ""] = .string(version)
            }
            undo(effect, note)
        case .left(let why): left.append(why)
        case .covered(let maker): covered.append((effect, maker))
        }
    }

    private mutating func undo(_ effect: Effect, _ note: (@Sendable (String) -> Void)?) {
        guard let identity = effect.identity else { return }
        undone.insert(identity)
        identities.append(.string(identity))
        note?(identity)
    }

    /// The result, in which what was changed goes with what was made.
    mutating func end(_ note: (@Sendable (String) -> Void)?) -> Value {
        for (effect, maker) in covered {
            if undone.contains(maker) { undo(effect, note) } else { left.append(UndoCall.left(effect)) }
        }
        return ["undone": .array(identities), "left": .array(left), "versions": .object(versionsByEffect)]
    }
}
