internal import GraphModel

/// The actions whose result is known.
enum SandboxStoreAction: String {
    case revokeSignInSessions
    case checkMemberGroups, checkMemberObjects, getMemberGroups, getMemberObjects, getByIds
    case addPassword, removePassword
    case query

    /// - Returns: Nil for another action, and for one of the same name of another type.
    init?(_ operation: GraphOperation) {
        guard operation.kind == .action, let name = operation.address.segments.last?.text,
            let action = SandboxStoreAction(rawValue: name),
            let type = operation.address.owner?.segments.last?.type?.definition,
            GraphModel.lineage(of: type.index).contains(where: { action.types.contains($0.name) })
        else { return nil }
        self = action
    }

    private var types: Set<String> {
        switch self {
        case .revokeSignInSessions: ["user"]
        case .checkMemberGroups, .checkMemberObjects, .getMemberGroups, .getMemberObjects, .getByIds:
            ["directoryObject"]
        case .addPassword, .removePassword: ["application", "servicePrincipal"]
        case .query: ["searchEntity"]
        }
    }
}

extension SandboxState {
    mutating func perform(_ operation: GraphOperation, _ call: SandboxCall) throws(SandboxError) -> HTTPResponse {
        guard let owner = operation.address.owner, let action = SandboxStoreAction(operation) else {
            throw .unplayed(operation.address.segments.last?.text ?? "", call.request.method, at: call.target.path)
        }
        let place = try place(owner, for: call)
        let body = call.request.body.map { (try? Value(json: $0)) ?? .null } ?? [:]
        func answer(_ value: Value) -> HTTPResponse { Self.json(["value": value]) }
        let id: String = if case .object(let id) = place.kind { id } else { "" }
        switch action {
        case .revokeSignInSessions: return answer(true)
        case .query:
            let user = try signedInUser(call)
            return answer(.array((body["requests"]?.array ?? []).map { found(by: $0, for: user) }))
        case .getByIds:
            let ids = body["ids"]?.array?.compactMap(\.string) ?? []
            return answer(.array(ids.compactMap { object(withID: $0).map { .object($0.object) } }))
        case .checkMemberGroups, .checkMemberObjects, .getMemberGroups, .getMemberObjects:
            let memberships = groups.filter { $0.members.contains(id) }.map(\.id)
            let asked = (body["groupIds"] ?? body["ids"])?.array?.compactMap(\.string)
            return answer(.array(memberships.filter { asked?.contains($0) ?? true }.map(Value.string)))
        case .addPassword, .removePassword:
            guard var object = store.object(id, in: place.address) else { throw .noUser(id) }
            var all = object["passwordCredentials"]?.array ?? []
            var added: Object = body["passwordCredential"]?.object ?? [:]
            if action == .addPassword {
                added["keyId"] = .string(guid())
                added["startDateTime"] = .string(SandboxClock.timestamp(call.date))
                all.append(.object(added))
                added["secretText"] = .string("sandbox-\(guid())")
            } else {
                guard all.contains(where: { $0["keyId"] == body["keyId"] }) else {
                    throw .badRequest("No password credential found with keyId.", code: "Request_BadRequest")
                }
                all.removeAll { $0["keyId"] == body["keyId"] }
            }
            object["passwordCredentials"] = .array(all)
            object["@odata.etag"] = store.tag()
            store.change(id, in: place.address, to: object)
            return action == .addPassword ? Self.json(added) : HTTPResponse(status: 204)
        }
    }

    /// What a request of `search/query` finds: names and subjects that have each of its words.
    private func found(by request: Value, for user: SandboxUser) -> Value {
        let words = (request["query"]?["queryString"]?.string ?? "").lowercased().split { !$0.isLetter && !$0.isNumber }
        let types = Set((request["entityTypes"]?.array ?? []).compactMap(\.string))
        let all = searched(for: user).filter { type, _, text in
            types.contains(type) && words.allSatisfy { text.lowercased().contains($0) }
        }
        let from = max(0, request["from"]?.integer ?? 0)
        let hits = all.dropFirst(from).prefix(max(0, request["size"]?.integer ?? 25)).enumerated().map { rank, hit in
            let (type, id, text) = hit
            let name = type == "message" || type == "event" ? "subject" : type == "driveItem" ? "name" : "displayName"
            let resource: Object = [
                "@odata.type": .string("#microsoft.graph.\(type)"), "id": .string(id), name: .string(text),
            ]
            return Value.object([
                "hitId": .string(id), "rank": .integer(from + rank + 1), "summary": .string(text),
                "resource": .object(resource),
            ])
        }
        return [
            "searchTerms": .array(words.map { .string(String($0)) }),
            "hitsContainers": [
                [
                    "hits": .array(hits), "total": .integer(all.count),
                    "moreResultsAvailable": .bool(from + hits.count < all.count),
                ]
            ],
        ]
    }

    private func searched(for user: SandboxUser) -> [(type: String, id: String, text: String)] {
        let own = user.userPrincipalName
        func text(_ object: Object, _ name: String) -> String { object[name]?.string ?? "" }
        return items.filter { $0.owner == own }.map { ("driveItem", $0.id, $0.name) }
            + mailbox.messages.values.filter { $0.owner == own }.sorted { $0.key < $1.key }
            .map { ("message", $0.id, text($0.content, "subject")) }
            + events.filter { $0.owner == own }.map { ("event", $0.id, text($0.content, "subject")) }
            + directory.users.map { ("person", $0.id, $0.displayName) }
            + store.lists.sorted { $0.key < $1.key }.flatMap { list, objects in
                let type = list == "sites" ? "site" : list.hasSuffix("/items") ? "listItem" : "list"
                return list.hasPrefix("sites") ? objects.map { (type, text($0, "id"), text($0, "displayName")) } : []
            }
    }
}
