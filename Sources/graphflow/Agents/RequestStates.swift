/// What a client was asked, by the text that it gives back: each can be used once, for one plan.
final class RequestStates: Sendable {
    enum Asked: Sendable {
        case form(digest: String)
        case address
    }

    private static let most = 1_000

    private let asked = Locked<(all: [String: (plan: String, asked: Asked)], order: [String])>(([:], []))

    func make(_ question: Asked, for plan: String) -> String {
        let state = Data.random(32).hex
        asked.withLock { asked in
            asked.all[state] = (plan, question)
            asked.order.append(state)
            if asked.order.count > Self.most { asked.all[asked.order.removeFirst()] = nil }
        }
        return state
    }

    func take(_ state: String?, for plan: String) -> Asked? {
        guard let state else { return nil }
        return asked.withLock { asked in
            guard asked.all[state]?.plan == plan else { return nil }
            return asked.all.removeValue(forKey: state)?.asked
        }
    }
}
