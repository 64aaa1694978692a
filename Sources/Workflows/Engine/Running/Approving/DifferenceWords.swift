enum DifferenceWords {
    private static let mostNamed = 3
    /// The maximum length of a value where two differ.
    private static let mostShown = 120
    /// The members that name people and things; the first one present counts.
    private static let names = ["mail", "userPrincipalName", "email", "displayName", "name", "subject", "title", "id"]

    /// How a list differs from a planned one; nil if both have the same elements in another order.
    static func list(_ planned: [Value], _ real: [Value]) -> String? {
        func words(_ values: [Value], _ word: String) -> String? {
            guard !values.isEmpty else { return nil }
            let named = values.prefix(mostNamed).map(name).joined(separator: ", ")
            return "\(values.count) \(word): \(named)\(values.count > mostNamed ? ", …" : "")"
        }
        let parts = [
            words(rest(real, without: planned), "more"), words(rest(planned, without: real), "fewer"),
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", and ")
    }

    /// The values without others; each is as many times left as it occurs more often.
    private static func rest(_ all: [Value], without others: [Value]) -> [Value] {
        var counts = others.reduce(into: [Value: Int]()) { $0[$1, default: 0] += 1 }
        return all.filter { value in
            guard let count = counts[value], count > 0 else { return true }
            counts[value] = count - 1
            return false
        }
    }

    static func name(_ value: Value) -> String {
        let name = names.lazy.compactMap { value[$0]?.drawn().string }.first { !$0.isEmpty }
        return PlainText.exact(name ?? value.drawn().string ?? value.drawn().json(), limit: 120)
    }

    /// Two values as JSON; if both begin alike, with the place where they start to differ.
    static func values(_ planned: Value, _ real: Value) -> String {
        let (mine, theirs) = (planned.drawn().json(), real.drawn().json())
        func shown(_ text: String) -> String { PlainText.exact(text, limit: mostShown) }
        let place =
            shown(mine) == shown(theirs)
            ? " (they differ from character \(zip(mine, theirs).prefix { $0 == $1 }.count + 1) on)" : ""
        return "\(shown(theirs)), and \(shown(mine)) in the plan\(place)"
    }

    /// How the effects of a new plan differ from those of an approved one, one difference per line.
    static func effects(_ planned: [Value], _ real: [Value]) -> [String] {
        guard planned != real else { return [] }
        let new = rest(real, without: planned).compactMap { Effect($0) }
        var rest = rest(planned, without: real).compactMap { Effect($0) }
        var words: [String] = []
        for effect in new {
            // The same effect with other members, or a new one.
            let place = (effect.task, effect.rounds)
            guard let index = rest.firstIndex(where: { ($0.task, $0.rounds) == place && $0.kind == effect.kind }) else {
                words.append("it also \(effect.summary)")
                continue
            }
            words += changes(rest.remove(at: index), effect)
        }
        return words + rest.map { "it no longer \($0.summary)" }
    }

    private static func changes(_ planned: Effect, _ real: Effect) -> [String] {
        let name = real.task?.tokens.last ?? real.kind.rawValue
        var words: [String] = []
        for ((member, mine), (_, theirs)) in zip(planned.details.members, real.details.members) where mine != theirs {
            let place = "'\(PlainText.exact(name, limit: 100))', \(member)"
            if let mine = mine.array, let theirs = theirs.array, let difference = list(mine, theirs) {
                words.append("\(place): \(difference)")
            } else {
                words.append("\(place) is \(values(mine, theirs))")
            }
        }
        if planned.count != real.count {
            words.append(
                "'\(PlainText.exact(name, limit: 100))' happens \(often(real)), and \(often(planned)) in the plan")
        }
        return words
    }

    private static func often(_ effect: Effect) -> String {
        switch (effect.count.atLeast, effect.count.atMost) {
        case (let least, nil): "\(least) times or more"
        case (let least, let most?) where least == most: most == 1 ? "once" : "\(most) times"
        case (let least, let most?): "\(least) to \(most) times"
        }
    }
}
