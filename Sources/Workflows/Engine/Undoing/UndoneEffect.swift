/// An effect as the input of an undo has it, with what its run did to the same object.
struct UndoneEffect: Sendable {
    var accounted: AccountedEffect
    /// The versions that the run left of its object, the last one last; nil if there are none.
    var versions: [String]?
    /// The effect with which the run had made its object: it goes with that.
    var maker: String?
    /// Whether the run changed the same again later, which stays.
    var isOvertaken = false
    /// The properties that the run changed, with those that it changed later.
    var changes: Object?
    /// The later effect on its object with which it is taken back.
    var with: String?
    /// The names of what was there before it, the newest first; nil if that was not kept.
    var former: [String]?

    var value: Value {
        var members = accounted.value
        members["versions"] = versions.map { .array($0.map(Value.string)) }
        members["maker"] = maker.map(Value.string)
        if isOvertaken { members["overtaken"] = true }
        members["changes"] = changes.map(Value.object)
        members["with"] = with.map(Value.string)
        members["former"] = former.map { .array($0.map(Value.string)) }
        return .object(members)
    }

    /// The effect with what the run changed later.
    var whole: Effect {
        var effect = accounted.effect
        if let changes { effect.objectChange?.properties = changes }
        if effect.kind == .folder, let name = changes?["name"]?["after"]?.string {
            let parents = (effect.path.string ?? "").split(separator: "/").dropLast().map(String.init)
            effect.file?.path = .string((parents + [name]).joined(separator: "/"))
        }
        return effect
    }
}

extension UndoneEffect {
    private static let names: Set<String> = [
        "at", "state", "versions", "maker", "overtaken", "changes", "with", "former",
    ]

    init?(_ value: Value) {
        guard let members = value.object,
            let effect = Effect(.object(members.filter { !Self.names.contains($0.key) }))
        else { return nil }
        func texts(_ name: String) -> [String]? { members[name]?.array?.compactMap(\.string) }
        accounted = AccountedEffect(
            effect: effect, state: members["state"]?.string.flatMap(Effect.State.init(rawValue:)) ?? .done,
            at: members["at"]?.string.flatMap { Date(iso8601: $0) } ?? .distantPast, run: "")
        versions = texts("versions")
        maker = members["maker"]?.string
        isOvertaken = members["overtaken"] == true
        changes = members["changes"]?.object
        with = members["with"]?.string
        former = texts("former")
    }
}
