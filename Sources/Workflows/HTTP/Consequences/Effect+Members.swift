extension Effect {
    /// The kind of effect.
    public var kind: Kind {
        switch details {
        case .mail: .mail
        case .file: .file
        case .folder: .folder
        case .link: .link
        case .event: .event
        case .create: .create
        case .change: .change
        case .delete: .delete
        case .member: .member
        case .license: .license
        case .grant: .grant
        case .forward: .forward
        case .autoReply: .autoReply
        case .post: .post
        case .action: .action
        case .program: .program
        case .localFile: .localFile
        case .notification: .notification
        case .request: .request
        case .tool: .tool
        }
    }

    package var mail: Mail? { if case .mail(let mail) = details { mail } else { nil } }

    package var link: Link? { if case .link(let link) = details { link } else { nil } }

    package var member: Member? { if case .member(let member) = details { member } else { nil } }

    package var grant: Grant? { if case .grant(let grant) = details { grant } else { nil } }

    package var action: Action? {
        get { if case .action(let action) = details { action } else { nil } }
        set { if let newValue, kind == .action { details = .action(newValue) } }
    }

    /// The type of its object, or the kind of right.
    package var what: String? {
        get {
            switch details {
            case .create(let object), .change(let object), .delete(let object): object.what
            case .member(let member): member.what
            case .grant(let grant): grant.what
            case .action(let action): action.what
            default: nil
            }
        }
        set {
            objectChange?.what = newValue
            switch details {
            case .member(var member):
                member.what = newValue
                details = .member(member)
            case .grant(var grant):
                grant.what = newValue
                details = .grant(grant)
            case .action(var action):
                action.what = newValue
                details = .action(action)
            default: break
            }
        }
    }

    /// The file or folder of a drive.
    package var file: File? {
        get {
            switch details {
            case .file(let file), .folder(let file): file
            default: nil
            }
        }
        set {
            switch (details, newValue) {
            case (.file, let file?): details = .file(file)
            case (.folder, let folder?): details = .folder(folder)
            default: break
            }
        }
    }

    /// The object that is created, changed or deleted.
    package var objectChange: ObjectChange? {
        get {
            switch details {
            case .create(let object), .change(let object), .delete(let object): object
            default: nil
            }
        }
        set {
            switch (details, newValue) {
            case (.create, let object?): details = .create(object)
            case (.change, let object?): details = .change(object)
            case (.delete, let object?): details = .delete(object)
            default: break
            }
        }
    }

    /// The lists of the people whom it reaches, those of them who are outside, and its subject; nil if it reaches no one.
    package var audience: (lists: [Value], external: Value, subject: Value)? {
        switch details {
        case .mail(let mail): ([mail.to, mail.cc, mail.bcc], mail.external, mail.subject)
        case .event(let event): ([event.attendees], event.external, event.subject)
        case .grant(let grant): ([grant.to], grant.external, .null)
        case .forward(let forward): ([forward.to], forward.external, .null)
        case .post(let post): ([post.to], post.external, .null)
        case .file, .folder, .link, .create, .change, .delete, .member, .license, .autoReply, .action, .program,
            .localFile, .notification, .request, .tool:
            nil
        }
    }

    /// The subject of a mail or event; null for what has none.
    package var subject: Value { audience?.subject ?? .null }

    /// Where it writes, in a drive, on this machine or at a service; null for what has no path.
    package var path: Value {
        switch details {
        case .file(let file), .folder(let file): file.path
        case .localFile(let path), .request(_, _, let path): path
        case .mail, .link, .event, .create, .change, .delete, .member, .license, .grant, .forward, .autoReply, .post,
            .action, .program, .notification, .tool:
            .null
        }
    }

    /// The members that are ids, for which people know names.
    package var ids: [Value] {
        let own: [Value] =
            switch details {
            case .link(let link): [link.item]
            case .member(let member): [member.group, member.member]
            case .license(let license): [license.user, license.license]
            case .create(let object), .change(let object), .delete(let object): [object.id]
            case .grant(let grant): (grant.to.array ?? []) + [grant.on, grant.level]
            case .forward(let forward): [forward.owner]
            case .autoReply(let reply): [reply.owner]
            case .post(let post): [post.place]
            case .action(let action): [action.id]
            case .mail, .file, .folder, .event, .program, .localFile, .notification, .request, .tool: []
            }
        return own + holders.map(\.id)
    }

    /// Gives a name for people to one of its ids.
    package mutating func name(_ id: Value, as name: Value) {
        if objectChange?.id == id, objectChange?.name == .null { objectChange?.name = name }
        if action?.id == id, action?.name == .null { action?.name = name }
        itemNames[id] = name
    }

    /// What people call what it makes; null if it makes nothing, or that is not known.
    package var newName: Value {
        switch details {
        case .file(let file), .folder(let file): file.path
        case .create(let object): object.name
        default: .null
        }
    }

    /// Sets what depends on the account: whom it belongs to, unless that is nil, and who of those it reaches is outside.
    package mutating func fill(owner: Value?, external: Value) {
        switch details {
        case .mail(var mail):
            mail.from = owner ?? mail.from
            mail.external = external
            details = .mail(mail)
        case .file(var file), .folder(var file):
            file.owner = owner ?? file.owner
            self.file = file
        case .link(var link):
            link.owner = owner ?? link.owner
            details = .link(link)
        case .event(var event):
            event.organizer = owner ?? event.organizer
            event.external = external
            details = .event(event)
        case .license(var license):
            license.user = owner ?? license.user
            details = .license(license)
        case .grant(var grant):
            grant.external = external
            details = .grant(grant)
        case .forward(var forward):
            forward.owner = owner ?? forward.owner
            forward.external = external
            details = .forward(forward)
        case .autoReply(var reply):
            reply.owner = owner ?? reply.owner
            details = .autoReply(reply)
        case .post(var post):
            post.external = external
            details = .post(post)
        case .create, .change, .delete, .member, .action, .program, .localFile, .notification, .request, .tool: break
        }
    }

    /// The addresses of the people it concerns; nil for each unknown one.
    ///
    /// - Returns: Nil if their number is unknown.
    public var recipients: [String?]? {
        var all: [String?] = []
        for list in audience?.lists ?? [] {
            guard let addresses = list.array else { return nil }
            all += addresses.map(\.string)
        }
        return all
    }

    /// The addresses of the people it concerns, with drawings of unknown ones.
    package var addresses: [String] {
        (audience?.lists ?? []).flatMap { $0.array ?? [$0] }.filter { !$0.isNull }.map { $0.drawn().string ?? "" }
    }

    /// Who gets, loses or is changed by it: addresses, names or ids; without those that are not known.
    package var people: [String] {
        let changed: [Value] =
            switch details {
            case .member(let member): [member.member]
            case .license(let license): [license.user]
            case .forward(let forward): [forward.owner]
            case .autoReply(let reply): [reply.owner]
            case .create(let object), .change(let object), .delete(let object):
                object.what == "user" ? [object.id.isNull ? object.name : object.id] : []
            case .action(let action): action.what == "user" ? [action.id] : []
            case .mail, .file, .folder, .link, .event, .grant, .post, .program, .localFile, .notification, .request,
                .tool:
                []
            }
        let reached = (audience?.lists ?? []).flatMap { $0.array ?? [] }
        return (reached + changed).compactMap(\.string).filter { !$0.isEmpty }
    }

    /// What stays the same if its request is sent again: names, addresses and the answer may become known in between.
    package var likeness: Details {
        var effect = self
        effect.fill(owner: .null, external: .null)
        effect.objectChange?.name = .null
        effect.action?.name = .null
        // Journals of before have other words for it, or none.
        if kind != .grant { effect.what = nil }
        return effect.details
    }
}
