extension Effect {
    /// The effect of notifying another host of a run's end.
    /// - Parameters:
    ///   - type: The type of the event that is sent.
    ///   - condition: When it is sent, in words.
    package static func notification(_ type: String, to host: String, _ condition: String) -> Effect {
        var effect = Effect(.notification, ["type": .string(type)])
        effect.words = .string("notifies \(host)")
        effect.task = JSONPointer([])
        (effect.count.atLeast, effect.condition) = (0, condition)
        return effect
    }

    /// The effect with other words for people.
    package func described(as words: String) -> Effect {
        var effect = self
        effect.words = .string(words)
        return effect
    }

    /// The effect in one line of words, with drawings of unknowns and without control characters.
    public var summary: String { PlainText.escaped(words?.drawn(isBesideDrawings: false).string ?? ownWords) }

    private var ownWords: String {
        switch kind {
        case .mail: mailSummary
        case .file:
            self["replaces"] == false
                ? "creates the file \(text("path"))\(drive)" : "writes \(text("path"))\(drive)\(replacement)"
        case .folder: "creates the folder \(text("path"))\(drive)"
        case .link: linkSummary
        case .event: eventSummary
        case .create: "creates \(subject)"
        case .change: "changes \(properties)of \(subject)"
        case .delete: "deletes \(subject)"
        case .member:
            self["added"] == false
                ? "removes \(text("member")) from the group \(text("group"))"
                : "adds \(text("member")) to the group \(text("group"))"
        case .license:
            self["added"] == false
                ? "takes the license \(text("license")) from \(text("user"))"
                : "assigns the license \(text("license")) to \(text("user"))"
        case .program: "runs \(text("command"))"
        case .localFile: "writes the file \(text("path")) on this machine"
        case .notification: "sends the event \(text("type"))"
        case .request: "sends \(text("method")) \(text("host"))\(self["path"].isNull ? "" : text("path"))"
        case .tool: "calls the tool \(text("tool")) of \(text("server"))"
        }
    }

    private static let unknown = "?"

    private func text(_ name: String) -> String { Self.text(itemNames[name] ?? self[name]) }

    private static func text(_ value: Value) -> String {
        let drawn = value.drawn()
        if drawn.isNull { return unknown }
        if let elements = value.array { return elements.isEmpty ? "nobody" : list(elements.map(text)) }
        let text = drawn.string ?? drawn.json()
        return text.isEmpty ? "''" : text
    }

    private static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " and " + last
    }

    private var mailSummary: String {
        let isDraft = self["sent"] == false
        var words = "\(isDraft ? "saves a draft of" : "sends") the mail '\(text("subject"))' to \(text("to"))"
        for (name, title) in [("cc", "cc"), ("bcc", "bcc")] where self[name] != [] && !self[name].isNull {
            words += ", \(title) \(text(name))"
        }
        if !isOwn, !self["from"].isNull { words += ", from \(text("from"))" }
        if let count = self["attachments"].array?.count, count > 0 {
            words += ", with \(count == 1 ? "1 attachment" : "\(count) attachments")"
        }
        return words
    }

    /// Names the drive's owner, unless it is the account's own drive.
    private var drive: String { isOwn || self["owner"].isNull ? "" : " in the drive of \(text("owner"))" }

    private var replacement: String {
        self["replaces"] == true ? ", replacing the file that is there" : ", which may replace a file"
    }

    private var linkSummary: String {
        let who =
            switch self["scope"].string {
            case "anonymous": "anyone"
            case "organization": "everyone in the organization"
            case "users": "the people that are named"
            default: "anyone the organization's default allows"
            }
        let what =
            switch self["type"].string {
            case "view": "read"
            case "edit": "change"
            case "embed": "embed"
            default: "open (\(text("type")))"
            }
        var words = "makes a link by which \(who) can \(what) \(text("item"))\(drive)"
        if self["password"] == true { words += ", with a password" }
        if !self["expires"].isNull { words += ", until \(text("expires"))" }
        return words
    }

    private var eventSummary: String {
        var words = "puts '\(text("subject"))' into the calendar"
        if !isOwn, !self["organizer"].isNull { words += " of \(text("organizer"))" }
        if !self["start"].isNull { words += " at \(text("start"))" }
        if self["attendees"] != [] { words += ", inviting \(text("attendees"))" }
        return words
    }

    private var subject: String {
        let what = "the \(text("what"))"
        let names = [self["name"], self["id"]].filter { !$0.isNull }.map(Self.text)
        guard let first = names.first else { return what }
        let isNamed = itemNames["id"] != nil || names.count == 1 || names[1] == first
        return isNamed ? "\(what) \(first)" : "\(what) \(first) (\(names[1]))"
    }

    private var properties: String {
        guard let changes = self["properties"].object, !changes.isEmpty else { return "properties " }
        return Self.list(changes.map { name, change in name + Self.former(change) }) + " "
    }

    /// A property's former value, if it was read and is short.
    private static func former(_ change: Value) -> String {
        guard let before = change["before"], let after = change["after"], !before.isNull else { return "" }
        let words = [before, after].map(text)
        return words.allSatisfy { $0.count <= 40 } ? " (from \(words[0]) to \(words[1]))" : ""
    }
}
