struct SandboxGroup {
    var id: String
    var displayName: String
    var description: String?
    var mailNickname: String
    /// Nil if it is derived from the nickname.
    var address: String?
    var isMailEnabled = false
    var isSecurityEnabled = true
    var types: [String] = []
    var created: Date
    var members: [String] = []

    var value: Object {
        [
            "id": .string(id), "deletedDateTime": .null, "classification": .null,
            "createdDateTime": .string(SandboxClock.timestamp(created)),
            "description": description.map(Value.string) ?? .null, "displayName": .string(displayName),
            "groupTypes": .array(types.map(Value.string)),
            "mail": isMailEnabled ? .string(address ?? "\(mailNickname)@contoso.com") : .null,
            "mailEnabled": .bool(isMailEnabled), "mailNickname": .string(mailNickname),
            "securityEnabled": .bool(isSecurityEnabled), "visibility": types.contains("Unified") ? "Public" : .null,
        ]
    }

    static let fields: Set<String> = [
        "id", "deletedDateTime", "classification", "createdDateTime", "description", "displayName", "groupTypes",
        "mail", "mailEnabled", "mailNickname", "securityEnabled", "visibility",
    ]

    static let first = [
        SandboxGroup(
            id: "02bd9fd6-8f93-4758-87c3-1fb73740a315", displayName: "All Employees", description: "Everyone",
            mailNickname: "employees", isMailEnabled: true, types: ["Unified"],
            created: Date(timeIntervalSince1970: 1_600_000_000),
            members: SandboxUser.people.prefix(3).map(\.id)),
        SandboxGroup(
            id: "06f62f70-9827-4e6e-93ef-8e0f2d9b7b23", displayName: "Sales and Marketing",
            mailNickname: "salesandmarketing", created: Date(timeIntervalSince1970: 1_600_000_000),
            members: [SandboxUser.people[0].id]),
    ]
}

extension SandboxGroup {
    /// Changes what a client can set.
    fileprivate mutating func change(_ changes: Object) throws(SandboxError) {
        for (name, value) in changes where !name.hasPrefix("@") {
            switch (name, value) {
            case ("displayName", .string(let text)) where !text.isEmpty: displayName = text
            case ("description", .string(let text)): description = text
            case ("description", .null): description = nil
            case ("mailNickname", .string(let text)) where !text.isEmpty: mailNickname = text
            case ("displayName", _), ("mailNickname", _), ("description", _):
                throw .badRequest(
                    "Invalid value specified for property '\(name)' of resource 'Group'.", code: "Request_BadRequest")
            default: throw .notPlayed(name)
            }
        }
    }
}

extension SandboxState {
    mutating func answer(
        _ part: SandboxRoute.Directory, of owner: String?, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        switch part {
        case .groups where call.request.method == "POST": return try createGroup(call)
        case .groups:
            return try groupList.answer(call)
        case .group(let id):
            let place = try place(ofGroup: id)
            switch call.request.method {
            case "DELETE":
                let group = groups.remove(at: place)
                deletedItems.add(group)
                note(.deleted, group.id, in: .groups)
                return HTTPResponse(status: 204)
            case "PATCH":
                guard let changed = try call.json?.get().object else { throw .unreadableBody }
                try groups[place].change(changed)
                note(.updated, groups[place].id, in: .groups, properties: changed.keys)
                return HTTPResponse(status: 204)
            default: return try groupList.answer(only: groups[place].value, call)
            }
        case .deletedItem(let id): return try restore(id)
        case .members(let id): return try people(groups[try place(ofGroup: id)].members).answer(call)
        case .memberReferences(let id): return try addMember(to: try place(ofGroup: id), call)
        case .memberReference(let id, let member):
            let place = try place(ofGroup: id)
            guard let index = groups[place].members.firstIndex(of: member.lowercased()) else { throw .noUser(member) }
            noteMember(groups[place].members.remove(at: index), of: groups[place].id, isGone: true)
            return HTTPResponse(status: 204)
        case .memberOf(let id):
            let user = try user(owner, for: call)
            var list = groupList
            list.context = "directoryObjects"
            list.type = "microsoft.graph.directoryObject"
            list.elements = groups.filter { $0.members.contains(user.id) }.map { group in
                var value = group.value
                value["@odata.type"] = "#microsoft.graph.group"
                return value
            }
            guard let id else { return try list.answer(call) }
            guard let group = list.elements.first(where: { $0["id"] == .string(id) }) else { throw .noUser(id) }
            return try list.answer(only: group, call)
        case .manager:
            guard let manager = try user(owner, for: call).manager, let person = directory.user(named: manager) else {
                throw SandboxError(
                    status: 404, code: "Request_ResourceNotFound",
                    message:
                        "Resource 'manager' does not exist or one of its queried reference-property objects are not present."
                )
            }
            var answer: Object = [
                "@odata.context": "https://graph.microsoft.com/v1.0/$metadata#directoryObjects/$entity"
            ]
            answer["@odata.type"] = "#microsoft.graph.user"
            for (name, value) in try person.value(select: call.target.option("select")) { answer[name] = value }
            return Self.json(answer)
        case .reports:
            return try people(directory.reports(of: try user(owner, for: call)).map(\.id)).answer(call)
        case .organization: return try Self.organization.answer(call)
        case .skus: return try skus.answer(call)
        case .licenceDetails:
            return try licenceDetails(of: try user(owner, for: call)).answer(call)
        case .assignLicence: return try assignLicence(to: try user(owner, for: call), call)
        }
    }

