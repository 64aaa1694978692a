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
        case .file, .folder, .link, .create, .change, .delete, .member, .license, .program, .localFile, .notification,
            .request, .tool:
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
        case .mail, .link, .event, .create, .change, .delete, .member, .license, .program, .notification, .tool: .null
        }
    }

    /// The members that are ids, for which people know names.
    package var ids: [Value] {
        switch details {
        case .link(let link): [link.item]
        case .member(let member): [member.group, member.member]
        case .license(let license): [license.user, license.license]
        case .create(let object), .change(let object), .delete(let object): [object.id]
        case .mail, .file, .folder, .event, .program, .localFile, .notification, .request, .tool: []
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
        case .create, .change, .delete, .member, .program, .localFile, .notification, .request, .tool: break
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

    /// What stays the same if its request is sent again: names, addresses and the answer may become known in between.
    package var likeness: Details {
        var effect = self
        effect.fill(owner: .null, external: .null)
        effect.objectChange?.name = .null
        return effect.details
    }
}
