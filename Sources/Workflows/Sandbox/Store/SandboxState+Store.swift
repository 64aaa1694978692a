internal import GraphModel

/// Answers for what no service of the sandbox plays, from the store.
extension SandboxState {
    mutating func answerFromStore(_ call: SandboxCall) throws(SandboxError) -> HTTPResponse {
        let operation = try Self.operation(of: call)
        try call.target.checkOptions()
        guard operation.kind == .action || SandboxStore.plays(operation) else {
            throw .notPlayed(call.target.segments.last ?? "")
        }
        if operation.kind == .action { return try perform(operation, call) }
        let place = try place(operation.address, for: call)
        switch operation.kind {
        case .read: return try read(place, operation.address, call)
        case .create: return try create(at: place, operation, call)
        case .change, .replace: return try change(place, call)
        case .delete: return try remove(place)
        case .link: return try link(place, call)
        case .unlink: return try unlink(operation.address, call)
        case .action, .function, .content: throw .notPlayed(call.target.segments.last ?? "")
        }
    }

    private static func operation(of call: SandboxCall) throws(SandboxError) -> GraphOperation {
        let target = call.request.url.requestTarget.prefix { $0 != "?" && $0 != "#" }
        let path = target.split(separator: "/").dropFirst().joined(separator: "/")
        let address: GraphAddress
        do throws(GraphAddress.Mistake) { address = try GraphAddress(path) } catch {
            throw .badRequest("Resource not found for the segment '\(PlainText.exact(error.segment, limit: 50))'.")
        }
        let operation: GraphOperation?
        do throws(GraphOperation.WrongMethod) { operation = try GraphOperation(call.request.method, address) } catch {
            var refusal = SandboxError.methodNotAllowed
            refusal.headers["Allow"] = error.known.joined(separator: ", ")
            throw refusal
        }
        guard let operation else { throw .notPlayed(call.target.segments.last ?? "") }
        return operation
    }

    /// Whether permissions do not suffice for a request to the store: those are known that Microsoft publishes.
    func refusalByStore(
        of permissions: Set<String>, isOfUser: Bool, for call: SandboxCall
    ) -> SandboxError? {
        guard isOfUser || signIn.rules.applicationPermissions != nil, let operation = try? Self.operation(of: call),
            let published = GraphPermissions(operation.method, operation.address)
        else { return nil }
        switch isOfUser ? published.delegated : published.application {
        case .names(let names) where permissions.cover(names): return nil
        case .unknown: return nil
        case .names, .impossible:
            return .playing(Sandbox.Fault(method: "*", path: "*", answer: .status(403)), for: call)
        }
    }

    // MARK: Reading

    private func read(
        _ place: SandboxPlace, _ address: GraphAddress, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        if case .count? = address.segments.last?.role {
            return HTTPResponse(
                status: 200, headers: ["Content-Type": "text/plain"], body: Data("\(elements(of: place).count)".utf8))
        }
        switch place.kind {
        case .list: return try list(place, elements(of: place), call).answer(call)
        case .relation where place.type.isList: return try list(place, elements(of: place), call).answer(call)
        case .relation:
            guard let only = elements(of: place).first else {
                throw .noUser(place.address.split(separator: "/").last.map(String.init) ?? "")
            }
            return try list(place, [only], call).answer(only: only, call)
        case .object(let id):
            guard let object = store.object(id, in: place.address) ?? object(withID: id)?.object else {
                throw .noUser(id)
            }
            return try list(place, [object], call).answer(only: expanded(object, in: place, call), call)
        case .part:
            let part = store.parts[place.address] ?? Self.usual[place.type.name] ?? [:]
            return try list(place, [part], call).answer(only: part, call)
        }
    }

    /// What parts are before somebody sets them.
    private static let usual: [String: Object] = [
        "mailboxSettings": [
            "timeZone": "Pacific Standard Time",
            "language": ["locale": "en-US", "displayName": "English (United States)"],
            "automaticRepliesSetting": [
                "status": "disabled", "externalAudience": "none", "internalReplyMessage": "",
                "externalReplyMessage": "",
            ],
        ]
    ]

    private func elements(of place: SandboxPlace) -> [Object] {
        let all: [Object] =
            if case .relation = place.kind {
                (store.references[place.address] ?? []).compactMap { object(withID: $0)?.object }
            } else {
                store.lists[place.address] ?? []
            }
        // A cast to a type leaves out the others.
        guard place.type.name != "directoryObject", case .relation = place.kind else { return all }
        let type = "#microsoft.graph.\(place.type.name)"
        return all.filter { $0["@odata.type"].map { $0 == .string(type) } ?? true }
    }

