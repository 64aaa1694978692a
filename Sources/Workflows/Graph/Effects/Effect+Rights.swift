extension Effect.ObjectChange {
    /// The drive that a copy is put into; null where it stays in the drive of the original.
    var drive: Value { what == "driveItem" ? properties?["parentReference"]?["after"]?["driveId"] ?? .null : .null }
}

/// The words of rights, rules, answers and actions.
extension Effect {
    /// What people call types whose names say it badly.
    private static let names = [
        "aadUserConversationMember": "member", "chatMessage": "message", "columnDefinition": "column",
        "conversationMember": "member", "driveItem": "file or folder", "messageRule": "mail rule",
        "oAuth2PermissionGrant": "consent", "openTypeExtension": "extension", "plannerBucket": "bucket",
        "plannerPlan": "plan", "plannerTask": "task", "profilePhoto": "photo", "teamsTab": "tab", "todoTask": "task",
        "todoTaskList": "task list",
    ]

    /// A type of the model in words: `servicePrincipal` is a service principal.
    static func words(of type: String) -> String {
        if let name = names[type] { return name }
        let plain = type.split(separator: ".").last ?? ""
        return plain.reduce(into: "") { words, letter in
            words += letter.isUppercase && !words.isEmpty ? " \(letter.lowercased())" : String(letter)
        }
    }

    func words(of grant: Grant) -> String {
        let isAdded = grant.added != false
        let person = grant.to.array.map { Self.list($0.map(held)) } ?? (grant.to.isNull ? "somebody" : text(grant.to))
        let on = held(grant.on)
        let level = grant.level.isNull ? "" : " (\(text(grant.level)))"
        if !isAdded, grant.to.isNull, let holder = holders.first, holder.id == grant.on {
            return "removes \(on)\(held(beyond: grant.on))"
        }
        func right(_ words: String) -> String {
            isAdded ? "gives \(person) \(words)" : "takes \(words) from \(person)"
        }
        return switch grant.what {
        case "role": right("the role \(text(grant.on))")
        case "owner": isAdded ? "makes \(person) an owner of \(on)" : "removes \(person) from the owners of \(on)"
        case "appRole": right("the permission\(level) of \(on)")
        case "delegatedPermission": right("the consent\(level) to \(on)")
        case "credential": isAdded ? "adds a credential to \(on)" : "removes a credential from \(on)"
        case "calendar":
            right("access\(level) to the calendar" + (isOwn || grant.on.isNull ? "" : " of \(text(grant.on))"))
        default: right("access\(level) to \(on)\(held(beyond: grant.on))")
        }
    }

    func words(of forward: Forward) -> String {
        let whose = isOwn || forward.owner.isNull ? "" : " of \(text(forward.owner))"
        return "sends the mail\(whose) on to \(text(forward.to)), by a rule"
            + (forward.keeps == false ? " that keeps no copy" : "")
    }

    func words(of reply: AutoReply) -> String {
        let whose = isOwn || reply.owner.isNull ? "" : " of \(text(reply.owner))"
        return switch reply.audience.string {
        case "none": "sets the automatic replies\(whose), none of which leaves the organization"
        case "contacts": "sets the automatic replies\(whose), also to contacts outside of the organization"
        case "all": "sets the automatic replies\(whose), to everybody who writes"
        default: "sets the automatic replies\(whose)"
        }
    }

    func words(of action: Action) -> String {
        let isSelf = isOwn && action.what == "user" && action.id.isNull
        let object =
            isSelf
            ? "the signed-in user" : name(of: action.what, action.name, action.id) + held(beyond: action.id)
        if let known = GraphAction(action) { return known.words.replacing("%", with: object) }
        return "runs \(text(action.action)) on \(object)"
    }
}
