/// That something is not as the approved plan has it; nothing was sent.
public struct PlanMismatch: Error, Sendable {
    /// What differs, each in one line.
    public let differences: [String]

    /// Creates the error from what differs.
    public init(_ differences: [String]) { self.differences = differences }
}
