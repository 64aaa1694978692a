extension Effect {
    /// What an effect does, in the form of its kind.
    ///
    /// A ``Value`` may hold unknowns in a plan and drawings of secrets in a journal; null and nil are not known.
    package enum Details: Sendable, Hashable {
        case mail(Mail)
        case file(File)
        case folder(File)
        case link(Link)
        case event(CalendarEvent)
        case create(ObjectChange)
        case change(ObjectChange)
        case delete(ObjectChange)
        case member(Member)
        case license(License)
        case grant(Grant)
        case forward(Forward)
        case autoReply(AutoReply)
        case post(Post)
        case action(Action)
        case program(command: Value = .null)
        case localFile(path: Value = .null)
        case notification(type: Value = .null, source: Value = .null)
        case request(method: Value = .null, host: Value = .null, path: Value = .null)
        case tool(server: Value = .null, tool: Value = .null)
    }

    /// A message; addresses are a list, or an unknown if not even their number is known.
    package struct Mail: Sendable, Hashable {
        package var from: Value
        package var to: Value
        package var cc: Value
        package var bcc: Value
        package var subject: Value
        package var attachments: Value
        package var external: Value
        /// False for a draft.
        package var sent: Bool?

        package init(
            from: Value = .null, to: Value = .null, cc: Value = .null, bcc: Value = .null, subject: Value = .null,
            attachments: Value = .null, external: Value = .null, sent: Bool? = nil
        ) {
            self.from = from
            self.to = to
            self.cc = cc
            self.bcc = bcc
            self.subject = subject
            self.attachments = attachments
            self.external = external
            self.sent = sent
        }
    }

    /// A file or folder of a drive.
    package struct File: Sendable, Hashable {
        package var owner: Value
        /// Without a slash at its beginning.
        package var path: Value
        package var replaces: Bool?
        package var size: Value

        package init(owner: Value = .null, path: Value = .null, replaces: Bool? = nil, size: Value = .null) {
            self.owner = owner
            self.path = path
            self.replaces = replaces
            self.size = size
        }
    }

    /// A link to an item of a drive, or an invitation to it.
    package struct Link: Sendable, Hashable {
        package var owner: Value
        package var item: Value
        package var type: Value
        /// Null if the service chooses it.
        package var scope: Value
        package var expires: Value
        /// Whether it has one.
        package var password: Bool?

        package init(
            owner: Value = .null, item: Value = .null, type: Value = .null, scope: Value = .null,
            expires: Value = .null, password: Bool? = nil
        ) {
            self.owner = owner
            self.item = item
            self.type = type
            self.scope = scope
            self.expires = expires
            self.password = password
        }
    }

    /// An event in a calendar.
    package struct CalendarEvent: Sendable, Hashable {
        package var organizer: Value
        package var attendees: Value
        package var external: Value
        package var subject: Value
        package var start: Value
        package var end: Value

        package init(
            organizer: Value = .null, attendees: Value = .null, external: Value = .null, subject: Value = .null,
            start: Value = .null, end: Value = .null
        ) {
            self.organizer = organizer
            self.attendees = attendees
            self.external = external
            self.subject = subject
            self.start = start
            self.end = end
        }
    }

    /// An object that is created, changed or deleted.
    package struct ObjectChange: Sendable, Hashable {
        /// The model's type of it.
        package var what: String?
        package var id: Value
        package var name: Value
        /// The values before and after, by the names of the properties.
        package var properties: Object?

        package init(what: String? = nil, id: Value = .null, name: Value = .null, properties: Object? = nil) {
            self.what = what
            self.id = id
            self.name = name
            self.properties = properties
        }
    }

    /// A member that a group, a team, a chat or an administrative unit gains or loses.
    package struct Member: Sendable, Hashable {
        /// The model's type of what has members.
        package var what: String?
        package var group: Value
        package var member: Value
        package var added: Bool?

        package init(what: String? = nil, group: Value = .null, member: Value = .null, added: Bool?) {
            self.what = what
            self.group = group
            self.member = member
            self.added = added
        }
    }

    /// A license that a user gains or loses.
    package struct License: Sendable, Hashable {
        package var user: Value
        package var license: Value
        package var added: Bool?

        package init(user: Value = .null, license: Value = .null, added: Bool?) {
            self.user = user
            self.license = license
            self.added = added
        }
    }
}
