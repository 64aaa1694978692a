extension Effect.Details {
    /// The members of the kind, in their order.
    package var members: Object {
        switch self {
        case .mail(let mail):
            [
                "from": mail.from, "to": mail.to, "cc": mail.cc, "bcc": mail.bcc, "subject": mail.subject,
                "attachments": mail.attachments, "external": mail.external, "sent": .known(mail.sent),
            ]
        case .file(let file), .folder(let file):
            ["owner": file.owner, "path": file.path, "replaces": .known(file.replaces), "size": file.size]
        case .link(let link):
            [
                "owner": link.owner, "item": link.item, "type": link.type, "scope": link.scope,
                "expires": link.expires, "password": .known(link.password),
            ]
        case .event(let event):
            [
                "organizer": event.organizer, "attendees": event.attendees, "external": event.external,
                "subject": event.subject, "start": event.start, "end": event.end,
            ]
        case .create(let object), .change(let object), .delete(let object):
            [
                "what": .known(object.what), "id": object.id, "name": object.name,
                "properties": object.properties.map(Value.object) ?? .null,
            ]
        case .member(let all):
            ["what": .known(all.what), "group": all.group, "member": all.member, "added": .known(all.added)]
        case .license(let all): ["user": all.user, "license": all.license, "added": .known(all.added)]
        case .grant(let all):
            [
                "what": .known(all.what), "to": all.to, "on": all.on, "level": all.level, "added": .known(all.added),
                "external": all.external,
            ]
        case .forward(let all):
            ["owner": all.owner, "to": all.to, "external": all.external, "keeps": .known(all.keeps)]
        case .autoReply(let all): ["owner": all.owner, "audience": all.audience]
        case .post(let all): ["where": all.place, "to": all.to, "external": all.external]
        case .action(let all): ["action": all.action, "what": .known(all.what), "id": all.id, "name": all.name]
        case .program(let command): ["command": command]
        case .localFile(let path): ["path": path]
        case .notification(let type, let source): ["type": type, "source": source]
        case .request(let method, let host, let path): ["method": method, "host": host, "path": path]
        case .tool(let server, let tool): ["server": server, "tool": tool]
        }
    }

    /// Reads the members of a kind; a member that is not given, or of another type, is not known.
    package init(_ kind: Effect.Kind, _ members: Object) {
        func value(_ name: String) -> Value { members[name] ?? .null }
        func flag(_ name: String) -> Bool? { members[name]?.bool }
        var file: Effect.File {
            .init(owner: value("owner"), path: value("path"), replaces: flag("replaces"), size: value("size"))
        }
        var object: Effect.ObjectChange {
            .init(
                what: members["what"]?.string, id: value("id"), name: value("name"),
                properties: members["properties"]?.object)
        }
        self =
            switch kind {
            case .mail:
                .mail(
                    .init(
                        from: value("from"), to: value("to"), cc: value("cc"), bcc: value("bcc"),
                        subject: value("subject"), attachments: value("attachments"), external: value("external"),
                        sent: flag("sent")))
            case .file: .file(file)
            case .folder: .folder(file)
            case .link:
                .link(
                    .init(
                        owner: value("owner"), item: value("item"), type: value("type"), scope: value("scope"),
                        expires: value("expires"), password: flag("password")))
            case .event:
                .event(
                    .init(
                        organizer: value("organizer"), attendees: value("attendees"), external: value("external"),
                        subject: value("subject"), start: value("start"), end: value("end")))
            case .create: .create(object)
            case .change: .change(object)
            case .delete: .delete(object)
            case .member:
                .member(
                    .init(
                        what: members["what"]?.string, group: value("group"), member: value("member"),
                        added: flag("added")))
            case .license: .license(.init(user: value("user"), license: value("license"), added: flag("added")))
            case .grant:
                .grant(
                    .init(
                        what: members["what"]?.string, to: value("to"), on: value("on"), level: value("level"),
                        added: flag("added"), external: value("external")))
            case .forward:
                .forward(
                    .init(owner: value("owner"), to: value("to"), external: value("external"), keeps: flag("keeps")))
            case .autoReply: .autoReply(.init(owner: value("owner"), audience: value("audience")))
            case .post: .post(.init(place: value("where"), to: value("to"), external: value("external")))
            case .action:
                .action(
                    .init(
                        action: value("action"), what: members["what"]?.string, id: value("id"), name: value("name")))
            case .program: .program(command: value("command"))
            case .localFile: .localFile(path: value("path"))
            case .notification: .notification(type: value("type"), source: value("source"))
            case .request: .request(method: value("method"), host: value("host"), path: value("path"))
            case .tool: .tool(server: value("server"), tool: value("tool"))
            }
    }
}

extension Effect {
    /// The effect with other values of its members, such as unknowns in place of tokens.
    package func mapping(_ change: (Value) -> Value) -> Effect {
        var effect = self
        effect.details = Details(kind, details.members.mapValues(change))
        // What an object is, is a word of ours.
        effect.what = what
        effect.others = others.mapValues(change)
        effect.holders = holders.map { Holder(what: $0.what, id: change($0.id)) }
        effect.itemNames = Dictionary(itemNames.map { (change($0), change($1)) }, uniquingKeysWith: { $1 })
        effect.words = words.map(change)
        // An address in which something is concealed leads nowhere.
        if let path = object?.path, change(.string(path)) != .string(path) { effect.object?.path = nil }
        if let id = object?.id, change(.string(id)) != .string(id) { effect.object = nil }
        return effect
    }
}

extension Value {
    fileprivate static func known(_ flag: Bool?) -> Value { flag.map(Value.bool) ?? .null }

    fileprivate static func known(_ text: String?) -> Value { text.map(Value.string) ?? .null }
}
