internal import GraphModel

/// What a request changes, as the model of Graph knows it.
struct GraphWrite {
    /// An object that the address names.
    struct Object {
        /// The model's type of it.
        var type: GraphType
        /// Null for the signed-in user, and for what has no id.
        var id: Value
        /// The name of the member by which it is reached.
        var relation: String
        /// Its address, percent-encoded.
        var path = ""
        /// Whether the id is the path of a file.
        var isPath = false

        var what: String { type.name }
    }

    let operation: GraphOperation
    /// The objects that the address names, the outermost first.
    let objects: [Object]
    /// The name of the list at the end of the address; nil if it ends with an object.
    let list: String?
    /// The body in the model's spelling.
    let body: Value?
    let isOwn: Bool

    /// - Returns: Nil for what the model does not know.
    init?(_ request: RequestEffects) {
        guard let address = try? GraphAddress(request.path), let found = try? GraphOperation(request.method, address)
        else { return nil }
        operation = found
        isOwn = request.isOwn
        (objects, list) = Self.objects(of: address)
        body = request.body.map { Self.named($0, of: found) }
    }

    private static func objects(of address: GraphAddress) -> ([Object], String?) {
        var (objects, list) = ([Object](), String?.none)
        for (index, segment) in address.segments.enumerated() {
            let text = segment.text.percentDecoded ?? segment.text
            switch segment.role {
            case .member(let member) where member.type.isList: list = member.name
            case .member(let member) where member.type.isEntity || member.type.definition?.kind == .complex:
                objects.append(Object(type: member.type, id: .null, relation: member.name))
                list = nil
            case .key:
                guard let type = segment.type else { continue }
                let path = String(address.leading(index + 1).path.dropFirst())
                objects.append(Object(type: type, id: .string(key(text)), relation: list ?? "", path: path))
                list = nil
            case .path:
                guard let last = objects.indices.last else { continue }
                let part = text.hasSuffix(":") ? String(text.dropLast()) : text
                let former = objects[last].isPath ? (objects[last].id.string ?? "") + "/" : ""
                (objects[last].id, objects[last].isPath) = (.string(former + part), true)
            case .cast:
                if list == nil, let type = segment.type, let last = objects.indices.last { objects[last].type = type }
            case .member, .operation, .count, .reference, .value, .batch, .unknown: break
            }
        }
        // A folder that is reached by its path is the root without one.
        for index in objects.indices where objects[index].relation == "root" && objects[index].id.isNull {
            (objects[index].id, objects[index].isPath) = ("", true)
        }
        return (objects, list)
    }

    /// A key's value: `userPrincipalName='x'` is `x`.
    static func key(_ text: String) -> String {
        if text.hasSuffix(":") { return String(text.dropLast()) }
        guard text.hasPrefix("("), text.hasSuffix(")") else { return text }
        let inside = text.dropFirst().dropLast()
        guard inside.hasSuffix("'") else { return String(inside.drop { $0 != "=" }.dropFirst()) }
        return String(inside.drop { $0 != "'" }.dropFirst().dropLast().replacing("''", with: "'"))
    }

    /// A body with the model's names, which the service accepts in any letters.
    private static func named(_ body: Value, of operation: GraphOperation) -> Value {
        guard let members = body.object, operation.kind == .action else { return named(body, as: operation.request) }
        let parameters = operation.parameters
        return .object(
            WorkflowData.Object(
                members.map { name, value in
                    let known = parameters.first { $0.name.lowercased() == name.lowercased() }
                    let plain = known.map { $0.name.prefix(1).lowercased() + $0.name.dropFirst() }
                    return (plain ?? name, named(value, as: known?.type))
                }))
    }

    private static func named(_ value: Value, as type: GraphType?) -> Value {
        switch value {
        case .array(let elements): return .array(elements.map { named($0, as: type) })
        case .object(let members):
            guard let definition = type?.definition else { return value }
            return .object(
                WorkflowData.Object(
                    members.map { name, value in
                        if name.contains("@") {
                            return (name.lowercased(), value.isScalar ? value : named(value, as: nil))
                        }
                        let known = definition.member(name)
                        return (known?.name ?? name, value.isScalar ? value : named(value, as: known?.type))
                    }))
        case .null, .bool, .integer, .double, .string, .marked: return value
        }
    }

    // MARK: What its parts are

    /// The object that it is about.
    var object: Object? { objects.last }

    /// The object that holds what it is about.
    var container: Object? { list == nil ? objects.dropLast().last : objects.last }

    /// The user, group or site whose things they are; null for those of the signed-in user.
    var owner: Value {
        guard !isOwn, let first = objects.first, ["users", "groups"].contains(first.relation) else { return .null }
        return first.id
    }

    /// The name of the action that is performed; nil for other operations.
    var action: String? {
        guard operation.kind == .action, let text = operation.address.segments.last?.text else { return nil }
        return String(text.prefix { $0 != "(" }.split(separator: ".").last ?? "")
    }

    /// The properties that are sent.
    var properties: WorkflowData.Object { body?.object?.filter { !$0.key.contains("@odata.") } ?? [:] }

    /// The nearest object of one of these types.
    func nearest(_ types: String...) -> Object? { objects.last { types.contains($0.what) } }
}

extension Value {
    fileprivate var isScalar: Bool {
        switch self {
        case .array, .object: false
        default: true
        }
    }
}
