internal import GraphModel

/// Changes of what the store keeps.
extension SandboxState {
    func body(_ call: SandboxCall, of type: GraphType?) throws(SandboxError) -> Object {
        guard ContentType.isJSON(call.request.headers["Content-Type"] ?? "application/json"),
            let bytes = call.request.body, !SandboxBodySchema.isTooDeep(bytes),
            let body = (try? Value(json: bytes))?.object
        else { throw .unreadableBody }
        let named = GraphModel.plainName(body["@odata.type"]).flatMap { GraphModel.definition(named: $0) }
        let definition = named ?? type?.definition
        if let definition { try SandboxBody.check(body, as: definition) }
        return body
    }

    mutating func create(
        at place: SandboxPlace, _ operation: GraphOperation, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        var body = try body(call, of: operation.request)
        if place.address == "invitations" { body["invitedUser"] = try invite(body, call) }
        let object = add(body, to: place, id: body["extensionName"]?.string ?? guid(), at: call.date)
        return try list(of: [object], at: place, for: call).answer(only: object, call, status: 201)
    }

    /// Puts what the sandbox has at first into a list or a relation.
    mutating func put(_ elements: [Value], at path: String, _ date: Date) throws(SandboxError) {
        let encoded = path.split(separator: "/").map { String($0).percentEncoded(keeping: "$@!'(),=:") }
        let address: GraphAddress
        do throws(GraphAddress.Mistake) { address = try GraphAddress(encoded.joined(separator: "/")) } catch {
            throw .badRequest("there is no '\(PlainText.exact(error.segment, limit: 50))' in Microsoft Graph")
        }
        let place = try place(address, for: nil)
        let isPlayed = ["users", "groups"].contains(place.address)
        guard place.type.isList, place.type.isEntity, !isPlayed, !SandboxStore.isOfService(address) else {
            throw .badRequest("this is no list of objects that the sandbox keeps by their path")
        }
        for element in elements {
            if let name = element.string {
                guard case .relation = place.kind, let id = object(withID: name)?.object["id"]?.string else {
                    throw .badRequest("'\(PlainText.exact(name, limit: 100))' is no object that a relation can have")
                }
                store.refer(to: id, from: place.address)
            } else if let body = element.object, case .list = place.kind {
                if let type = place.type.definition { try SandboxBody.check(body, as: type) }
                _ = add(body, to: place, id: body["id"]?.string ?? guid(), at: date)
            } else {
                throw .badRequest("a relation has ids or addresses, and a list has objects")
            }
        }
    }

    /// Adds an object, and what its body has for its lists and relations.
    private mutating func add(_ body: Object, to place: SandboxPlace, id: String, at date: Date) -> Object {
        let definition = place.type.definition
        var object: Object = ["id": .string(id)]
        let address = "\(place.address)/\(id)"
        for (name, value) in body where name != "id" {
            if name.hasSuffix("@odata.bind") {
                let references = value.array ?? [value]
                let ids = references.compactMap(\.string).compactMap { $0.split(separator: "/").last.map(String.init) }
                store.set(ids.map(Self.keyed), of: "\(address)/\(name.dropLast("@odata.bind".count))")
            } else if let member = definition?.member(name), member.kind == .contained, let all = value.array {
                let inside = SandboxPlace(address: "\(address)/\(member.name)", kind: .list, type: member.type)
                for element in all { _ = element.object.map { add($0, to: inside, id: guid(), at: date) } }
            } else {
                object[definition?.member(name)?.name ?? name] = value
            }
        }
        for name in ["createdDateTime", "lastModifiedDateTime"]
        where definition?.ownMember(name) != nil && object[name] == nil {
            object[name] = .string(SandboxClock.timestamp(date))
        }
        if definition?.ownMember("appId") != nil, object["appId"] == nil { object["appId"] = .string(guid()) }
        object["@odata.etag"] = store.tag()
        store.add(object, to: place.address)
        return object
    }

