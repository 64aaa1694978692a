internal import GraphModel

extension GraphWrite {
    /// A type whose objects are rights, and where its body has what they are: a path of members, or nothing for what holds
    /// the object.
    private struct Right {
        let what, to, on, level: String
    }

    private static let rights = """
        permission | share | | | roles
        calendarPermission | calendar | emailAddress/address | | role
        unifiedRoleAssignment | role | principalId | roleDefinitionId | directoryScopeId
        unifiedRoleAssignmentScheduleRequest | role | principalId | roleDefinitionId | directoryScopeId
        unifiedRoleEligibilityScheduleRequest | role | principalId | roleDefinitionId | directoryScopeId
        scopedRoleMembership | role | roleMemberInfo/id | roleId | administrativeUnitId
        appRoleAssignment | appRole | principalId | resourceId | appRoleId
        oAuth2PermissionGrant | delegatedPermission | clientId | resourceId | scope
        federatedIdentityCredential | credential | subject | |
        accessPackageAssignmentRequest | access | assignment/targetId | assignment/accessPackageId |
        privilegedAccessGroupAssignmentScheduleRequest | access | principalId | groupId | accessId
        privilegedAccessGroupEligibilityScheduleRequest | access | principalId | groupId | accessId
        """.split(separator: "\n").reduce(into: [String: Right]()) { rights, row in
            let cells = row.split(separator: "|", omittingEmptySubsequences: false).map { $0.trimming(\.isWhitespace) }
            rights[String(cells[0])] = Right(
                what: String(cells[1]), to: String(cells[2]), on: String(cells[3]), level: String(cells[4]))
        }

    /// A way to sign in is a credential of the person, whatever its type.
    private static func method(_ what: String) -> Right? {
        let lineage = GraphModel.definition(named: what).map { GraphModel.lineage(of: $0.index) } ?? []
        return lineage.contains { $0.name == "authenticationMethod" }
            ? Right(what: "credential", to: "", on: "", level: "") : nil
    }

    /// The types whose objects have members.
    private static let groups: Set<String> = ["group", "team", "chat", "channel", "administrativeUnit"]

    // MARK: Rights that are objects

    /// What a new, changed or removed object of a type gives or takes; nil if such objects are no rights.
    func grant(_ what: String, isAdded: Bool) -> [Effect]? {
        if isAdded, let member = membership(what, isAdded: true) { return member }
        guard let right = Self.rights[what] ?? Self.method(what) else { return nil }
        let isSite = right.what == "share" && container?.what == "site"
        // Requests for a role or a group say themselves whether they give it.
        let isGiven = (body?["action"] ?? body?["requestType"])?.string.map { !$0.lowercased().contains("remove") }
        let to = right.what == "share" ? sharers : found(right.to)
        // Of what is removed, only the address is known.
        let on = right.on.isEmpty ? holder : body == nil ? object?.id : found(right.on)
        var effect = Effect(
            .grant(
                .init(
                    what: isSite ? "site" : right.what, to: to.string.map { .array([.string($0)]) } ?? to,
                    on: on ?? .null,
                    level: Self.level(found(right.level)), added: isAdded && isGiven != false)), isOwn: isOwn)
        effect.holders = [right.to, right.on].compactMap { path in
            Self.types[path].map { Effect.Holder(what: $0, id: found(path)) }
        }
        return [effect]
    }

    /// The types of the objects that members of rights name.
    private static let types = ["clientId": "servicePrincipal", "resourceId": "servicePrincipal", "groupId": "group"]

    /// What a right is a right to, where its body does not say that: an item, or the calendar of a person.
    private var holder: Value? {
        container.map { $0.what == "calendar" && !owner.isNull || $0.id.isNull ? owner : $0.id }
    }

    /// A member of the body by its path; null without one.
    private func found(_ path: String) -> Value { Self.found(path, in: body) }

    private static func found(_ path: String, in body: Value?) -> Value {
        path.isEmpty ? .null : path.split(separator: "/").reduce(body ?? .null) { $0[String($1)] ?? .null }
    }

    /// What is taken from whom, as its own answer tells.
    static func removed(_ grant: Effect.Grant, of what: String, as answer: Value) -> Effect.Grant {
        guard let right = rights[what] else { return grant }
        var grant = grant
        let to = found(right.to, in: answer)
        if !to.isNull { grant.to = [to] }
        if !right.on.isEmpty { grant.on = found(right.on, in: answer) }
        grant.level = level(found(right.level, in: answer))
        return grant
    }

    private static func level(_ level: Value) -> Value {
        guard let all = level.array else { return level }
        let words = all.compactMap(\.string)
        return words.count == all.count ? .string(words.joined(separator: ", ")) : .null
    }

