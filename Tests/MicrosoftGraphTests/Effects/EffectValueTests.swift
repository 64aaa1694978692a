import MicrosoftGraph
import Testing

struct EffectValueTests {
    private static let common = ["kind", "task", "summary", "count", "condition", "once", "undo"]

    /// The members of each kind in their order, as guides and journals have them.
    private static func names(of kind: Effect.Kind) -> [String] {
        switch kind {
        case .mail: ["from", "to", "cc", "bcc", "subject", "attachments", "external", "sent"]
        case .file, .folder: ["owner", "path", "replaces", "size"]
        case .link: ["owner", "item", "type", "scope", "expires", "password"]
        case .event: ["organizer", "attendees", "external", "subject", "start", "end"]
        case .create, .change, .delete: ["what", "id", "name", "properties"]
        case .member: ["what", "group", "member", "added"]
        case .license: ["user", "license", "added"]
        case .grant: ["what", "to", "on", "level", "added", "external"]
        case .forward: ["owner", "to", "external", "keeps"]
        case .autoReply: ["owner", "audience"]
        case .post: ["where", "to", "external"]
        case .action: ["action", "what", "id", "name"]
        case .program: ["command"]
        case .localFile: ["path"]
        case .notification: ["type", "source"]
        case .request: ["method", "host", "path"]
        case .tool: ["server", "tool"]
        }
    }

    private static let flags: Set<String> = ["sent", "replaces", "password", "added", "keeps"]

    /// A value of each member that differs from those of the others.
    private static func members(of kind: Effect.Kind) -> Object {
        Object(
            names(of: kind).map { name in
                (name, flags.contains(name) ? true : name == "properties" ? ["a": ["after": 1]] : .string("a \(name)"))
            })
    }

    @Test(arguments: Effect.Kind.allCases)
    func `every effect has all members of its kind, in their order`(kind: Effect.Kind) {
        let effect = Effect(.init(kind, [:]))
        #expect(effect.kind == kind)
        #expect(effect.value.object?.keys == Self.common + Self.names(of: kind))
        for name in Self.names(of: kind) { #expect(effect.value[name] == .null, "\(name)") }
        #expect(Effect(effect.value)?.value == effect.value)
        #expect(!effect.summary.isEmpty)
    }

    @Test(arguments: Effect.Kind.allCases)
    func `each member is read and written`(kind: Effect.Kind) {
        let members = Self.members(of: kind)
        let effect = Effect(.init(kind, members))
        #expect(effect.details.members == members)
        #expect(Effect(effect.value)?.details == effect.details)
        #expect(effect.mapping { $0 } == effect)
    }

    @Test(arguments: Effect.Kind.allCases)
    func `members of another version and of other types are written as they were read`(kind: Effect.Kind) throws {
        var value = Effect(.init(kind, Self.members(of: kind))).value.object ?? [:]
        value["later"] = [1, ["x": nil]]
        for name in Self.names(of: kind) where Self.flags.contains(name) || name == "what" { value[name] = 5 }
        let effect = try #require(Effect(.object(value)))
        #expect(effect.value.object?.keys == value.keys)
        for (name, member) in value where name != "summary" && name != "undo" { #expect(effect.value[name] == member) }
        #expect(effect.mapping { _ in "***" }.value["later"] == "***")
    }

    @Test func `an effect of a journal without an identity is read`() throws {
        let value: Value = [
            "kind": "member", "task": "/do/0/add", "summary": "adds a to g", "count": ["atLeast": 1, "atMost": 1],
            "condition": nil, "once": false, "undo": "exact", "group": "g", "member": "a", "added": true,
        ]
        let effect = try #require(Effect(value))
        #expect(effect.details == .member(.init(group: "g", member: "a", added: true)))
        #expect(effect.identity == nil && effect.others.isEmpty)
        #expect(effect.value.object?.filter { $0.key != "what" } == value.object)
        #expect(Effect(["kind": "unheard"]) == nil)
    }

    @Test(arguments: Effect.Kind.allCases)
    func `a repetition is alike, whoever owns it and whatever it is called`(kind: Effect.Kind) {
        let effect = Effect(.init(kind, Self.members(of: kind)), isOwn: true)
        var seen = effect.seen(by: EffectPerspective(account: "me@contoso.com"))
        seen.objectChange?.name = "known by now"
        #expect(seen.likeness == effect.likeness)
        #expect(effect.likeness != Effect(.init(kind, [:])).likeness)
    }
}
