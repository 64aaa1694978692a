import Foundation
import Promises

extension Run {
    /// What a call gave that had ended when the journal ends.
    func result(of end: Event.CallEnd) -> Promise<Value> {
        switch end {
        case .completed(let result): .value(result)
        case .failed(let error): Promise(error: error)
        }
    }

    /// What stands for a call that must be made once and of which the journal does not say whether it was.
    /// - Parameters:
    ///   - call: What the journal says of it.
    ///   - task: The task.
    ///   - output: What it gives where a person says that it was made.
    /// - Returns: That, or an error; nil where the call is to be made, or can be looked for.
    func assumption(
        of call: RunState.Call, _ task: ActiveTask, whenSent output: Value
    ) -> Promise<Value>? {
        guard call.isUnsettled else { return nil }
        switch journal.assumption {
        case .sent:
            var output = output
            if let draft = call.draft, case .object(var members) = output {
                members["messageId"] = .string(draft.id)
                output = .object(members)
            }
            record(.callEnded(task.reference, .completed(output)), task.occurrence)
            return .value(output)
        case .notSent: return nil
        case nil where call.draft != nil: return nil
        case nil:
            return Promise(
                error: WorkflowError(
                    .unknownOutcome,
                    detail: "the run ended while this was at work, which must happen once: check whether it happened",
                    instance: task.reference))
        }
    }

    /// The draft that a call had made when the journal ends.
    func draft(of call: RunState.Call?) -> Mail.Draft? {
        guard let draft = call?.draft else { return nil }
        let age = journal.replay?.lastTime.map { runner.now().timeIntervalSince($0) } ?? 0
        return Mail.Draft(
            id: draft.id, internetMessageID: draft.internetMessageID, age: .seconds(max(0, age)),
            isUnsent: journal.assumption == .notSent)
    }
}