    /// Who is named in a new permission.
    private var sharers: Value {
        let one = ["grantedToV2", "grantedTo"].lazy.compactMap { body?[$0] }.first
        let named = ["grantedToIdentitiesV2", "grantedToIdentities"].lazy.compactMap { body?[$0]?.array }.first
        guard let all = named ?? one.map({ [$0] }) else { return .null }
        return .array(
            all.map { identity in
                let who = identity["user"] ?? identity["application"] ?? identity["group"] ?? .null
                return who["email"] ?? who["displayName"] ?? who["id"] ?? .null
            })
    }

    /// What an action on an object shares with the people that its body names.
    func shared(on item: Object?) -> Effect {
        let recipients = body?["recipients"]
        let to = recipients?.array.map { all in
            Value.array(all.map { $0["email"] ?? $0["objectId"] ?? $0["alias"] ?? .null })
        }
        return Effect(
            .grant(
                .init(
                    what: "share", to: to ?? .null, on: item?.id ?? .null, level: Self.level(body?["roles"] ?? .null),
                    added: true)), isOwn: isOwn)
    }

    /// The credentials that come with the other properties of an application, or as a person's new password.
    func credentials(of what: String, _ id: Value) -> [Effect] {
        let names = ["application": ["keyCredentials", "passwordCredentials"], "user": ["passwordProfile"]]
        let own = names[what == "servicePrincipal" ? "application" : what] ?? []
        // Somebody new has a password that no one else had.
        guard what != "user" || operation.kind == .change,
            own.contains(where: { body?[$0].map { !$0.isNull && $0 != [] } ?? false })
        else { return [] }
        return [Effect(.grant(.init(what: "credential", on: id, added: true)), isOwn: isOwn)]
    }

    // MARK: Members and owners

    /// A member of a team, chat or channel with an id itself; nil for other types.
    func membership(_ what: String, isAdded: Bool) -> [Effect]? {
        guard what.lowercased().hasSuffix("conversationmember"), let group = container,
            Self.groups.contains(group.what), operation.kind != .change
        else {
            return nil
        }
        let id = isAdded ? Self.person(body) : object?.id ?? .null
        return [
            member(
                of: group.what, group.id, id, isAdded: isAdded, isOwner: isAdded && Self.isOwner(body, of: group.what))
        ]
    }

    private static func person(_ member: Value?) -> Value {
        member?["user@odata.bind"].map { RequestEffects.id(in: $0) } ?? member?["userId"] ?? .null
    }

    private static func isOwner(_ member: Value?, of what: String) -> Bool {
        what != "chat" && member?["roles"]?.array?.contains("owner") ?? false
    }

    private func member(of what: String, _ group: Value, _ id: Value, isAdded: Bool, isOwner: Bool) -> Effect {
        guard isOwner else { return Effect(.member(.init(what: what, group: group, member: id, added: isAdded))) }
        return Effect(.grant(.init(what: "owner", to: [id], on: group, added: isAdded)))
    }

    /// The members and owners that come with a group's other properties.
    func membersOf(_ what: String, _ group: Value) -> [Effect] {
        func bound(_ list: String, isOwner: Bool) -> [Effect] {
            (body?["\(list)@odata.bind"]?.array ?? []).map {
                member(of: what, group, RequestEffects.id(in: $0), isAdded: true, isOwner: isOwner)
            }
        }
        let isGroup = Self.groups.contains(what)
        let people = isGroup ? body?["members"]?.array ?? [] : []
        return (isGroup ? bound("members", isOwner: false) : []) + bound("owners", isOwner: true)
            + people.map {
                member(of: what, group, Self.person($0), isAdded: true, isOwner: Self.isOwner($0, of: what))
            }
    }

    /// A reference that is added or removed.
    var linked: [Effect] {
        let isAdded = operation.kind == .link
        guard let holder = container, let relation = list ?? object?.relation else { return [] }
        let reference = body?["@odata.id"] ?? body?["directoryObject"]?["id"]
        let id = isAdded ? RequestEffects.id(in: reference) : list == nil ? object?.id ?? .null : .null
        switch relation {
        case "members" where Self.groups.contains(holder.what):
            return [member(of: holder.what, holder.id, id, isAdded: isAdded, isOwner: false)]
        case "members" where holder.what == "directoryRole":
            return [Effect(.grant(.init(what: "role", to: [id], on: holder.id, added: isAdded)))]
        case "owners", "registeredOwners":
            return [Effect(.grant(.init(what: "owner", to: [id], on: holder.id, added: isAdded)))]
        default:
            let others = properties.isEmpty || !isAdded ? [:] : properties
            let change: Value = isAdded ? id : .null
            return [item(.change, holder.what, holder.id, others.isEmpty ? [relation: change] : others)]
        }
    }
}

extension Effect {
    /// The effect with what was read of the right that it takes.
    package func filled(from answers: [Value]) -> Effect {
        guard case .grant(let grant) = details, grant.added == false, grant.to.isNull, let holder = holders.first,
            let answer = answers.first(where: { $0["id"] == grant.on && !grant.on.isNull })
        else { return self }
        var effect = self
        effect.details = .grant(GraphWrite.removed(grant, of: holder.what, as: answer))
        return effect
    }
}
