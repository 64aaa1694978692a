/// Answers the questions that `call: approval` asks.
package struct Approver: Sendable {
    /// The name of the function that asks.
    package static let function = "approval"

    /// Waits for an answer; rejected with ``WorkflowError`` if no one can answer.
    ///
    /// The requests are those of the run, nil if it is not kept.
    package typealias Ask =
        @Sendable (_ question: ApprovalRequest, _ requests: ApprovalRequests?) throws -> Promise<Answer>

    let ask: Ask
    /// The name of the batch whose items share an approval; nil if each item asks for itself.
    package var batch: String?

    package init(_ ask: @escaping Ask) { self.ask = ask }

    /// The answer of a person, or that none came in time.
    package struct Answer: Sendable {
        package enum State: String, Sendable {
            case approved, rejected, expired
        }

        package var state: State
        /// The object id, or who rejected without a sign-in.
        package var by = ""
        package var name = ""
        package var at: Date
        package var note = ""
        /// The approval as it was checked; nil without one.
        package var approval: CheckedApproval?

        package init(_ state: State, by: String = "", name: String = "", at: Date, note: String = "") {
            (self.state, self.by, self.name, self.at, self.note) = (state, by, name, at, note)
        }

        package init(_ approval: CheckedApproval) {
            self.init(
                .approved, by: approval.by, name: approval.name, at: approval.at, note: approval.approval.statement.note
            )
            self.approval = approval
        }

        /// Reads a rejection, as `graphflow reject` writes it; nil if it is none.
        package init?(rejection value: Value) {
            guard value["approved"] == false, let at = value["at"]?.string.flatMap({ Date(iso8601: $0) }) else {
                return nil
            }
            self.init(
                .rejected, by: value["by"]?.string ?? "", name: value["name"]?.string ?? "", at: at,
                note: value["note"]?.string ?? "")
        }

        /// The answer as the journal keeps it.
        package var value: Value {
            var members = approval?.value.object ?? [:]
            members["state"] = .string(state.rawValue)
            for (name, value) in output { members[name] = value }
            return .object(members)
        }

        var output: Object {
            [
                "approved": .bool(state == .approved), "by": .string(by), "name": .string(name),
                "at": .string(at.iso8601),
                "note": .string(note),
            ]
        }
    }

    /// Looks at the answers in a run's folder, whenever they change, until one decides.
    /// - Parameters:
    ///   - keys: Reads the keys of the approvers' tenant, when there is an answer to check.
    ///   - onRefusal: Told once of each answer that does not count.
    package static func watching(
        _ clock: any PromiseClock, now: @escaping @Sendable () -> Date,
        keys: @escaping @Sendable () -> Promise<ApprovalKeys>, onAsk: @escaping @Sendable (ApprovalRequest) -> Void,
        onRefusal: @escaping @Sendable (ApprovalRequest, ApprovalRefusal) -> Void
    ) -> Approver {
        Approver { question, requests in
            guard let requests else {
                throw WorkflowError(
                    .configuration,
                    detail: "a run without a journal cannot wait for an approval, because no one finds it")
            }
            let asked: ApprovalRequest
            do throws(SystemError) { asked = try requests.ask(question) } catch {
                throw WorkflowError(.runtime, detail: "the question cannot be kept: \(error)")
            }
            onAsk(asked)
            // The file says since when it waits; everything else is the workflow's, because the file could be edited.
            let end = min(asked.expires, question.expires)
            let watch = requests.watch
            return repeating(Set<String>()) { refused -> Promise<Step<Set<String>, Answer>> in
                let answers = requests.answers(to: asked.id).filter { !refused.contains($0.name) }
                let values = answers.lazy.compactMap { try? $0.content.get() }
                if let rejection = values.compactMap({ Answer(rejection: $0) }).first {
                    return .value(.done(rejection))
                }
                guard now() < end else { return .value(.done(Answer(.expired, at: now()))) }
                guard let answer = answers.first else {
                    let rest = Duration.seconds(max(0, end.timeIntervalSince(now())))
                    return watch.change(within: rest, clock).map { .again(refused) }
                }
                return firstly { keys() }.map { keys in
                    do throws(ApprovalRefusal) {
                        let approval = try SignedApproval(try answer.content.get())
                        guard approval.statement.subject == question.subject else {
                            throw ApprovalRefusal("it is for something else")
                        }
                        guard approval.statement.expires == asked.expires.formatted(.iso8601) else {
                            throw ApprovalRefusal("it was given when the question was asked before")
                        }
                        let policy = ApprovalPolicy(approvers: question.approvers)
                        return .done(Answer(try policy.check(approval, with: keys, now: now())))
                    } catch {
                        // Who is told of it can answer at once.
                        let isOpen = requests.drop(answer)
                        onRefusal(asked, error)
                        return .again(isOpen ? refused : refused.union([answer.name]))
                    }
                }.recover { error -> Promise<Step<Set<String>, Answer>> in
                    guard let error = error as? ApprovalRefusal else { throw error }
                    // The keys may be had later.
                    onRefusal(asked, error)
                    return after(.seconds(10), clock: clock).map { .again(refused) }
                }
            }
        }
    }
}

/// The approvals with which a run begins, and where it is recorded that they were used.
package struct RunApprovals: Sendable {
    /// The approvals as the journal keeps them.
    let values: [Value]
    private let uses: [String]
    private let used: UsedApprovals

    /// - Parameter policy: What the approvals satisfy, and what a resumed run asks of them again.
    package init(_ checked: [CheckedApproval], by policy: ApprovalPolicy, used: UsedApprovals) {
        values = checked.map { approval in
            var members = approval.value.object ?? [:]
            members["demand"] = policy.value
            return .object(members)
        }
        uses = checked.map(\.use)
        self.used = used
    }

    /// An answer that no one signed, for one run.
    /// - Parameters:
    ///   - origin: What answered: `form` or `program`.
    ///   - protocol: In what the answer was given; nil for nothing to tell.
    package init(
        by origin: String, named name: String, note: String = "", at time: Date, of plan: ApprovedPlan,
        over protocol: String? = nil, used: UsedApprovals
    ) {
        let digest = ApprovedPlan.digest(of: plan.value)
        values = [
            .members([
                ("approved", true), ("by", .string(origin)), ("name", .string(name)), ("at", .string(time.iso8601)),
                ("note", .string(note)), ("plan", .string(digest)), ("protocol", `protocol`.map(Value.string)),
            ])
        ]
        (uses, self.used) = ([], used)
    }

    /// Reserves the approvals for a run; see ``UsedApprovals``.
    func reserve(for run: String, in runs: RunsFolder?) throws(ApprovalRefusal) -> UsedApprovals.Reservation {
        try used.reserve(uses, for: run) { runs?.exists($0) ?? true }
    }
}
