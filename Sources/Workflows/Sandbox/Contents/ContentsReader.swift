struct ContentsReader {
    private let description: Value
    private var directory: SandboxDirectory
    private(set) var mistakes: [Sandbox.Contents.Mistake] = []

    init(_ description: Value) {
        self.description = description
        directory = SandboxDirectory(count: description["users"]?.integer ?? Sandbox.Settings().userCount)
    }

    mutating func contents() -> Sandbox.Contents {
        var contents = Sandbox.Contents()
        if description["users"]?.array != nil {
            let described = elements(of: "users")
            let users = described.compactMap { user($0.value, at: $0.place) }
            var names: Set<String> = []
            for (user, element) in zip(users, described) where mistakes.isEmpty {
                let own = [user.userPrincipalName.lowercased(), user.id.lowercased()]
                if let name = own.first(where: names.contains) {
                    complain(element.place, "another user has the name '\(PlainText.exact(name, limit: 100))'")
                }
                names.formUnion(own)
            }
            guard mistakes.isEmpty else { return contents }
            directory = SandboxDirectory(users)
            contents.users = users
            for (user, element) in zip(users, described) {
                if case let manager?? = user.givenManager, directory.user(named: manager) == nil {
                    complain(element.place.appending("manager"), unknown(manager))
                }
                let licences = licences(element.value["assignedLicenses"], at: element.place)
                if !licences.isEmpty { contents.licences[user.id] = licences }
            }
        }
        if contents.users != nil || description["groups"] != nil {
            contents.groups = elements(of: "groups").compactMap { group($0.value, at: $0.place) }
        }
        for (name, value) in description["files"]?.object ?? [:] {
            if let file = file(name, value, at: JSONPointer(["files", name])) { contents.files.append(file) }
        }
        contents.mails = elements(of: "mails").compactMap { mail($0.value, at: $0.place) }
        contents.events = elements(of: "events").compactMap { event($0.value, at: $0.place) }
        let entities = description["entities"]?.object ?? [:]
        // A list may be in an object of another one.
        contents.entities = entities.map { ($0.key, $0.value.array ?? []) }.sorted { $0.0.utf8.count < $1.0.utf8.count }
        guard !entities.isEmpty, mistakes.isEmpty else { return contents }
        let tried = SandboxState(
            profile: .default, settings: Sandbox.Settings(), contents: contents, faults: [],
            random: SystemRandomNumberGenerator(), at: Date(timeIntervalSince1970: 0))
        for (path, message) in tried.misplaced { complain(JSONPointer(["entities", path]), message) }
        return contents
    }

    // MARK: People

    private mutating func user(_ value: Value, at place: JSONPointer) -> SandboxUser? {
        let name = value["userPrincipalName"]?.string ?? value["mail"]?.string ?? ""
        guard SandboxState.isAddress(name) else {
            complain(place, "a user needs an address", hint: "add 'mail: ada@contoso.com'")
            return nil
        }
        var user = SandboxUser.people.first { $0.userPrincipalName == name } ?? SandboxUser(named: name)
        for (name, value) in value.object ?? [:] where name != "assignedLicenses" {
            guard name == "manager" || SandboxUser.settableFields.contains(name) else {
                let names = SandboxUser.settableFields.union(["manager", "assignedLicenses"])
                complain(
                    place.appending(name),
                    "a user of the sandbox has no property '\(PlainText.exact(name, limit: 100))'",
                    hint: Diagnostic.didYouMean(name, among: names.sorted()))
                continue
            }
            if let expected = user.describe(name, as: value) { complain(place.appending(name), expected) }
        }
        return user
    }

    private mutating func licences(_ value: Value?, at place: JSONPointer) -> Set<String> {
        Set(
            (value?.array ?? []).enumerated().compactMap { index, element in
                let name = element["skuId"]?.string ?? element.string ?? ""
                guard let product = SandboxProduct.all.first(where: { [$0.id, $0.name].contains(name) }) else {
                    complain(
                        place.appending("assignedLicenses").appending("\(index)"),
                        "the sandbox has no licences of '\(PlainText.exact(name, limit: 100))'",
                        hint: "it has " + SandboxProduct.all.map(\.name).joined(separator: " and "))
                    return nil
                }
                return product.id
            })
    }

    private mutating func group(_ value: Value, at place: JSONPointer) -> SandboxGroup? {
        let name = value["displayName"]?.string ?? ""
        let mail = value["mail"]?.string
        let nickname = value["mailNickname"]?.string ?? mail.map { String($0.prefix { $0 != "@" }) }
        var group = SandboxGroup(
            id: value["id"]?.string?.lowercased() ?? SandboxUser.id(of: "group/\(name)"), displayName: name,
            description: value["description"]?.string,
            mailNickname: nickname ?? name.lowercased().filter { $0.isLetter || $0.isNumber },
            isMailEnabled: mail != nil, isSecurityEnabled: mail == nil, types: mail == nil ? [] : ["Unified"],
            created: Date(timeIntervalSince1970: 1_600_000_000))
        group.address = mail
        for (index, member) in (value["members"]?.array ?? []).enumerated() {
            guard let user = owner(member, at: place.appending("members").appending("\(index)")) else { return nil }
            group.members.append(user.id)
        }
        return group
    }

    // MARK: Files, mails and events

    private mutating func file(_ name: String, _ value: Value, at place: JSONPointer) -> Sandbox.Contents.File? {
        let parts = name.split(separator: ":", maxSplits: 1)
        let isForeign = !name.hasPrefix("/") && parts.count == 2
        guard let owner = isForeign ? owner(.string(String(parts[0])), at: place) : directory.users.first else {
            return nil
        }
        let path = (isForeign ? String(parts[1]) : name).split(separator: "/").joined(separator: "/")
        guard let content = bytes(value, at: place) else { return nil }
        return Sandbox.Contents.File(owner: owner, path: path, content: content)
    }

    private mutating func bytes(_ value: Value, at place: JSONPointer) -> Data? {
        if let text = value.string { return Data(text.utf8) }
        guard let content = value["base64"]?.string.flatMap({ Data(base64Encoded: $0) }) else {
            complain(place, "this is neither a string nor '{ base64: … }'")
            return nil
        }
        return content
    }

    private mutating func mail(_ value: Value, at place: JSONPointer) -> Sandbox.Contents.Mail? {
        guard let owner = owner(value["mailbox"], at: place.appending("mailbox")) else { return nil }
        let name = value["folder"]?.string ?? "inbox"
        guard let folder = SandboxMessage.Folder(wellKnownName: name) else {
            let names = SandboxMessage.Folder.wellKnown.compactMap { $0.name?.filter { $0 != " " }.lowercased() }
            complain(
                place.appending("folder"), "a mailbox has no folder '\(PlainText.exact(name, limit: 100))' at first",
                hint: Diagnostic.didYouMean(name, among: names) ?? "it has \(names.joined(separator: ", "))")
            return nil
        }
        var content: Object = [
            "subject": value["subject"] ?? "", "body": Self.body(value["body"]),
            "isRead": value["isRead"] ?? .bool(folder != .inbox),
            "toRecipients": recipients(value["to"] ?? .string(owner.mail ?? owner.userPrincipalName)),
            "ccRecipients": recipients(value["cc"] ?? []), "replyTo": recipients(value["replyTo"] ?? []),
        ]
        if let sender = value["from"] { content["from"] = recipients(sender)[0] }
        for name in ["importance", "categories", "flag", "inferenceClassification", "internetMessageId"] {
            if let given = value[name] { content[name] = given }
        }
        var attachments: [Sandbox.Mail.Attachment] = []
        for (index, file) in (value["attachments"]?.array ?? []).enumerated() {
            let place = place.appending("attachments").appending("\(index)").appending("content")
            guard let bytes = bytes(file["content"] ?? "", at: place) else { return nil }
            attachments.append(
                Sandbox.Mail.Attachment(
                    name: file["name"]?.string ?? "",
                    contentType: file["contentType"]?.string
                        ?? SandboxState.contentType(of: bytes), content: bytes, isInline: false, contentID: nil))
        }
        return Sandbox.Contents.Mail(
            owner: owner, folder: folder, content: content, attachments: attachments,
            received: date(value["receivedDateTime"], at: place.appending("receivedDateTime")))
    }

    private mutating func event(_ value: Value, at place: JSONPointer) -> (owner: SandboxUser, content: Object)? {
        guard let owner = owner(value["calendar"], at: place.appending("calendar")) else { return nil }
        var content = (value.object ?? [:]).filter { !["calendar", "timeZone"].contains($0.key) }
        let zone = value["timeZone"] ?? "UTC"
        for name in ["start", "end"] {
            if let time = value[name], time.string != nil { content[name] = ["dateTime": time, "timeZone": zone] }
        }
        if value["body"] != nil { content["body"] = Self.body(value["body"]) }
        if let location = value["location"], location.string != nil { content["location"] = ["displayName": location] }
        if let attendees = value["attendees"] {
            content["attendees"] = .array(
                (recipients(attendees).array ?? []).map { attendee in
                    var members = attendee.object ?? [:]
                    members["type"] = members["type"] ?? "required"
                    return .object(members)
                })
        }
        return (owner, content)
    }

    private static func body(_ value: Value?) -> Value {
        guard let text = value?.string else { return value ?? ["contentType": "text", "content": ""] }
        return ["contentType": "text", "content": .string(text)]
    }

    private func recipients(_ value: Value) -> Value {
        .array(
            (value.array ?? [value]).map { one in
                guard let address = one.string else { return one }
                let name = directory.user(named: address)?.displayName ?? address
                return ["emailAddress": ["name": .string(name), "address": one]]
            })
    }

    // MARK: Mistakes

    private func elements(of name: String) -> [(value: Value, place: JSONPointer)] {
        (description[name]?.array ?? []).enumerated().map { ($1, JSONPointer([name, "\($0)"])) }
    }

    private mutating func owner(_ value: Value?, at place: JSONPointer) -> SandboxUser? {
        guard let value else { return directory.users.first }
        if let user = value.string.flatMap({ directory.user(named: $0) }) { return user }
        complain(place, unknown(value.string ?? value.json()))
        return nil
    }

    private func unknown(_ name: String) -> String {
        "'\(PlainText.exact(name, limit: 100))' is not one of the sandbox's users"
    }

    private mutating func date(_ value: Value?, at place: JSONPointer) -> Date? {
        guard let value else { return nil }
        if let date = value.string.flatMap(SandboxUser.date) { return date }
        complain(place, "this is not a date", hint: "write it as 2026-01-05T09:00:00Z")
        return nil
    }

    private mutating func complain(_ place: JSONPointer, _ message: String, hint: String? = nil) {
        mistakes.append(Sandbox.Contents.Mistake(place: place, message: message, hint: hint))
    }
}
