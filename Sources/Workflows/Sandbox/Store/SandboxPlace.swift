internal import GraphModel

/// Where an address leads in the store.
struct SandboxPlace {
    enum Kind {
        /// A list of objects that are in it.
        case list
        /// A list of objects that live elsewhere, or the only one.
        case relation
        /// An object of a list.
        case object(id: String)
        /// A part, of which there is one.
        case part
    }

    /// The address with ids: `users/ID/todo/lists`, and for an object that of its list.
    var address: String
    var kind: Kind
    var type: GraphType
}

extension SandboxState {
    /// Finds where an address leads.
    /// - Parameter call: Whose user is meant by `me`; nil for the first one.
    /// - Throws: 404 for an object that is not there.
    func place(_ address: GraphAddress, for call: SandboxCall?) throws(SandboxError) -> SandboxPlace {
        var place = SandboxPlace(address: "", kind: .part, type: GraphType(.defined(GraphModel.root.index)))
        for segment in address.segments {
            switch segment.role {
            case .member(let member):
                let name = segment.text.hasSuffix(":") ? String(segment.text.dropLast()) : segment.text
                var inside = place.address
                if case .object(let id) = place.kind { inside += "/\(id)" }
                if inside.isEmpty, name == "me" {
                    place.address = "users"
                    place.kind = .object(id: try call.map(signedInUser)?.id ?? directory.users[0].id)
                } else {
                    place.address = inside.isEmpty ? name : "\(inside)/\(name)"
                    let isElsewhere = member.kind == .reference && !inside.isEmpty
                    place.kind = isElsewhere ? .relation : member.type.isList ? .list : .part
                }
                place.type = member.type
            case .key:
                let (list, id) = try object(segment.text.percentDecoded ?? segment.text, of: place)
                (place.address, place.kind) = (list, .object(id: id))
                place.type = segment.type ?? place.type
            case .cast: place.type = segment.type ?? place.type
            case .count, .reference: return place
            case .operation, .value, .batch, .path, .unknown: throw .notPlayed(segment.text)
            }
        }
        return place
    }

    /// The list in which an object is, and its id.
    private func object(_ key: String, of place: SandboxPlace) throws(SandboxError) -> (list: String, id: String) {
        var key = key
        if key.hasPrefix("("), let sign = key.firstIndex(of: "=") {
            let value = key[key.index(after: sign)...].dropLast().trimmingQuotes
            let name = String(key[key.index(after: key.startIndex)..<sign])
            guard let id = store.id(of: place.address, name, value) else { throw .noUser(value) }
            key = id
        }
        switch place.address {
        case "users":
            guard let user = directory.user(named: key) else { throw .noUser(key) }
            return (place.address, user.id)
        case _ where place.type.name == "mailFolder": return (place.address, key.lowercased())
        case "teams" where store.object(key, in: "teams") != nil: break
        case "groups", "teams":
            guard let group = groups.first(where: { $0.id == key.lowercased() }) else { throw .noUser(key) }
            return (place.address, group.id)
        case "directoryObjects":
            guard let found = object(withID: key) else { throw .noUser(key) }
            return (found.list, key)
        default: break
        }
        if case .relation = place.kind {
            guard store.references[place.address]?.contains(where: { $0.lowercased() == key.lowercased() }) == true,
                let found = object(withID: key)
            else { throw .noUser(key) }
            return (found.list, key)
        }
        guard let object = store.object(key, in: place.address) else { throw .noUser(key) }
        return (place.address, object["id"]?.string ?? key)
    }

    /// An object of any kind by its id, and the list in which it is.
    func object(withID id: String) -> (list: String, object: Object)? {
        if let user = directory.user(named: id), var value = try? user.value(select: "*") {
            value["@odata.type"] = "#microsoft.graph.user"
            return (list: "users", object: value)
        }
        if let group = groups.first(where: { $0.id == id.lowercased() }) {
            var value = group.value
            value["@odata.type"] = "#microsoft.graph.group"
            return (list: "groups", object: value)
        }
        return store.object(id)
    }
}

extension Substring {
    /// The text of a key without its quotes.
    fileprivate var trimmingQuotes: String {
        guard hasPrefix("'"), hasSuffix("'"), count > 1 else { return String(self) }
        return String(dropFirst().dropLast()).replacing("''", with: "'")
    }
}