    private func list(_ place: SandboxPlace, _ elements: [Object], _ call: SandboxCall) -> SandboxList {
        SandboxList(
            context: place.address, type: "microsoft.graph.\(place.type.name)",
            elements: call.target.option("expand") == nil ? elements : elements.map { expanded($0, in: place, call) },
            options: ["select", "top", "skiptoken", "filter", "count", "orderby", "expand"],
            fields: Set((place.type.definition?.allMembers ?? []).map(\.name)))
    }

    /// An object with the relations that `$expand` names.
    private func expanded(_ object: Object, in place: SandboxPlace, _ call: SandboxCall) -> Object {
        guard let expand = call.target.option("expand"), let id = object["id"]?.string else { return object }
        var object = object
        for part in expand.split(separator: ",") {
            let name = part.prefix { $0 != "(" }.trimmed
            guard let member = place.type.definition?.member(name) else { continue }
            let address = "\(place.address)/\(id)/\(member.name)"
            let kind: SandboxPlace.Kind = member.kind == .reference ? .relation : .list
            let found = elements(of: SandboxPlace(address: address, kind: kind, type: member.type))
            object[member.name] =
                member.type.isList ? .array(found.map(Value.object)) : found.first.map(Value.object) ?? .null
        }
        return object
    }

    // MARK: Changing

    func body(_ call: SandboxCall, of type: GraphType?) throws(SandboxError) -> Object {
        guard ContentType.isJSON(call.request.headers["Content-Type"] ?? "application/json"),
            let bytes = call.request.body, !SandboxBodySchema.isTooDeep(bytes),
            let body = (try? Value(json: bytes))?.object
        else { throw .unreadableBody }
        let named = body["@odata.type"]?.string.map { $0.trimmingPrefix("#").trimmingPrefix("microsoft.graph.") }
        let definition = named.flatMap { GraphModel.definition(named: $0) } ?? type?.definition
        if let definition { try SandboxBody.check(body, as: definition) }
        return body
    }

    private mutating func create(
        at place: SandboxPlace, _ operation: GraphOperation, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        var body = try body(call, of: operation.request)
        if place.address == "invitations" { body["invitedUser"] = try invite(body, call) }
        let object = add(body, to: place, id: body["extensionName"]?.string ?? guid(), at: call.date)
        return try list(place, [object], call).answer(only: object, call, status: 201)
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

    private mutating func change(_ place: SandboxPlace, _ call: SandboxCall) throws(SandboxError) -> HTTPResponse {
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
            return try list(place, [object], call).answer(only: object, call)
        }
        object["@odata.etag"] = store.tag()
        store.change(id, in: place.address, to: object)
        let isOfDirectory = place.type.definition.map { type in
            GraphModel.lineage(of: type.index).contains { $0.name == "directoryObject" }
        }
        if isOfDirectory == true { return HTTPResponse(status: 204) }
        return try list(place, [object], call).answer(only: object, call)
    }

    private mutating func remove(_ place: SandboxPlace) throws(SandboxError) -> HTTPResponse {
        switch place.kind {
        case .object(let id):
            guard store.object(id, in: place.address) != nil else { throw .notPlayed(place.address) }
            store.remove(id, from: place.address)
        case .part: store.set(nil, at: place.address)
        case .list, .relation: throw .methodNotAllowed
        }
        return HTTPResponse(status: 204)
    }

