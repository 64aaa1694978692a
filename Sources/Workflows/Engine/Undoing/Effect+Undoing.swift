extension Irreversible {
    static let overtaken = Irreversible(
        "a later task of the run changed it as well", "undo what that task did, too")
}

extension Effect {
    /// Whether its object was there before it, as it was asked for.
    var changedNothing: Bool { kind == .link && object?.id != nil && object?.path == nil }

    /// What its undo does, for people.
    var wordsOfUndo: String {
        func name(_ value: Value) -> String { PlainText.line(value.drawn().string ?? "?", limit: 500) }
        return switch details {
        case .link(let link): "takes back the link to \(name(link.item))"
        case .file(let file) where file.replaces == false: "removes the file \(name(file.path))"
        case .file(let file): "gives the file \(name(file.path)) its former content"
        case .folder(let folder): "removes the folder \(name(folder.path))"
        case .event(let event): "takes '\(name(event.subject))' out of the calendar"
        case .mail(let mail): "removes the draft '\(name(mail.subject))'"
        default: "takes back: \(summary)"
        }
    }

    /// The request that takes the effect back.
    /// - Parameters:
    ///   - state: What became of it.
    ///   - former: What it replaced or changed; nil if that was not kept.
    package func reversed(after state: State, to former: FormerObject? = nil) throws(Irreversible) -> Inverse {
        // Its properties say whether they were changed.
        guard state == .done || kind == .change && former != nil else {
            throw Irreversible("it is unknown whether it happened", "look whether it did")
        }
        return try inverse(to: former)
    }

    /// What of its object it changed: others that changed the same later overtake it.
    var changedParts: Set<String> {
        switch kind {
        case .change: Set((objectChange?.properties ?? [:]).keys)
        case .file: ["content"]
        default: []
        }
    }

    /// The properties that it set, with those that were set later: what is there now may be any of the values.
    func changes(with later: Object?) -> Object {
        // A folder keeps its name until it is changed.
        guard kind != .folder else { return later ?? [:] }
        var all = objectChange?.properties ?? [:]
        for (name, change) in later ?? [:] {
            guard let own = all[name] else {
                if !makesObject { all[name] = change }
                continue
            }
            let values = [own["after"] ?? .null] + [own, change].flatMap { $0["others"]?.array ?? [] }
            all[name] = ["before": own["before"] ?? .null, "after": change["after"] ?? .null, "others": .array(values)]
        }
        return all
    }

    /// Whether it made its object.
    var makesObject: Bool {
        switch details {
        case .file(let file): file.replaces == false
        case .folder, .event, .create: true
        case .mail(let mail): mail.sent == false
        default: false
        }
    }
}

extension FormerObject {
    /// Whether changes left the object like this.
    func isLeft(by changes: Object, versions: Set<String>) -> Bool {
        if let etag = ObjectVersion.etag(of: object) { return versions.contains(etag) }
        return !changes.isEmpty
            && changes.allSatisfy { name, change in
                ([change["after"] ?? .null] + (change["others"]?.array ?? [])).contains(object[name] ?? .null)
            }
    }
}

extension AccountedEffect {
    /// A draft of a correction to the recipients of a mail, with the path of its mailbox; nil for other effects.
    var correction: Value? {
        guard let mail = effect.mail, mail.sent != false, state != .undone else { return nil }
        func recipients(_ list: Value) -> Value {
            .array((list.array ?? []).map { ["emailAddress": ["address": $0]] })
        }
        let mailbox = mail.from.string.map { "/users/\($0.percentEncoded(keeping: "@"))" } ?? "/me"
        return [
            "path": .string("\(mailbox)/messages"),
            "message": [
                "subject": .string("Correction: \(mail.subject.string ?? "")"),
                "toRecipients": recipients(mail.to), "ccRecipients": recipients(mail.cc),
                "bccRecipients": recipients(mail.bcc),
                "body": ["contentType": "text", "content": ""],
            ],
        ]
    }
}
