extension Effect {
    /// The effect of notifying another host of a run's end.
    /// - Parameters:
    ///   - type: The type of the event that is sent.
    ///   - condition: When it is sent, in words.
    package static func notification(_ type: String, to host: String, _ condition: String) -> Effect {
        var effect = Effect(.notification(type: .string(type)))
        effect.words = .string("notifies \(host)")
        effect.task = JSONPointer([])
        (effect.count.atLeast, effect.condition) = (0, condition)
        return effect
    }

    /// The effect in one line of words, with drawings of unknowns and without control characters.
    public var summary: String { PlainText.escaped(words?.drawn(isBesideDrawings: false).string ?? ownWords) }

    /// The effect in words, after it happened: they begin with the verb.
    package var pastSummary: String {
        var words = summary.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        let place = words.starts(with: ["no", "longer"]) ? 2 : 0
        if words.indices.contains(place) { words[place] = Self.past(words[place]) }
        return words.joined(separator: " ")
    }

    private static let irregular = [
        "brings": "brought", "gives": "gave", "hides": "hid", "makes": "made", "puts": "put", "resets": "reset",
        "runs": "ran", "scans": "scanned", "sends": "sent", "sets": "set", "shuts": "shut", "takes": "took",
        "writes": "wrote",
    ]

    private static func past(_ verb: String) -> String {
        if let past = irregular[verb] { return past }
        guard verb.hasSuffix("s"), verb.allSatisfy(\.isLowercase) else { return verb }
        for (present, past) in [("ies", "ied"), ("es", "ed")] where verb.hasSuffix(present) {
            return verb.dropLast(present.count) + past
        }
        return verb.dropLast() + "ed"
    }

    private var ownWords: String {
        switch details {
        case .mail(let mail): words(of: mail)
        case .file(let file) where file.replaces == false: "creates the file \(text(file.path))\(drive(of: file.owner))"
        case .file(let file):
            "writes \(text(file.path))\(drive(of: file.owner))"
                + (file.replaces == true ? ", replacing the file that is there" : ", which may replace a file")
        case .folder(let folder): "creates the folder \(text(folder.path))\(drive(of: folder.owner))"
        case .link(let link): words(of: link)
        case .event(let event): words(of: event)
        case .create(let object):
            "creates \(name(of: object))"
                + (object.drive.isNull ? held(beyond: nil) : " in the drive \(text(object.drive))")
        case .change(let object): "changes \(properties(of: object))of \(held(object))"
        case .delete(let object): "deletes \(held(object))"
        case .member(let all) where all.added == false:
            "removes \(text(all.member)) from \(name(of: all.what ?? "group", .null, all.group))"
        case .member(let all): "adds \(text(all.member)) to \(name(of: all.what ?? "group", .null, all.group))"
        case .grant(let grant): words(of: grant)
        case .forward(let forward): words(of: forward)
        case .autoReply(let reply): words(of: reply)
        case .post(let post): "posts a message in \(held(post.place))\(held(beyond: post.place))"
        case .action(let action): words(of: action)
        case .license(let all) where all.added == false:
            "takes the license \(text(all.license)) from \(text(all.user))"
        case .license(let all): "assigns the license \(text(all.license)) to \(text(all.user))"
        case .program(let command): "runs \(text(command))"
        case .localFile(let path): "writes the file \(text(path)) on this machine"
        case .notification(let type, _): "sends the event \(text(type))"
        case .request(let method, let host, let path):
            "sends \(text(method)) \(text(host))\(path.isNull ? "" : text(path))"
        case .tool(let server, let tool): "calls the tool \(text(tool)) of \(text(server))"
        }
    }

    static let unknown = "?"

    func text(_ value: Value) -> String { Self.text(itemNames[value] ?? value) }

    static func text(_ value: Value) -> String {
        let drawn = value.drawn()
        if drawn.isNull { return unknown }
        if let elements = value.array { return list(elements.map(text)) }
        let text = drawn.string ?? drawn.json()
        return text.isEmpty ? "''" : text
    }

