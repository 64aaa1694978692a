extension ApprovedPlan {
    /// What people sign who approve the plan in a file: its digest, over all of it.
    package static func subject(of file: Value) throws(ApprovalRefusal) -> ApprovalStatement.Subject {
        // Another plan with rounded numbers would have the same digest.
        guard !file.losesDigits else {
            throw ApprovalRefusal("the plan has a number with more digits than an approval can name")
        }
        return .plan(digest: digest(of: file))
    }
}

extension ApprovalRequest {
    /// Asks people to approve a plan.
    package init(
        _ plan: ApprovedPlan, under policy: ApprovalPolicy, since: Date, expires: Date
    ) throws(ApprovalRefusal) {
        let value = plan.value
        self.init(
            try ApprovedPlan.subject(of: value), by: policy.approvers, count: policy.count, since: since,
            expires: expires, plan: value)
    }

    /// The plan; nil if it is not the one that people were asked about.
    package var intactPlan: ApprovedPlan? {
        guard let plan, (try? ApprovedPlan.subject(of: plan)) == subject else { return nil }
        return try? ApprovedPlan(plan)
    }
}
