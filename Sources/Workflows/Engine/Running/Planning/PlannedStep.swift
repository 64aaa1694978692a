/// Something that a dry run would have done to the world.
public enum PlannedStep: Sendable {
    /// A request that would have been sent.
    case request(PlannedRequest)
    /// A program that would have been started.
    case process(PlannedProcess)
}

extension [PlannedStep] {
    /// The requests among the steps.
    var requests: [PlannedRequest] {
        compactMap { step in
            guard case .request(let request) = step else { return nil }
            return request
        }
    }
}