    static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "no one" }
        return words.dropLast().joined(separator: ", ") + " and " + last
    }

    private func words(of mail: Mail) -> String {
        let verb = mail.sent == false ? "saves a draft of" : "sends"
        let what = mail.subject.isNull && mail.to.array != nil ? "a mail" : "the mail '\(text(mail.subject))'"
        var words = "\(verb) \(what) to \(text(mail.to))"
        for (list, title) in [(mail.cc, "cc"), (mail.bcc, "bcc")] where list != [] && !list.isNull {
            words += ", \(title) \(text(list))"
        }
        if !isOwn, !mail.from.isNull { words += ", from \(text(mail.from))" }
        if let count = mail.attachments.array?.count, count > 0 {
            words += ", with \(count == 1 ? "1 attachment" : "\(count) attachments")"
        }
        return words
    }

    /// Names the drive's owner, unless it is the account's own drive.
    private func drive(of owner: Value) -> String { isOwn || owner.isNull ? "" : " in the drive of \(text(owner))" }

    private func words(of link: Link) -> String {
        let who =
            switch link.scope.string {
            case "anonymous": "anyone"
            case "organization": "everyone in the organization"
            case "users": "the people that are named"
            default: "anyone the organization's default allows"
            }
        let what =
            switch link.type.string {
            case "view": "read"
            case "edit": "change"
            case "embed": "embed"
            default: "open (\(text(link.type)))"
            }
        var words = "makes a link by which \(who) can \(what) \(text(link.item))\(drive(of: link.owner))"
        if link.password == true { words += ", with a password" }
        if !link.expires.isNull { words += ", until \(text(link.expires))" }
        return words
    }

    private func words(of event: CalendarEvent) -> String {
        var words = "puts '\(text(event.subject))' into the calendar"
        if !isOwn, !event.organizer.isNull { words += " of \(text(event.organizer))" }
        if !event.start.isNull { words += " at \(text(event.start))" }
        if event.attendees != [] { words += ", inviting \(text(event.attendees))" }
        return words
    }

    /// An object that a request names, with its type.
    func held(_ id: Value) -> String {
        guard let holder = holders.first(where: { $0.id == id }), holder.what != "driveItem" else { return text(id) }
        return name(of: holder.what, .null, id)
    }

    /// An object with what holds it; of a part without an id, such as the settings of a mailbox, its holder has the id.
    private func held(_ object: ObjectChange) -> String {
        let holder = holders.firstIndex { $0.id == object.id && $0.what != object.what }
        guard holder != nil, object.name.isNull else { return name(of: object) + held(beyond: object.id) }
        return name(of: object.what, .null, .null) + held(beyond: nil)
    }

    /// What holds an object: the channel of a message, and its team.
    func held(beyond id: Value?) -> String {
        let nearest = holders.firstIndex { $0.id == id }.map { $0 + 1 } ?? 0
        return holders[nearest...].map { " of \(name(of: $0.what, .null, $0.id))" }.joined()
    }

    private func name(of object: ObjectChange) -> String {
        name(of: object.what, object.name, object.id)
    }

    func name(of type: String?, _ name: Value, _ id: Value) -> String {
        let what = "the \(type.map(Self.words) ?? Self.unknown)"
        let names = [name, itemNames[id] ?? id].filter { !$0.isNull }.map(Self.text)
        guard let first = names.first else { return what }
        let isNamed = itemNames[id] != nil || names.count == 1 || names[1] == first
        return isNamed ? "\(what) \(first)" : "\(what) \(first) (\(names[1]))"
    }

    private func properties(of object: ObjectChange) -> String {
        guard let changes = object.properties, !changes.isEmpty else { return "properties " }
        return Self.list(changes.map { name, change in name + Self.former(change) }) + " "
    }

    /// A property's former value, if it was read and is short.
    private static func former(_ change: Value) -> String {
        guard let before = change["before"], let after = change["after"], !before.isNull else { return "" }
        let words = [before, after].map(text)
        return words.allSatisfy { $0.count <= 40 } ? " (from \(words[0]) to \(words[1]))" : ""
    }
}