    private mutating func link(_ place: SandboxPlace, _ call: SandboxCall) throws(SandboxError) -> HTTPResponse {
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

    private mutating func unlink(_ address: GraphAddress, _ call: SandboxCall) throws(SandboxError) -> HTTPResponse {
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

    // MARK: Actions

    /// The actions whose result is known.
    static let actions: Set<String> = [
        "user revokeSignInSessions", "directoryObject checkMemberGroups", "directoryObject getMemberGroups",
        "directoryObject checkMemberObjects", "directoryObject getMemberObjects", "directoryObject getByIds",
        "application addPassword", "application removePassword", "servicePrincipal addPassword",
        "servicePrincipal removePassword", "searchEntity query",
    ]

    private mutating func perform(_ operation: GraphOperation, _ call: SandboxCall) throws(SandboxError) -> HTTPResponse
    {
        let name = operation.address.segments.last?.text ?? ""
        guard let owner = operation.address.owner, SandboxStore.plays(operation) else {
            throw .unplayed(name, call.request.method, call.target.path)
        }
        let place = try place(owner, for: call)
        let body = call.request.body.map { (try? Value(json: $0)) ?? .null } ?? [:]
        func answer(_ value: Value) -> HTTPResponse { Self.json(["value": value]) }
        let id: String = if case .object(let id) = place.kind { id } else { "" }
        switch name {
        case "revokeSignInSessions": return answer(true)
        case "query":
            let user = try signedInUser(call)
            return answer(.array((body["requests"]?.array ?? []).map { found(by: $0, for: user) }))
        case "getByIds":
            let ids = body["ids"]?.array?.compactMap(\.string) ?? []
            return answer(.array(ids.compactMap { object(withID: $0).map { .object($0.object) } }))
        case "checkMemberGroups", "checkMemberObjects", "getMemberGroups", "getMemberObjects":
            let memberships = groups.filter { $0.members.contains(id) }.map(\.id)
            let asked = (body["groupIds"] ?? body["ids"])?.array?.compactMap(\.string)
            return answer(.array(memberships.filter { asked?.contains($0) ?? true }.map(Value.string)))
        default:
            guard var object = store.object(id, in: place.address) else { throw .noUser(id) }
            var all = object["passwordCredentials"]?.array ?? []
            var added: Object = body["passwordCredential"]?.object ?? [:]
            if name == "addPassword" {
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
            return name == "addPassword" ? Self.json(added) : HTTPResponse(status: 204)
        }
    }
}

extension SandboxState {
    /// What a request of `search/query` finds: names and subjects that have each of its words.
    fileprivate func found(by request: Value, for user: SandboxUser) -> Value {
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

extension SandboxStore {
    /// The types whose objects a service of the sandbox keeps, and those that it would make of them.
    private static let ofServices: Set<String> = [
        "calendar", "calendarGroup", "drive", "driveItem", "event", "mailFolder", "message", "profilePhoto",
    ]

    static func isOfService(_ address: GraphAddress) -> Bool {
        let types = address.segments.compactMap { $0.type?.name }
        return types.contains { ["drive", "driveItem"].contains($0) }
            || types.last.map { ofServices.contains($0) || $0.hasSuffix("ttachment") } ?? false
    }

    /// Whether the store answers requests of an operation.
    static func plays(_ operation: GraphOperation) -> Bool {
        switch operation.kind {
        case .read, .create, .change, .replace, .delete, .link, .unlink:
            // What ends in a value, or leads through an operation, is no store's, and what a service plays is never
            // answered from an empty list of the store.
            !isOfService(operation.address)
                && operation.address.segments.allSatisfy { segment in
                    switch segment.role {
                    case .member, .key, .cast, .count, .reference: true
                    case .operation, .value, .batch, .path, .unknown: false
                    }
                }
        case .action:
            operation.address.owner?.segments.last?.type?.definition.map { type in
                GraphModel.lineage(of: type.index).contains {
                    SandboxState.actions.contains("\($0.name) \(operation.address.segments.last?.text ?? "")")
                }
            } ?? false
        case .function, .content: false
        }
    }
}

/// The checks of a body that Graph makes for every type.
enum SandboxBody {
    static func check(_ body: Object, as type: GraphDefinition) throws(SandboxError) {
        guard !type.isDictionary, type.name != "openTypeExtension" else { return }
        for (name, value) in body where !name.contains("@") && !name.hasPrefix("extension_") {
            guard let member = type.member(name) else {
                throw .badRequest(
                    "Invalid property '\(PlainText.exact(name, limit: 100))'.", code: "Request_BadRequest")
            }
            try check(value, as: member.type, name)
        }
    }

    private static func check(_ value: Value, as type: GraphType, _ name: String) throws(SandboxError) {
        if type.isList, let all = value.array {
            for element in all { try check(element, as: type.element, name) }
            return
        }
        let fits: Bool
        switch (value, type.kind) {
        case (.null, _): fits = true
        case (_, _) where type.isList: fits = false
        case (.object(let members), .defined):
            if let definition = type.definition, definition.kind != .enumeration {
                let named = members["@odata.type"]?.string.map {
                    $0.trimmingPrefix("#").trimmingPrefix("microsoft.graph.")
                }
                return try check(members, as: named.flatMap { GraphModel.definition(named: $0) } ?? definition)
            }
            fits = false
        case (_, .defined): fits = type.definition?.kind == .enumeration && value.string != nil
        case (.bool, .primitive(.bool)), (.integer, .primitive(.int)), (.integer, .primitive(.double)),
            (.double, .primitive(.double)), (_, .primitive(.any)):
            fits = true
        case (_, .primitive(.bool)), (_, .primitive(.int)), (_, .primitive(.double)): fits = false
        default: fits = value.string != nil
        }
        guard fits else {
            throw .badRequest(
                "Cannot convert the value of '\(name)' to the expected type '\(type)'.", code: "Request_BadRequest")
        }
    }
}
