internal import GraphModel

/// Answers for what no service of the sandbox plays, from the store.
extension SandboxState {
    mutating func answerFromStore(_ call: SandboxCall) throws(SandboxError) -> HTTPResponse {
        let operation = try Self.operation(of: call)
        try call.target.checkOptions()
        if operation.kind == .action { return try perform(operation, call) }
        guard SandboxStore.plays(operation) else { throw .notPlayed(call.target.segments.last ?? "") }
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
        case .list: return try list(of: elements(of: place), at: place, for: call).answer(call)
        case .relation where place.type.isList:
            return try list(of: elements(of: place), at: place, for: call).answer(call)
        case .relation:
            guard let only = elements(of: place).first else {
                throw .noUser(place.address.split(separator: "/").last.map(String.init) ?? "")
            }
            return try list(of: [only], at: place, for: call).answer(only: only, call)
        case .object(let id):
            guard let object = store.object(id, in: place.address) ?? object(withID: id)?.object else {
                throw .noUser(id)
            }
            return try list(of: [object], at: place, for: call).answer(only: expanded(object, in: place, call), call)
        case .part:
            let part = store.parts[place.address] ?? Self.usual[place.type.name] ?? [:]
            return try list(of: [part], at: place, for: call).answer(only: part, call)
        }
    }

    /// What parts are before somebody sets them.
    static let usual: [String: Object] = [
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

    func list(of elements: [Object], at place: SandboxPlace, for call: SandboxCall) -> SandboxList {
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
}
