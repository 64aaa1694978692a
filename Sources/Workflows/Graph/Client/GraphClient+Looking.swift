/// What only a look can tell, for an undo: whether what a request adds was there before it, and what a change stored.
extension GraphClient {
    private static let storedCondition = "to be able to undo it, unless its answer says what was stored"

    /// Looks whether what a request adds is there already; nil if its answer tells, or nothing is kept.
    func look(before request: GraphRequest) -> Promise<FormerObject?>? {
        guard let keep, request.method.uppercased() == "POST", request.consequences.count == 1,
            let whole = path(of: request)
        else { return nil }
        let parts = RequestEffects("POST", whole, host: "", nil).path.split(separator: "/").map(String.init)
        let names = parts.map { $0.lowercased() }
        switch request.consequences[0].details {
        case .member(let all) where all.added == true && names.count == 4:
            guard names[0] == "groups", names[2...] == ["members", "$ref"], let member = all.member.string,
                let user = try? GraphPath(user: member)
            else { return nil }
            let place = "\(user)/memberOf/\(parts[1])"
            return keep(place) { membership(at: place, request) }
        case .link where ["createlink", "microsoft.graph.createlink"].contains(names.last):
            let place = (parts.dropLast() + ["permissions"]).joined(separator: "/")
            return keep(place) { links(at: place, request) }
        default: return nil
        }
    }

    private func membership(at place: String, _ request: GraphRequest) -> Promise<FormerObject?> {
        let answer = plannedAnswer("former")
        return json {
            try reading(place, ["id": .string(answer("id", .text))], as: request)
        } as: { group throws(GraphError) in
            FormerObject(path: place, object: group)
        }.recover(on: nil) { error -> Promise<FormerObject?> in
            // Who may change the members of a group may not always read the groups of a person.
            guard [.notFound, .forbidden].contains(GraphError(error)?.code) else { throw error }
            return .value(nil)
        }
    }

    private func links(at place: String, _ request: GraphRequest) -> Promise<FormerObject?> {
        let (answer, page) = (plannedAnswer("former", isElement: true), plannedAnswer("former.page"))
        let example: Value = .members([
            ("@odata.nextLink", plannedNextPage(page)), ("value", [.string(answer.whole())]),
        ])
        return pages {
            try reading(place, example, as: request)
        } upTo: {
            nil
        } as: { link throws(GraphError) in
            link["id"] ?? .null
        }.map(on: nil) { ids in
            FormerObject(path: place, object: ["value": .array(ids)])
        }.recover(on: nil) { error -> Promise<FormerObject?> in
            guard GraphError(error)?.code == .notFound else { throw error }
            return .value(nil)
        }
    }

    private func reading(_ path: String, _ example: Value, as request: GraphRequest) throws -> GraphRequest {
        guard let url = URL(string: "\(try baseURL.absoluteString)/\(path)?$select=id") else {
            throw GraphError(.invalidInput, message: "The request has no valid address.")
        }
        // No other permission is asked for.
        return try self.request(
            "keep", .read, "GET", at: url, permissions: permissions(of: request),
            headers: ["Accept": "application/json"], example: .json(200, example))
    }

    /// Reads what a change stored, if its answer does not say it: the service may write a value in another form.
    func look(after exchange: GraphExchange, _ response: HTTPResponse) -> Promise<Void> {
        let request = exchange.request
        guard keepsFormer(of: request), request.method.uppercased() == "PATCH", let address = request.replaced,
            ["user", "group"].contains(request.consequences.first?.objectChange?.what),
            plan != nil || response.status == 204
        else { return .value(()) }
        let permissions = permissions(of: request)
        return when(Self.storedCondition, isExtra: true).json {
            try self.request(
                "keep", .read, "GET", at: address, permissions: permissions, headers: ["Accept": "application/json"],
                example: .json(200, [:]))
        } as: { stored throws(GraphError) in
            exchange.note(stored: stored)
        }.recover(on: nil) { _ in
            // It was changed, whatever can be read of it.
        }
    }
}

extension Effect.ObjectChange {
    /// Adds the values that the service has stored, where they are others than those that were sent.
    mutating func note(stored: Value) {
        for (name, change) in properties ?? [:] where !Effect.unreadable.contains(name.lowercased()) {
            guard let value = stored[name], let after = change["after"], !value.covers(after) else { continue }
            properties?[name] = ["before": change["before"] ?? .null, "after": after, "others": [value]]
        }
    }
}
