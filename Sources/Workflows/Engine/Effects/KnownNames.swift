import Essentials
import Promises

/// What people call the things whose ids a run has read; answers are searched only once an effect needs a name.
final class KnownNames: Sendable {
    /// The number of answers after which they are searched, and the maximum number of names.
    private static let (mostAnswers, mostNames) = (16, 100_000)

    private struct State {
        var answers: [Value] = []
        var names: [String: String] = [:]

        mutating func readAnswers() {
            for answer in answers { read(answer, depth: 0) }
            answers = []
        }

        private mutating func read(_ value: Value, depth: Int) {
            guard depth < 16, names.count < KnownNames.mostNames else { return }
            switch value {
            case .array(let elements):
                for element in elements { read(element, depth: depth + 1) }
            case .object(let members):
                if let name = KnownNames.name(of: members) {
                    for id in ["id", "skuId", "userPrincipalName"] {
                        if case .string(let id)? = members[id] { names[id.lowercased()] = name }
                    }
                }
                for (_, member) in members { read(member, depth: depth + 1) }
            case .null, .bool, .integer, .double, .string, .marked: break
            }
        }
    }

    private let state = Locked(State())

    func note(_ answer: Value) {
        guard answer.object != nil || answer.array != nil else { return }
        state.withLock { state in
            if state.answers.count == Self.mostAnswers { state.readAnswers() }
            state.answers.append(answer)
        }
    }

    /// The effect with names for its ids, as far as they are known.
    func naming(_ effect: Effect) -> Effect {
        let ids = effect.kind.ids.compactMap { name in
            effect[name].string.map { (name, $0.lowercased()) }
        }
        guard !ids.isEmpty else { return effect }
        return state.withLock { state in
            state.readAnswers()
            var effect = effect
            for (member, id) in ids {
                guard let name = state.names[id], name.lowercased() != id else { continue }
                if member == "id", effect["name"].isNull { effect = effect.with("name", .string(name)) }
                effect.itemNames[member] = .string(name)
            }
            return effect
        }
    }

    /// The name for people: a person's name and address, or any other name.
    private static func name(of members: Object) -> String? {
        func text(_ name: String) -> String? {
            if case .string(let text)? = members[name], !text.isEmpty { text } else { nil }
        }
        guard let name = text("displayName") ?? text("skuPartNumber") ?? text("name") ?? text("subject") else {
            return nil
        }
        return (text("userPrincipalName") ?? text("mail")).map { "\(name) (\($0))" } ?? name
    }
}

extension PlannedRequest {
    /// The request, whose effects get names for their ids.
    func naming(by names: KnownNames) -> PlannedRequest {
        guard !operation.consequences.isEmpty else { return self }
        var request = self
        request.operation.consequences = operation.consequences.map(names.naming)
        return request
    }
}

extension Effect.Kind {
    fileprivate var ids: [String] {
        switch self {
        case .link: ["item"]
        case .member: ["group", "member"]
        case .license: ["user", "license"]
        case .create, .change, .delete: ["id"]
        case .mail, .file, .folder, .event, .program, .localFile, .notification, .request, .tool: []
        }
    }
}
