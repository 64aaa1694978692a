/// The people and groups that were deleted and can be restored, as for 30 days at Microsoft.
struct SandboxDeletedItems {
    /// Each with the groups that it was a member of.
    var users: [String: (user: SandboxUser, groups: [String])] = [:]
    var groups: [String: SandboxGroup] = [:]

    mutating func add(_ user: SandboxUser, _ memberOf: [String]) { users[user.id.lowercased()] = (user, memberOf) }

    /// Security groups are gone at once.
    mutating func add(_ group: SandboxGroup) {
        if group.value["groupTypes"]?.array?.contains("Unified") == true { groups[group.id.lowercased()] = group }
    }
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
            deletedItems.users[id.lowercased()] = nil
            directory.add(deleted.user)
            note(.created, deleted.user.id, in: .users)
            for place in groups.indices where deleted.groups.contains(groups[place].id) {
                groups[place].members.append(deleted.user.id)
                noteMember(deleted.user.id, of: groups[place].id, isGone: false)
            }
            return Self.restored("user", try deleted.user.value(select: nil))
        }
        guard let group = deletedItems.groups.removeValue(forKey: id.lowercased()) else {
            throw .noUser(id)
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
