/// The people and groups that were deleted and can be restored, as for 30 days at Microsoft.
struct SandboxDeletedItems {
    /// Each with the groups that it was a member of.
    private(set) var users: [String: (user: SandboxUser, groups: [String])] = [:]
    private(set) var groups: [String: SandboxGroup] = [:]

    mutating func add(_ user: SandboxUser, _ memberOf: [String]) { users[user.id.lowercased()] = (user, memberOf) }

    /// Security groups are gone at once.
    mutating func add(_ group: SandboxGroup) {
        if group.value["groupTypes"]?.array?.contains("Unified") == true { groups[group.id.lowercased()] = group }
    }

    mutating func takeUser(_ id: String) -> (user: SandboxUser, groups: [String])? {
        users.removeValue(forKey: id.lowercased())
    }

    mutating func takeGroup(_ id: String) -> SandboxGroup? { groups.removeValue(forKey: id.lowercased()) }
}

extension SandboxState {
    /// `POST /directory/deletedItems/ID/restore`: 200 with the object, which has its id and its memberships again.
    mutating func restore(_ id: String) throws(SandboxError) -> HTTPResponse {
        if let deleted = deletedItems.users[id.lowercased()] {
            guard directory.user(named: deleted.user.userPrincipalName) == nil else {
                throw .badRequest(
                    "Another object with the same value for property userPrincipalName already exists.",
                    code: "Request_BadRequest")
            }
            _ = deletedItems.takeUser(id)
            directory.add(deleted.user)
            note(.created, deleted.user.id, in: .users)
            for place in groups.indices where deleted.groups.contains(groups[place].id) {
                groups[place].members.append(deleted.user.id)
                noteMember(deleted.user.id, of: groups[place].id, isGone: false)
            }
            return Self.restored("user", try deleted.user.value(select: nil))
        }
        guard let group = deletedItems.takeGroup(id) else {
            throw SandboxError(
                status: 404, code: "Request_ResourceNotFound",
                message: "Resource '\(id)' does not exist or one of its queried reference-property objects are not "
                    + "present.")
        }
        groups.append(group)
        note(.created, group.id, in: .groups)
        return Self.restored("group", group.value)
    }

    private static func restored(_ type: String, _ value: Object) -> HTTPResponse {
        var answer: Object = [
            "@odata.context": "https://graph.microsoft.com/v1.0/$metadata#directoryObjects/$entity",
            "@odata.type": .string("#microsoft.graph.\(type)"),
        ]
        for (name, member) in value { answer[name] = member }
        return json(answer)
    }
}
