internal import GraphModel

extension GraphWrite {
    /// What an action does.
    var acted: [Effect] {
        guard let action else { return [] }
        switch (bound, action) {
        case ("user", "sendMail"): return [message(body?["message"], isSent: true)]
        case ("message", "send"): return [message(nil, isSent: true)]
        case ("message", "reply"), ("message", "replyAll"): return [message(answer, isSent: true)]
        case (_, "forward"): return [message(answer, isSent: true)]
        case ("message", "createReply"), ("message", "createReplyAll"), ("message", "createForward"):
            return [message(answer, isSent: false)]
        case ("conversationThread", "reply"), ("post", "reply"):
            return [Effect(.post(.init(place: nearest("group")?.id ?? .null)), isOwn: isOwn)]
        case ("event", "cancel"), (_, "permanentDelete"): return [item(.delete, bound, id)]
        case (_, "assignLicense"):
            let all = licenses
            return all.isEmpty ? [item(.change, bound, id)] : all
        case ("driveItem", "invite"):
            let grant = shared(on: object)
            guard maySend("sendInvitation") else { return [grant] }
            return [grant, invitation(to: grant.grant?.to ?? .null)]
        case ("permission", "grant"): return [shared(on: container)]
        case ("driveItem", "createLink"): return [link]
        case ("driveItem", "createUploadSession"): return [file(size: body?["item"]?["fileSize"] ?? .null)]
        case ("driveItem", "copy"):
            // A copy has the name of its original, unless it gets another.
            var copy = properties
            copy["name"] = copy["name"] ?? id
            return [item(.create, bound, .null, copy)]
        case (_, "createUploadSession"):
            let attachment = body?["attachmentItem"]?.object ?? [:]
            return [item(.create, "attachment", .null, attachment)]
        case (_, "resetPassword"):
            return [Effect(.grant(.init(what: "credential", on: nearest("user")?.id ?? id, added: true)), isOwn: isOwn)]
        case ("application", _) where Self.credentials[action] != nil,
            ("servicePrincipal", _) where Self.credentials[action] != nil:
            return [Effect(.grant(.init(what: "credential", on: id, added: Self.credentials[action])))]
        default: return others(action)
        }
    }

    private static let credentials = [
        "addKey": true, "addPassword": true, "addTokenSigningCertificate": true, "removeKey": false,
        "removePassword": false,
    ]

    /// The type that the action is bound to.
    var bound: String {
        let before = operation.address.segments.dropLast().last?.type
        return before?.name ?? ""
    }

    /// Each object of an action, which may name several in its body.
    private func others(_ action: String) -> [Effect] {
        let named = ["userIds", "ids", "servicePrincipalIds", "appIds"].lazy.compactMap { body?[$0]?.array }.first
        let ids = list == nil ? [id] : named ?? [.null]
        return ids.map {
            Effect(.action(.init(action: .string(action), what: bound, id: $0 == "" ? .null : $0)), isOwn: isOwn)
        }
    }

    private var link: Effect {
        Effect(
            .link(
                .init(
                    owner: owner, item: object?.id ?? .null, type: body?["type"] ?? .null,
                    scope: body?["scope"] ?? .null, expires: body?["expirationDateTime"] ?? .null,
                    password: body.map { !($0["password"] ?? .null).isNull })), isOwn: isOwn)
    }

    private var licenses: [Effect] {
        func each(_ list: Value?, _ read: (Value) -> Value, isAdded: Bool) -> [Effect] {
            guard let all = list?.array else { return list.map { _ in [license(.null, isAdded: isAdded)] } ?? [] }
            return all.map { license(read($0), isAdded: isAdded) }
        }
        return each(body?["addLicenses"], { $0["skuId"] ?? .null }, isAdded: true)
            + each(body?["removeLicenses"], { $0 }, isAdded: false)
    }

    private func license(_ license: Value, isAdded: Bool) -> Effect {
        Effect(.license(.init(user: id, license: license, added: isAdded)), isOwn: isOwn)
    }

    // MARK: Mail

    private var answer: Value {
        guard let body else { return .null }
        var message = body["message"]?.object ?? [:]
        if let recipients = body["toRecipients"] { message["toRecipients"] = recipients }
        return .object(message)
    }

    /// - Parameter given: The message; a token means that nothing is known.
    func message(_ given: Value?, isSent: Bool) -> Effect {
        let message = given ?? .null
        let isNew = message.object != nil && (action ?? "sendMail") == "sendMail"
        // What is forwarded goes to those who are named, and to no one else.
        let isForwarded = message["toRecipients"] != nil && action?.lowercased().hasSuffix("forward") ?? false
        func addresses(_ name: String) -> Value {
            guard let list = message[name], !list.isNull else { return isNew || isForwarded ? [] : .null }
            guard let all = list.array else { return .null }
            return .array(all.map { $0["emailAddress"]?["address"] ?? .null })
        }
        return Effect(
            .mail(
                .init(
                    from: message["from"]?["emailAddress"]?["address"] ?? owner, to: addresses("toRecipients"),
                    cc: addresses("ccRecipients"), bcc: addresses("bccRecipients"),
                    subject: message["subject"] ?? (isNew ? "" : .null),
                    attachments: message["attachments"].map(attachments) ?? (isNew ? [] : .null), sent: isSent)),
            isOwn: isOwn && message["from"] == nil)
    }

    private func attachments(_ list: Value) -> Value {
        guard let all = list.array else { return .null }
        return .array(
            all.map { attachment in
                // The types of attachments differ, and the service takes any letters.
                let content = attachment.member("contentBytes")?.string
                let bytes = content.flatMap { UnknownTokens.isIn($0) ? nil : Data(base64Encoded: $0)?.count }
                return ["name": attachment["name"] ?? .null, "size": bytes.map(Value.integer) ?? .null]
            })
    }
}
