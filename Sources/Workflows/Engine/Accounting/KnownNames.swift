internal import GraphModel

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

        /// The members of an answer that are ids and names.
        private static let kept = Set(
            GraphDefinition.names + [
                "id", "skuId", "userPrincipalName", "mail", "principalId", "principalDisplayName", "resourceId",
                "resourceDisplayName",
            ])

        private mutating func read(_ value: Value, depth: Int) {
            guard depth < 16, names.count < KnownNames.mostNames else { return }
            switch value {
            case .array(let elements):
                for element in elements { read(element, depth: depth + 1) }
            case .object(let members):
                // In one pass: answers are large, and searching each name would read them several times.
                var texts: [String: String] = [:]
                for (key, member) in members {
                    switch member {
                    case .string(let text): if !text.isEmpty, Self.kept.contains(key) { texts[key] = text }
                    case .array, .object: read(member, depth: depth + 1)
                    case .null, .bool, .integer, .double, .marked: break
                    }
                }
                for role in ["principal", "resource"] {
                    guard let id = texts["\(role)Id"], let name = texts["\(role)DisplayName"] else { continue }
                    names[id.lowercased()] = name
                }
                guard !texts.isEmpty, let name = KnownNames.name(of: texts) else { return }
                for id in ["id", "skuId", "userPrincipalName"] {
                    if let id = texts[id] { names[id.lowercased()] = name }
                }
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

    func knows(_ id: String) -> Bool {
        state.withLock { state in
            state.readAnswers()
            return state.names[id.lowercased()] != nil
        }
    }

    /// The effect with names for its ids, as far as they are known.
    func naming(_ effect: Effect) -> Effect {
        let ids = effect.ids.compactMap { id in id.string.map { (id, $0.lowercased()) } }
        guard !ids.isEmpty else { return effect }
        return state.withLock { state in
            state.readAnswers()
            var effect = effect
            for (id, text) in ids {
                guard let name = state.names[text], name.lowercased() != text else { continue }
                effect.name(id, as: .string(name))
            }
            return effect
        }
    }

    /// The name for people: a person's name and address, or any other name.
    private static func name(of texts: [String: String]) -> String? {
        guard let name = GraphDefinition.names.lazy.compactMap({ texts[$0] }).first else { return nil }
        return (texts["userPrincipalName"] ?? texts["mail"]).map { "\(name) (\($0))" } ?? name
    }
}

extension PlannedRequest {
    /// The request, whose effects get names for their ids.
    func naming(by names: KnownNames) -> PlannedRequest {
        guard !operation.consequences.isEmpty else { return self }
        var request = self
        for answer in named { names.note(answer) }
        request.operation.consequences = operation.consequences.map { names.naming($0.filled(from: named)) }
        return request
    }
}