    /// The guest whom an invitation makes, with the mail that invites.
    private mutating func invite(_ body: Object, _ call: SandboxCall) throws(SandboxError) -> Value {
        guard let address = body["invitedUserEmailAddress"]?.string, address.contains("@") else {
            throw .badRequest("The invited user email address is not valid.")
        }
        var guest = SandboxUser(
            id: guid(), displayName: body["invitedUserDisplayName"]?.string ?? address, mail: address,
            userPrincipalName: "\(address.replacing("@", with: "_"))#EXT#@contoso.onmicrosoft.com")
        guard directory.user(named: guest.userPrincipalName) == nil else {
            throw .badRequest("The invited user already exists in the directory as object ID.")
        }
        try guest.change(["userType": "Guest"])
        directory.add(guest)
        note(.created, guest.id, in: .users)
        if body["sendInvitationMessage"] == true {
            let text = body["invitedUserMessageInfo"]?["customizedMessageBody"]?.string ?? ""
            mail("You are invited", text, to: [address], of: try signedInUser(call), call)
        }
        return ["id": .string(guest.id)]
    }

    /// `users('x')` at the end of a reference is `x`.
    private static func keyed(_ segment: String) -> String {
        guard segment.hasSuffix("')"), let start = segment.firstRange(of: "('") else { return segment }
        return String(segment[start.upperBound...].dropLast(2))
    }

    mutating func change(_ place: SandboxPlace, _ call: SandboxCall) throws(SandboxError) -> HTTPResponse {
        let changes = try body(call, of: place.type)
        var object: Object
        switch place.kind {
        case .object(let id):
            guard let found = store.object(id, in: place.address) else { throw .noUser(id) }
            if let tag = call.request.headers["If-Match"], tag != "*", tag != found["@odata.etag"]?.string {
                throw .modified
            }
            object = found
        case .part: object = store.parts[place.address] ?? Self.usual[place.type.name] ?? [:]
        case .list, .relation: throw .methodNotAllowed
        }
        for (name, value) in changes where !name.contains("@") && name != "id" {
            object[place.type.definition?.member(name)?.name ?? name] = value
        }
        if object["lastModifiedDateTime"] != nil {
            object["lastModifiedDateTime"] = .string(SandboxClock.timestamp(call.date))
        }
        guard case .object(let id) = place.kind else {
            store.set(object, at: place.address)
            return try list(of: [object], at: place, for: call).answer(only: object, call)
        }
        object["@odata.etag"] = store.tag()
        store.change(id, in: place.address, to: object)
        let isOfDirectory = place.type.definition.map { type in
            GraphModel.lineage(of: type.index).contains { $0.name == "directoryObject" }
        }
        if isOfDirectory == true { return HTTPResponse(status: 204) }
        return try list(of: [object], at: place, for: call).answer(only: object, call)
    }

    mutating func remove(_ place: SandboxPlace) throws(SandboxError) -> HTTPResponse {
        switch place.kind {
        case .object(let id):
            guard store.object(id, in: place.address) != nil else { throw .notPlayed(place.address) }
            store.remove(id, from: place.address)
        case .part: store.set(nil, at: place.address)
        case .list, .relation: throw .methodNotAllowed
        }
        return HTTPResponse(status: 204)
    }

    mutating func link(_ place: SandboxPlace, _ call: SandboxCall) throws(SandboxError) -> HTTPResponse {
        let body = try body(call, of: nil)
        let given =
            body["@odata.id"]?.string.flatMap { $0.split(separator: "/").last.map { Self.keyed(String($0)) } }
            ?? body["directoryObject"]?["id"]?.string
        guard let given else { throw .unreadableBody }
        guard let found = object(withID: given), let id = found.object["id"]?.string else { throw .noUser(given) }
        guard place.type.isList else {
            store.set([id], of: place.address)
            return HTTPResponse(status: 204)
        }
        guard store.references[place.address]?.contains(id) != true else {
            let name = place.address.split(separator: "/").last ?? ""
            throw .badRequest(
                "One or more added object references already exist for the following modified properties: '\(name)'.",
                code: "Request_BadRequest")
        }
        store.refer(to: id, from: place.address)
        return HTTPResponse(status: 204)
    }

    mutating func unlink(_ address: GraphAddress, _ call: SandboxCall) throws(SandboxError) -> HTTPResponse {
        let steps = address.segments.dropLast()
        guard case .key? = steps.last?.role else {
            let relation = try place(address, for: call)
            store.set([], of: relation.address)
            return HTTPResponse(status: 204)
        }
        let relation = try place(address.leading(steps.count - 1), for: call)
        let key = steps.last.map { $0.text.percentDecoded ?? $0.text } ?? ""
        let id = object(withID: key)?.object["id"]?.string ?? key
        guard store.unrefer(to: id, from: relation.address) else { throw .noUser(key) }
        return HTTPResponse(status: 204)
    }
}
