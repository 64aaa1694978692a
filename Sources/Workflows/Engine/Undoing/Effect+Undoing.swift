extension Irreversible {
    static let overtaken = Irreversible(
        "a later task of the run changed it as well", "undo what that task did, too")
}

extension Effect {
    /// An effect as the input of an undo has it, with what the run changed later.
    init?(undoing value: Value) {
        self.init(value)
        guard let changes = value["changes"] else { return }
        guard kind == .folder else {
            self = with("properties", changes)
            return
        }
        let parents = (self["path"].string ?? "").split(separator: "/").dropLast().map(String.init)
        if let name = changes["name"]?["after"]?.string {
            self = with("path", .string((parents + [name]).joined(separator: "/")))
        }
    }

    /// Whether its object was there before it, as it was asked for.
    var changedNothing: Bool { kind == .link && object?.id != nil && object?.path == nil }

    /// What its undo does, for people.
    var wordsOfUndo: String {
        func name(_ name: String) -> String { PlainText.line(self[name].drawn().string ?? "?", limit: 500) }
        return switch kind {
        case .link: "takes back the link to \(name("item"))"
        case .file where self["replaces"] == false: "removes the file \(name("path"))"
        case .file: "gives the file \(name("path")) its former content"
        case .folder: "removes the folder \(name("path"))"
        case .event: "takes '\(name("subject"))' out of the calendar"
        case .mail: "removes the draft '\(name("subject"))'"
        default: "takes back: \(summary)"
        }
    }

    /// The request that takes the effect back.
    /// - Parameters:
    ///   - state: What became of it; nil if it happened.
    ///   - former: What it replaced or changed; nil if that was not kept.
    package func reversed(after state: State?, to former: FormerObject? = nil) throws(Irreversible) -> Inverse {
        // Its properties say whether they were changed.
        guard state == nil || state == .done || kind == .change && former != nil else {
            throw Irreversible("it is unknown whether it happened", "look whether it did")
        }
        return try inverse(to: former)
    }
}

extension FormerObject {
    /// Whether changes left the object like this.
    func isLeft(by changes: Object, versions: Set<Value>) -> Bool {
        if let etag = ObjectVersion.etag(of: object) { return versions.contains(.string(etag)) }
        return !changes.isEmpty
            && changes.allSatisfy { name, change in
                ([change["after"] ?? .null] + (change["others"]?.array ?? [])).contains(object[name] ?? .null)
            }
    }
}

extension AccountedEffect {
    /// A draft of a correction to the recipients of a mail, with the path of its mailbox; nil for other effects.
    var correction: Value? {
        guard effect.kind == .mail, effect["sent"] != false, state != .undone else { return nil }
        func recipients(_ name: String) -> Value {
            .array((effect[name].array ?? []).map { ["emailAddress": ["address": $0]] })
        }
        let mailbox = effect["from"].string.map { "/users/\($0.percentEncoded(keeping: "@"))" } ?? "/me"
        return [
            "path": .string("\(mailbox)/messages"),
            "message": [
                "subject": .string("Correction: \(effect["subject"].string ?? "")"),
                "toRecipients": recipients("to"), "ccRecipients": recipients("cc"),
                "bccRecipients": recipients("bcc"),
                "body": ["contentType": "text", "content": ""],
            ],
        ]
    }
}

extension Effect {
    /// What of its object it changed: others that changed the same later overtake it.
    var changedParts: Set<String> {
        switch kind {
        case .change: Set((self["properties"].object ?? [:]).keys)
        case .file: ["content"]
        default: []
        }
    }

    /// The properties that it set, with those that were set later: what is there now may be any of the values.
    func changes(with later: Value?) -> Value {
        // A folder keeps its name until it is changed.
        var all = kind == .folder ? later?.object ?? [:] : self["properties"].object ?? [:]
        for (name, change) in later?.object ?? [:] {
            guard let own = all[name] else {
                if !makesObject { all[name] = change }
                continue
            }
            let values = [own["after"] ?? .null] + (change["others"]?.array ?? [])
            all[name] = ["before": own["before"] ?? .null, "after": change["after"] ?? .null, "others": .array(values)]
        }
        return .object(all)
    }

    /// Whether it made its object.
    var makesObject: Bool {
        switch kind {
        case .file: self["replaces"] == false
        case .folder, .event, .create: true
        case .mail: self["sent"] == false
        default: false
        }
    }
}
