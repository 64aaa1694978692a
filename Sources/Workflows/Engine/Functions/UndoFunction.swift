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
    ///   - note: Called with the number of each effect that was taken back. Without it, the requests that take effects
    ///     back are effects themselves.
    static func takeBack(_ former: [String: FormerObject], _ note: (@Sendable (Int) -> Void)? = nil) -> Function {
        Function(
            takeBackName, summary: "Takes back what a run did, unless somebody has changed it since.",
            input: TakeBackParameters.self,
            output: FunctionSchema.answer(
                required: ["undone", "left"],
                results(of: "integer", "The numbers of the effects that were taken back, or that are gone already.")),
            requests: { with in
                (with["effects"]?.array ?? []).compactMap { value in
                    guard let effect = Effect(undoing: value),
                        let inverse = try? effect.inverse(to: FormerObject(value["former"], among: former))
                    else { return nil }
                    return ExpectedRequest(inverse.method, inverse.path)
                }
            }, effect: .idempotent
        ) { with, context in
            let start = Promise.value((undone: [Int](), left: [Value]()))
            return (with.effects.array ?? []).enumerated().reduce(start) { before, each in
                before.then(on: nil) { done in
                    guard let effect = Effect(undoing: each.element), let number = each.element["number"]?.integer
                    else {
                        throw FunctionError(
                            "this is no effect of a run", at: JSONPointer(["effects", "\(each.offset)"]))
                    }
                    let call = UndoCall(
                        effect, to: FormerObject(each.element["former"], among: former),
                        state: each.element["state"]?.string, isForced: with.force, isOwn: note != nil,
                        context.graph)
                    let result: Promise<Value?>
                    if each.element["covered"] == true {
                        // What was made goes, and with it what was changed in it.
                        result = .value(nil)
                    } else if each.element["overtaken"] == true {
                        result = .value(call.left(.overtaken))
                    } else {
                        result = call.perform(each.element["with"]?.integer.map(done.undone.contains))
                    }
                    return result.map(on: nil) { left -> (undone: [Int], left: [Value]) in
                        guard let left else {
                            note?(number)
                            return (done.undone + [number], done.left)
                        }
                        return (done.undone, done.left + [left])
                    }
                }
            }.map(on: nil) { done in
                // What a run finds is not known before.
                guard context.graph.plan == nil else { return .string(context.graph.plannedAnswer("undo").whole()) }
                return ["undone": .array(done.undone.map { .integer($0) }), "left": .array(done.left)]
            }
        }
    }
}
