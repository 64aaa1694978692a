/// What a method does at an address of Graph.
package struct GraphOperation: Sendable {
    package enum Kind: String, Sendable {
        case read, create, change, replace, delete, link, unlink, action, function, content
    }

    package let method: String
    package let address: GraphAddress
    package let kind: Kind
    /// What is sent: a type; nil for nothing, or for an action's parameters.
    package let request: GraphType?
    package let response: GraphType?

    /// An address with a method that it does not take.
    package struct WrongMethod: Error {
        package let known: [String]
        /// Whether it is a POST to a relation, whose objects are added by a reference.
        package let isRelation: Bool
    }

    package init?(_ method: String, _ address: GraphAddress) throws(WrongMethod) {
        let method = method.uppercased()
        guard let last = address.segments.last else { return nil }
        if case .unknown = last.role { return nil }
        let methods = address.methods
        let published = methods[method] == nil && GraphPermissions.isPublished(method, address)
        guard let kind = methods[method] ?? (published ? Self.kind(of: method, address) : nil) else {
            throw WrongMethod(
                known: ["GET", "POST", "PATCH", "PUT", "DELETE"].filter { methods[$0] != nil },
                isRelation: method == "POST" && address.isRelation)
        }
        (self.method, self.address, self.kind) = (method, address, kind)
        let type = last.type
        let one = type?.isList == true ? type?.element : type
        let stream = GraphType(.primitive(.stream))
        switch kind {
        case .read, .function: (request, response) = (nil, type)
        case .create:
            let isOfValues = one?.definition?.kind == .complex
            let sent = one.map { GraphType($0.kind, isList: isOfValues) }
            (request, response) = (sent, sent)
        case .change, .replace:
            (request, response) = (type, type.map { GraphType($0.kind, isList: $0.isList, isNullable: true) })
        case .delete, .link, .unlink: (request, response) = (nil, nil)
        case .action: (request, response) = (nil, type)
        case .content: (request, response) = method == "GET" ? (nil, stream) : (stream, address.contentOwner)
        }
    }

    private static func kind(of method: String, _ address: GraphAddress) -> Kind {
        switch method {
        case "GET": .read
        case "POST": address.isOfReferences ? .link : .create
        case "PUT": .replace
        case "DELETE": .delete
        default: .change
        }
    }

    /// An action's or a function's parameters; empty for other operations.
    package var parameters: [(name: String, type: GraphType)] {
        guard case .operation(let overloads)? = address.segments.last?.role else { return [] }
        let all = overloads.filter { $0.isAction == (kind == .action) }
        var known: Set<String> = []
        return all.flatMap(\.parameters).filter { known.insert($0.name).inserted }
    }
}

extension GraphAddress {
    /// What each method does here.
    fileprivate var methods: [String: GraphOperation.Kind] {
        guard let last = segments.last else { return [:] }
        switch last.role {
        case .batch: return ["POST": .action]
        case .operation(let all):
            return Dictionary(all.map { $0.isAction ? ("POST", .action) : ("GET", .function) }) { first, _ in first }
        case .count: return ["GET": .read]
        case .value: return ["GET": .content, "PUT": .content, "PATCH": .content, "DELETE": .delete]
        case .reference:
            guard segments.dropLast().last?.type?.isList == true else {
                return ["GET": .read, "PUT": .link, "DELETE": .unlink]
            }
            return ["GET": .read, "POST": .link, "DELETE": .unlink]
        case .member(let member):
            if member.type.kind == .primitive(.stream) {
                return ["GET": .content, "PUT": .content, "PATCH": .content, "DELETE": .delete]
            }
            if segments.count == 1, !member.type.isList { return ["GET": .read, "PATCH": .change] }
            switch (member.kind, member.type.isList) {
            case (.property, true): return ["GET": .read]
            case (.property, false):
                return member.type.definition?.kind == .complex ? ["GET": .read, "PATCH": .change] : ["GET": .read]
            case (.contained, true): return ["GET": .read, "POST": .create]
            case (.contained, false): return ["GET": .read, "PATCH": .change, "DELETE": .delete]
            case (.reference, true): return ["GET": .read]
            case (.reference, false): return ["GET": .read]
            }
        case .key, .path: return ["GET": .read, "PATCH": .change, "DELETE": .delete]
        case .cast: return ["GET": .read]
        case .unknown: return [:]
        }
    }

    /// Whether it is a list of objects of several types that live elsewhere, which are only added.
    fileprivate var isOfReferences: Bool {
        guard isRelation, segments.first?.text != "directory" else { return false }
        return segments.last?.type?.name == "directoryObject"
    }

    /// Whether it is a list of objects that live elsewhere.
    fileprivate var isRelation: Bool {
        guard case .member(let member)? = segments.last?.role else { return false }
        return member.kind == .reference && member.type.isList
    }

    /// The item that content is put into, which the service then answers with.
    fileprivate var contentOwner: GraphType? {
        let owner = segments.dropLast().last?.type
        return owner?.name == "driveItem" ? owner : nil
    }
}