    private var groupList: SandboxList {
        SandboxList(
            context: "groups", type: "microsoft.graph.group", elements: groups.map(\.value),
            options: ["select", "top", "skiptoken", "filter", "count", "orderby"], fields: SandboxGroup.fields)
    }

    private func people(_ ids: [String]) -> SandboxList {
        SandboxList(
            context: "directoryObjects", type: "microsoft.graph.user",
            elements: ids.compactMap { id in
                guard let user = directory.user(named: id), var value = try? user.value(select: "*") else { return nil }
                value["@odata.type"] = "#microsoft.graph.user"
                return value
            }, fields: Set(SandboxUser.fieldNames), usualFields: Set(SandboxUser.defaultFields))
    }

    private func place(ofGroup id: String) throws(SandboxError) -> Int {
        guard let place = groups.firstIndex(where: { $0.id == id.lowercased() }) else { throw .noUser(id) }
        return place
    }

    private mutating func createGroup(_ call: SandboxCall) throws(SandboxError) -> HTTPResponse {
        guard let body = try call.json?.get() else { throw .unreadableBody }
        func invalid(_ name: String) -> SandboxError {
            .badRequest("A value is required for property '\(name)' of resource 'Group'.", code: "Request_BadRequest")
        }
        guard let name = body["displayName"]?.string, !name.isEmpty else { throw invalid("displayName") }
        guard let nickname = body["mailNickname"]?.string, !nickname.isEmpty else { throw invalid("mailNickname") }
        guard let hasMail = body["mailEnabled"]?.bool else { throw invalid("mailEnabled") }
        guard let isSecure = body["securityEnabled"]?.bool else { throw invalid("securityEnabled") }
        let types = body["groupTypes"]?.array?.compactMap(\.string) ?? []
        guard !hasMail || types.contains("Unified") else {
            throw .badRequest(
                "The service does not currently support writes of mail-enabled groups. Please ensure that the mail-enablement property is unset and the security-enablement property is set.",
                code: "Request_BadRequest")
        }
        var group = SandboxGroup(
            id: guid(), displayName: name, description: body["description"]?.string, mailNickname: nickname,
            isMailEnabled: hasMail, isSecurityEnabled: isSecure, types: types, created: call.date)
        for reference in body["members@odata.bind"]?.array?.compactMap(\.string) ?? [] {
            group.members.append(try member(reference).id)
        }
        groups.append(group)
        note(.created, group.id, in: .groups, key: group.types.first)
        for member in group.members { noteMember(member, of: group.id, isGone: false) }
        return try groupList.answer(only: group.value, call, status: 201)
    }

    private mutating func addMember(to place: Int, _ call: SandboxCall) throws(SandboxError) -> HTTPResponse {
        guard let reference = try call.json?.get()["@odata.id"]?.string else { throw .unreadableBody }
        let user = try member(reference)
        guard !groups[place].members.contains(user.id) else {
            throw .badRequest(
                "One or more added object references already exist for the following modified properties: 'members'.",
                code: "Request_BadRequest")
        }
        groups[place].members.append(user.id)
        noteMember(user.id, of: groups[place].id, isGone: false)
        return HTTPResponse(status: 204)
    }

    private func member(_ reference: String) throws(SandboxError) -> SandboxUser {
        let segments = (URL(string: reference)?.path(percentEncoded: false) ?? "").split(separator: "/")
        guard segments.count >= 2, ["users", "directoryobjects"].contains(segments[segments.count - 2].lowercased()),
            let name = segments.last
        else {
            throw .badRequest("Invalid URL format specified in @odata.id.", code: "Request_BadRequest")
        }
        guard let user = directory.user(named: String(name)) else { throw .noUser(String(name)) }
        return user
    }
}
