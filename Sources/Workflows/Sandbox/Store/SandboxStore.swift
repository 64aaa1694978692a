internal import GraphModel

/// What the model of Graph knows and no service of the sandbox plays: lists of objects, single parts, and references.
struct SandboxStore {
    /// The objects of each list, by its address with ids: `applications`, `users/ID/todo/lists`.
    private(set) var lists: [String: [Object]]
    /// Single parts, such as the settings of a mailbox, by their addresses.
    private(set) var parts: [String: Object] = [:]
    /// The ids of the objects that a relation has, by its address.
    private(set) var references: [String: [String]]
    private var version = 0

    init(users: [SandboxUser]) {
        let first = users.first?.id ?? ""
        lists = Self.first
        references = ["directoryRoles/\(Self.administrators)/members": [first]]
    }

    private static let administrators = "0f7f8d3c-3c5b-4b1e-a6a2-2d2c8b6f6a11"
    private static let site =
        "contoso.sharepoint.com,da60e844-ba1d-49bc-b4d4-d5e36bae9019,712a596e-90a1-49e3-9b48-bfa80bee8740"

    /// What the first tenant has.
    private static let first: [String: [Object]] = [
        "directoryRoles": [
            [
                "id": .string(administrators), "displayName": "Global Administrator",
                "roleTemplateId": "62e90394-69f5-4237-9190-012177145e10",
            ]
        ],
        "sites": [
            [
                "id": .string(site), "name": "root", "displayName": "Communication site",
                "webUrl": "https://contoso.sharepoint.com",
            ]
        ],
        "sites/\(site)/lists": [
            ["id": "a1c2cbe0-6f0b-4f4c-9a0d-6f2b6d0d9c11", "name": "Tasks", "displayName": "Tasks"]
        ],
    ]

    // MARK: Reading

    func object(_ id: String, in list: String) -> Object? {
        lists[list]?.first { Self.isObject($0, id) }
    }

    /// An object of any list by its id, with the list.
    func object(_ id: String) -> (list: String, object: Object)? {
        for (list, objects) in lists {
            if let object = objects.first(where: { Self.isObject($0, id) }) { return (list, object) }
        }
        return nil
    }

    /// The object of a list with a value of an alternate key.
    func id(of list: String, _ name: String, _ value: String) -> String? {
        lists[list]?.first { object in
            object.contains { $0.key.lowercased() == name.lowercased() && $0.value.string == value }
        }?["id"]?.string
    }

    private static func isObject(_ object: Object, _ id: String) -> Bool {
        object["id"]?.string?.lowercased() == id.lowercased() || id == "root" && object["name"] == "root"
    }

    // MARK: Changing

    /// The next version of an object.
    mutating func tag() -> Value {
        version += 1
        return .string("W/\"\(Data("\(version)".utf8).base64EncodedString())\"")
    }

    mutating func add(_ object: Object, to list: String) { lists[list, default: []].append(object) }

    mutating func change(_ id: String, in list: String, to object: Object) {
        guard let place = lists[list]?.firstIndex(where: { Self.isObject($0, id) }) else { return }
        lists[list]?[place] = object
    }

    mutating func set(_ part: Object?, at address: String) { parts[address] = part }

    /// Removes an object with all that is inside it, and from every relation.
    mutating func remove(_ id: String, from list: String) {
        lists[list]?.removeAll { Self.isObject($0, id) }
        let inside = "\(list)/\(id)/"
        lists = lists.filter { !$0.key.hasPrefix(inside) }
        parts = parts.filter { !"\($0.key)/".hasPrefix(inside) }
        references = references.filter { !$0.key.hasPrefix(inside) }
            .mapValues { $0.filter { $0.lowercased() != id.lowercased() } }
    }

    mutating func refer(to id: String, from relation: String) { references[relation, default: []].append(id) }

    mutating func set(_ ids: [String], of relation: String) { references[relation] = ids }

    /// Whether the relation had it.
    mutating func unrefer(to id: String, from relation: String) -> Bool {
        guard let place = references[relation]?.firstIndex(where: { $0.lowercased() == id.lowercased() }) else {
            return false
        }
        references[relation]?.remove(at: place)
        return true
    }

    /// One text for each object, without versions.
    var texts: [String] {
        func text(_ object: Object) -> String {
            let plain = object.filter { $0.key != "@odata.etag" && $0.key != "lastModifiedDateTime" }
            return String(decoding: Value.object(plain).jsonData(sortedKeys: true), as: UTF8.self)
        }
        return lists.flatMap { list, objects in objects.map { "\(list) \(text($0))" } }
            + parts.map { "\($0.key) \(text($0.value))" }
            + references.flatMap { relation, ids in ids.map { "\(relation) \($0)" } }
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
        case .action: SandboxStoreAction(operation) != nil
        case .function, .content: false
        }
    }
}
