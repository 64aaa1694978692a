internal import GraphModel

extension GraphWrite {
    /// Whether it only reads, whatever its method.
    var changesNothing: Bool {
        switch operation.kind {
        case .read, .function: true
        case .content: operation.method == "GET"
        case .action: action.map { GraphAction.onlyReads($0, of: bound) } ?? false
        case .create, .change, .replace, .delete, .link, .unlink: false
        }
    }

    /// What it does; empty where not even the type of its object is known.
    var effects: [Effect] {
        guard !changesNothing else { return [] }
        let effects =
            switch operation.kind {
            case .read, .function: [Effect]()
            case .create: created
            case .change, .replace: changed
            case .delete: deleted
            case .link, .unlink: linked
            case .action: acted
            case .content: written
            }
        let named = objects.reversed().filter { !$0.isPath && !$0.id.isNull }
        let holders = named.map { Effect.Holder(what: $0.what, id: $0.id) }
        return effects.map { effect in
            var effect = effect
            effect.holders += holders
            return effect
        }
    }

    // MARK: New objects

    private var created: [Effect] {
        guard let type = operation.request, let what = Self.what(type, body) else { return [] }
        if let grant = grant(what, isAdded: true) { return grant }
        switch what {
        case "message": return [message(body, isSent: false)]
        case "event": return [.event(body ?? .null, of: owner, isOwn: isOwn)]
        case "driveItem": return [item(in: object)]
        case "chatMessage", "conversation", "conversationThread", "post": return [post]
        case "messageRule": return forward.map { [$0] } ?? [self.item(.create, what, .null, properties)]
        case "invitation": return invited
        default: break
        }
        let name = Self.name(in: properties)
        let people = membersOf(what, name ?? .null)
        let shown = properties.filter { people.isEmpty || $0.key != "members" }
        return [item(.create, what, .null, shown)] + people + credentials(of: what, name ?? .null)
    }

    /// The type of a new object: a body may name one that comes from the list's.
    private static func what(_ type: GraphType, _ body: Value?) -> String? {
        guard let definition = type.definition else { return nil }
        return GraphModel.plainName(body?["@odata.type"]).flatMap { name in
            GraphModel.descendants(of: definition.index).first { $0.name == name }
        }?.name
            ?? definition.name
    }

    private func item(in folder: Object?) -> Effect {
        let name = body?["name"]?.string
        let prefix = folder?.isPath == true && folder?.id != "" ? folder?.id.string.map { "\($0)/" } ?? "" : ""
        let path = name.map { Value.string(prefix + $0) } ?? .null
        let size = body?["size"] ?? .null
        let file = Effect.File(owner: owner, path: path, replaces: false, size: size)
        return Effect(body?["folder"] == nil ? .file(file) : .folder(file), isOwn: isOwn)
    }

    private var post: Effect {
        let place = nearest("channel", "chat", "group", "team")
        return Effect(.post(.init(place: place?.id ?? .null)), isOwn: isOwn)
    }

    /// An invitation makes the account of a guest, who may get a mail.
    private var invited: [Effect] {
        let address = body?["invitedUserEmailAddress"] ?? .null
        var properties = properties
        properties["displayName"] = body?["invitedUserDisplayName"] ?? address
        let guest = item(.create, "user", .null, properties)
        guard maySend("sendInvitationMessage") else { return [guest] }
        return [guest, invitation(to: address.isNull ? .null : [address])]
    }

    /// Whether a mail is sent, which a body that is not known may ask for.
    func maySend(_ name: String) -> Bool { body.map { $0[name] ?? false != false } ?? true }

    func invitation(to addresses: Value) -> Effect {
        Effect(.mail(.init(to: addresses, cc: [], bcc: [], attachments: [], sent: true)), isOwn: isOwn)
    }

    // MARK: Changes

    private var changed: [Effect] {
        // A list that takes changes of several of its objects.
        guard let object, list == nil else { return operation.request.map { [item(.change, $0.name, .null)] } ?? [] }
        if let grant = grant(object.what, isAdded: true) { return grant }
        if object.what == "messageRule", let forward { return [forward] }
        let settings = object.what == "mailboxSettings" ? body : body?["mailboxSettings"]
        var effects: [Effect] = []
        var properties = properties
        if let reply = settings?["automaticRepliesSetting"] {
            effects.append(autoReply(reply))
            properties = properties.filter { !["automaticRepliesSetting", "mailboxSettings"].contains($0.key) }
            if properties.isEmpty { return effects }
        }
        let people = membersOf(object.what, object.id)
        if !people.isEmpty, properties.isEmpty { return people }
        return people + effects + [item(.change, object.what, id, properties)] + credentials(of: object.what, id)
    }

    private func autoReply(_ setting: Value) -> Effect {
        let isOff = setting["status"] == "disabled"
        let audience: Value =
            switch setting["externalAudience"]?.string {
            case _ where isOff: "none"
            case "contactsOnly": "contacts"
            case let given?: .string(given)
            case nil: .null
            }
        return Effect(.autoReply(.init(owner: owner, audience: audience)), isOwn: isOwn)
    }

    /// The rule that is made or changed, if it sends mail on.
    private var forward: Effect? {
        guard let actions = body?["actions"] else { return nil }
        let lists = ["forwardTo", "redirectTo", "forwardAsAttachmentTo"].compactMap { actions[$0] }
        let sent = lists.filter { !$0.isNull && $0 != [] }
        guard !sent.isEmpty else { return nil }
        let isKnown = sent.allSatisfy { $0.array != nil }
        let to = sent.flatMap { $0.array ?? [] }.map { $0["emailAddress"]?["address"] ?? .null }
        let moves =
            ["delete", "permanentDelete"].contains { actions[$0] == true } || !(actions["moveToFolder"] ?? .null).isNull
        return Effect(
            .forward(.init(owner: owner, to: isKnown ? .array(to) : .null, keeps: !moves)), isOwn: isOwn)
    }

    /// The id of the object, or of what it is a part of; null for the signed-in user.
    var id: Value {
        guard let object, object.id.isNull else { return object?.id ?? .null }
        return objects.last { !$0.id.isNull && $0.id != "" }?.id ?? .null
    }

    // MARK: Removals

    private var deleted: [Effect] {
        guard let object else { return [] }
        if let member = membership(object.what, isAdded: false) { return member }
        return grant(object.what, isAdded: false) ?? [item(.delete, object.what, id)]
    }

    // MARK: Content

    private var written: [Effect] {
        guard let object else { return [] }
        guard object.what == "driveItem" else { return [item(.change, object.what, id)] }
        return [file(size: .null)]
    }

    func file(size: Value) -> Effect {
        let path = object?.id ?? .null
        return Effect(.file(.init(owner: owner, path: path, replaces: nil, size: size)), isOwn: isOwn)
    }

    // MARK: Objects

    static func name(in properties: WorkflowData.Object) -> Value? {
        let names = GraphDefinition.names + ["applicationName", "appDisplayName", "extensionName", "userPrincipalName"]
        let person = ["givenName", "surname"].compactMap { properties[$0]?.string }
        return names.lazy.compactMap { properties[$0] }.first
            ?? (person.isEmpty ? nil : .string(person.joined(separator: " ")))
    }

    func item(_ kind: Effect.Kind, _ what: String, _ id: Value, _ properties: WorkflowData.Object = [:]) -> Effect {
        var effect = Effect(.init(kind, [:]), isOwn: isOwn)
        effect.objectChange = .init(
            what: what, id: id == "" ? .null : id, name: Self.name(in: properties) ?? .null,
            properties: properties.mapValues { ["before": .null, "after": $0] })
        return effect
    }
}
