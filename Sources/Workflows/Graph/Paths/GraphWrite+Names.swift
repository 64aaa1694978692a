internal import GraphModel

extension GraphWrite {
    /// Where the ids that it is about have names, as paths with their query, by the ids.
    var places: [(id: String, path: String)] {
        var places: [(id: String, path: String)] = []
        func add(_ id: Value, _ path: (String) -> String) {
            // An address is a name.
            guard let id = id.string, !id.isEmpty, !id.contains("@"), !places.contains(where: { $0.id == id }) else {
                return
            }
            places.append((id, path(id.percentEncoded())))
        }
        func addPerson(_ id: Value) { add(id) { "directoryObjects/\($0)" } }
        for effect in effects {
            switch effect.details {
            case .license(let license):
                add(license.license) { _ in "subscribedSkus?$select=id,skuId,skuPartNumber" }
            case .member(let member): addPerson(member.member)
            case .grant(let grant) where grant.added == false && grant.to.isNull:
                for query in Self.expansions[object?.what ?? ""] ?? [] {
                    guard let path = object?.path, let id = grant.on.string else { continue }
                    places.append((id, path + query))
                }
            case .grant(let grant):
                for id in grant.to.array ?? [] { addPerson(id) }
                for holder in effect.holders where holder.what == "servicePrincipal" {
                    add(holder.id) { "servicePrincipals/\($0)?$select=id,displayName,appRoles" }
                }
                guard grant.what == "role" else { break }
                add(grant.on) {
                    let holder = effect.holders.first { $0.id == grant.on }?.what
                    return (holder == "directoryRole" ? "directoryRoles" : "roleManagement/directory/roleDefinitions")
                        + "/\($0)?$select=id,displayName"
                }
            default: break
            }
        }
        for object in objects where !object.isPath {
            guard object.what != "directoryObject" else {
                addPerson(object.id)
                continue
            }
            let names = object.type.definition?.namingProperties ?? []
            if !names.isEmpty {
                add(object.id) { _ in "\(object.path)?$select=\((["id"] + names).joined(separator: ","))" }
            }
        }
        return places
    }

    /// What is asked for of a right that is taken by its address alone.
    private static let expansions = [
        "unifiedRoleAssignment": ["?$expand=principal", "?$expand=roleDefinition"], "appRoleAssignment": [""],
        "oAuth2PermissionGrant": [""], "scopedRoleMembership": [""],
    ]
}

extension GraphDefinition {
    /// The properties of the type that people know its objects by.
    var namingProperties: [String] {
        (Self.names + ["userPrincipalName", "mail", "skuId"]).filter { ownMember($0)?.kind == .property }
    }
}
