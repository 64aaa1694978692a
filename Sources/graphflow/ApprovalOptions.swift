/// The options for approvals of the plan that a run follows.
struct ApprovalOptions: OptionGroup {
    @Option(each: "approval", "FILE", "An approval of the plan, as 'graphflow approve' writes it.")
    private var files: [String]
    let demand = ApprovalDemand()

    /// The paths of the given approvals.
    var paths: [String] { files }

    /// Checks the given approvals of a plan.
    /// - Parameters:
    ///   - plan: The approved plan; nil for a run without one.
    ///   - policy: Whose approvals are demanded; nil for no one's.
    ///   - runner: Asks for the object id of the person who runs it.
    /// - Returns: The approvals; nil if none is needed and none is given.
    /// - Throws: ``ApprovalRefusal`` unless they are enough.
    func approvals(
        of plan: ApprovedPlan?, under policy: ApprovalPolicy?, in sandbox: Sandbox?,
        runBy runner: () async -> String?, _ console: Console
    ) async throws -> RunApprovals? {
        guard policy != nil || !files.isEmpty else { return nil }
        guard let plan else {
            throw ApprovalRefusal(
                "there is no plan that somebody could have approved",
                hint: "make one with '--dry-run=read --plan-out plan.json', let 'graphflow approve plan.json', and run "
                    + "it with '--plan plan.json --approval plan.approval.json'")
        }
        let subject = try ApprovedPlan.subject(of: plan.value)
        guard !files.isEmpty else {
            throw ApprovalRefusal(
                "there is none",
                hint: "let one of the approvers 'graphflow approve' the plan, and add '--approval FILE'")
        }
        let approvals = try files.map { path -> SignedApproval in
            do throws(ApprovalRefusal) { return try SignedApproval(try Self.read(path)) } catch {
                throw ApprovalRefusal("\(PlainText.line(path, limit: 300)): \(error.reason)", hint: error.hint)
            }
        }
        let keys = try await ApprovalAuthority(console, in: sandbox).keys().value
        let used = UsedApprovals(environment: console.environment)
        let given = policy ?? ApprovalPolicy(allowsSelf: demand.isSelf)
        let checked = try given.check(
            approvals, of: subject, plannedBy: plan.planner, runBy: await runner(), with: keys,
            now: Date())
        return RunApprovals(checked, by: given, used: used)
    }

    private static func read(_ path: String) throws(ApprovalRefusal) -> Value {
        do { return try DataFile.readStrictly(path) } catch let error as ReadingError {
            throw ApprovalRefusal("the file cannot be read: \(error.diagnostics.first?.message ?? "")")
        } catch {
            throw ApprovalRefusal("the file cannot be read: \(error)")
        }
    }
}

/// The options that say whose approval is needed.
struct ApprovalDemand: OptionGroup {
    /// Makes every run need approvals.
    private static let variable = "GRAPHFLOW_REQUIRE_APPROVAL"

    @Flag(
        "require-approval",
        "Begin only what the approvers have approved, which\n\(ApprovalDemand.variable)=1 demands too.")
    private var isGiven
    @Option(
        "approvers", "NAME,…", "Who may approve: user principal names or object ids.", as: .names)
    private var approvers: [String]?
    @Option("approvals", "N", "How many different people must approve (default: 1).", as: .count(from: 1))
    private var count: Int?
    @Flag("self-approval", "Let people approve what they planned or run themselves.") var isSelf

    /// Whose approval is needed; nil if none is.
    /// - Parameter kept: The approvals of a run that continues: the variable alone demands what they satisfied.
    func policy(_ console: Console, of kept: [Value] = []) throws(UsageError) -> ApprovalPolicy? {
        let isRequired = isGiven || Self.isRequired(console)
        guard isRequired else {
            for option in [$approvers, $count] as [any DeclaredOption] where option.isGiven {
                throw UsageError("'\(option.syntax.dashed)' needs '--require-approval'")
            }
            return nil
        }
        guard let approvers else {
            if !isGiven, count == nil, let former = kept.lazy.compactMap({ ApprovalPolicy($0["demand"]) }).first {
                return former
            }
            throw UsageError(
                isGiven ? "'--require-approval' needs '--approvers'" : "\(Self.variable) needs '--approvers'",
                hint: "add '--approvers NAME,…', with user principal names or object ids")
        }
        return ApprovalPolicy(approvers: approvers, count: count ?? 1, allowsSelf: isSelf)
    }

    static func isRequired(_ console: Console) -> Bool { !["", "0"].contains(console.environment[variable] ?? "") }

    /// Refuses what no one can approve if the environment demands approvals.
    static func refuse(_ what: String, _ console: Console, hint: String? = nil) throws(ApprovalRefusal) {
        guard isRequired(console) else { return }
        throw ApprovalRefusal("\(what), and \(variable) is set", hint: hint)
    }
}

extension Conversion<String> {
    /// The address of one person.
    static var address: Conversion {
        Conversion { text, name in
            do throws(GraphError) { try MailAddress.check(text) } catch {
                throw UsageError("\(name): \(error.message)", hint: error.hint)
            }
            return text
        }
    }
}

extension Conversion<[String]> {
    /// Names of people, separated by commas.
    static var names: Conversion {
        Conversion { text, name in
            let names = text.split(separator: ",", omittingEmptySubsequences: false)
                .map { $0.filter { !$0.isWhitespace } }
            guard !names.contains("") else {
                throw UsageError("'\(name)' needs names", hint: "\(name) a@contoso.com,b@contoso.com")
            }
            if let reason = PlainText.invisible(in: text) {
                throw UsageError("\(name): \(reason)", hint: PlainText.visibly)
            }
            return names
        }
    }
}

extension GraphClient {
    /// The object id of the person or application whose token requests carry; nil if it cannot be known.
    func runnerID(_ console: Console, in sandbox: Sandbox?) async -> String? {
        if let sandbox { return sandbox.accountID }
        let token = try? await credential.token(for: []).value
        return token?.claimedObjectID ?? EffectPerspective(console, in: nil).objectID
    }
}
