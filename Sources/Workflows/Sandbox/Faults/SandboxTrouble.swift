enum SandboxTrouble {
    /// Answered with an error, without an effect.
    case refused(SandboxError)
    /// Done, but the connection closes before the answer.
    case droppedAfterwards
    /// Done, but the connection closes in the middle of the answer.
    case truncated
}

extension SandboxState {
    mutating func trouble(for call: SandboxCall) -> SandboxTrouble? {
        guard profile == .throttled || profile == .flaky else { return nil }
        let sending = sendings[call.identity, default: 0]
        sendings[call.identity] = sending + 1
        if profile == .throttled { return sending == 0 ? .refused(.throttled) : nil }
        let isLastRange = SandboxRange(parsing: call.request.headers["Content-Range"])?.isLast ?? false
        switch (Self.repeatability(of: call), sending) {
        // The session is gone after the last range and could not be asked for its state.
        case (.idempotent, 0) where isLastRange: return .refused(.busy(retryAfter: nil))
        case (.idempotent, 1) where isLastRange: return nil
        // A request that must not happen twice fails only in ways that prove it did not happen.
        case (.once, 0): return .refused(.busy(retryAfter: 1))
        case (.read, 0): return call.isForBytes ? .droppedAfterwards : .refused(.busy(retryAfter: nil))
        case (.read, 1): return .truncated
        // The effect happened although the answer was lost; a retry must have the same result.
        case (.idempotent, 0): return call.request.method == "POST" ? .truncated : .droppedAfterwards
        case (.idempotent, 1): return .refused(.busy(retryAfter: nil))
        default: return nil
        }
    }

    private static func repeatability(of call: SandboxCall) -> Idempotency {
        guard call.request.method != "GET" else { return .read }
        guard let resource = (try? call.route.get())?.resource else { return .once }
        switch resource {
        case .sendMail: return .once
        case .content:
            let behavior = call.target.option("@microsoft.graph.conflictBehavior") ?? "replace"
            return behavior == "replace" && call.request.headers["If-Match"] == nil ? .idempotent : .once
        case .createLink, .photoContent: return .idempotent
        case .upload where call.request.method == "PUT": return .idempotent
        default: return .once
        }
    }
}

extension SandboxCall {
    fileprivate var isForBytes: Bool {
        switch (try? route.get())?.resource {
        case .photoContent, .content: true
        default: false
        }
    }
}
