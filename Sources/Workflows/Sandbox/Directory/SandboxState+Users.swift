extension SandboxState {
    private static let advancedOperators: Set<String> = ["ne", "not", "endswith"]
    private static let knownOperators: Set<String> = ["eq", "in", "startswith", "any", "ge", "le"]

    mutating func answerUser(_ user: SandboxUser, _ call: SandboxCall) throws(SandboxError) -> HTTPResponse {
        if call.request.method == "PATCH" {
            guard let changes = try call.json?.get().object else { throw .unreadableBody }
            try directory.change(user, changes)
            note(.updated, user.id, in: .users, properties: changes.keys)
            return HTTPResponse(status: 204)
        }
        if call.request.method == "DELETE" {
            // Tokens without an account belong to the first user.
            guard user.id != directory.users[0].id else { throw .notPlayed("deleting the signed-in user") }
            directory.remove(user)
            deletedItems.add(user, groups.filter { $0.members.contains(user.id) }.map(\.id))
            for place in groups.indices where groups[place].members.contains(user.id) {
                groups[place].members.removeAll { $0 == user.id }
                noteMember(user.id, of: groups[place].id, isGone: true)
            }
            note(.deleted, user.id, in: .users)
            return HTTPResponse(status: 204)
        }
        var answer: Object = ["@odata.context": "https://graph.microsoft.com/v1.0/$metadata#users/$entity"]
        for (name, value) in try user.value(select: call.target.option("select")) { answer[name] = value }
        return Self.json(answer)
    }

    /// `POST /users`: 201 with the new user, whose mailbox has the user principal name.
    mutating func createUser(_ call: SandboxCall) throws(SandboxError) -> HTTPResponse {
        guard var body = try call.json?.get().object else { throw .unreadableBody }
        let required = ["accountEnabled", "displayName", "mailNickname", "passwordProfile", "userPrincipalName"]
        for name in required where body[name]?.isNull ?? true || body[name]?.string?.isEmpty ?? false {
            throw .badRequest(
                "A value is required for property '\(name)' of resource 'User'.", code: "Request_BadRequest")
        }
        let name = body["userPrincipalName"]?.string ?? ""
        guard Self.isAddress(name) else {
            throw .badRequest("The specified userPrincipalName is invalid.", code: "Request_BadRequest")
        }
        guard directory.user(named: name) == nil else {
            throw .badRequest(
                "Another object with the same value for property userPrincipalName already exists.",
                code: "Request_BadRequest")
        }
        var user = SandboxUser(
            id: guid(), displayName: body["displayName"]?.string ?? "", mail: name, userPrincipalName: name)
        for name in ["mailNickname", "passwordProfile", "userPrincipalName"] { body[name] = nil }
        try user.change(body)
        directory.add(user)
        note(.created, user.id, in: .users)
        var answer: Object = ["@odata.context": "https://graph.microsoft.com/v1.0/$metadata#users/$entity"]
        for (name, value) in try user.value(select: nil) { answer[name] = value }
        return Self.json(answer, status: 201)
    }

    /// `GET /users` with `$filter`, `$search`, `$select`, `$orderby`, `$count`, `$top` and pages.
    func answerUsers(_ call: SandboxCall) throws(SandboxError) -> HTTPResponse {
        let found = try findUsers(call)
        let top = call.target.option("top").map { Int($0) } ?? 100
        guard let top, (1...999).contains(top) else {
            throw .badRequest(
                "Invalid page size specified: must be between 1 and 999 inclusive.", code: "Request_BadRequest")
        }
        guard let token = call.target.option("skiptoken").map(SandboxPageToken.init) ?? SandboxPageToken(),
            token.skipped <= found.count
        else {
            throw .badRequest("The skip token is not valid.", code: "Directory_ExpiredPageToken")
        }
        let select = call.target.option("select")
        var page: [Value] = []
        for user in found.dropFirst(token.skipped).prefix(pageSize(top, after: token.pages)) {
            page.append(.object(try user.value(select: select)))
        }
        var answer: Object = ["@odata.context": "https://graph.microsoft.com/v1.0/$metadata#users"]
        if call.isEventual, token.pages == 0, call.target.option("count")?.lowercased() == "true" {
            answer["@odata.count"] = .integer(found.count)
        }
        let next = SandboxPageToken(skipped: token.skipped + page.count, pages: token.pages + 1)
        if next.skipped < found.count {
            answer["@odata.nextLink"] = .string(try call.link(replacing: "$skiptoken", by: next.text))
        }
        answer["value"] = .array(page)
        return Self.json(answer)
    }

    /// `GET /users/$count`: a number as text.
    func answerUserCount(_ call: SandboxCall) throws(SandboxError) -> HTTPResponse {
        guard call.isEventual else {
            throw .badRequest(
                "$count is not currently supported without the header 'ConsistencyLevel: eventual'.",
                code: "Request_BadRequest")
        }
        return HTTPResponse(
            status: 200, headers: ["Content-Type": "text/plain"], body: Data("\(try findUsers(call).count)".utf8))
    }

    private func findUsers(_ call: SandboxCall) throws(SandboxError) -> [SandboxUser] {
        guard call.target.option("skip") == nil else {
            throw .badRequest("$skip is not supported for users.", code: "Request_UnsupportedQuery")
        }
        // Searching requires that the client accepts slightly outdated answers.
        let isAdvanced =
            call.isEventual
            && (call.target.option("count")?.lowercased() == "true" || call.target.segments.last == "$count")
        var found = directory.users
        if let text = call.target.option("filter") {
            let filter = try SandboxFilter(parsing: text, on: "microsoft.graph.user", hasField: SandboxUser.hasField)
            let rest = filter.operators.subtracting(Self.knownOperators)
            guard rest.isSubset(of: isAdvanced ? Self.advancedOperators : []) else {
                throw .badRequest("Unsupported or invalid query filter clause.", code: "Request_UnsupportedQuery")
            }
            guard isAdvanced || call.target.option("orderby") == nil else {
                throw .badRequest(
                    "Sorting not supported for current query.", code: "Request_UnsupportedQuery")
            }
            found = found.filter { user in filter.matches { user.value(of: $0) } }
        }
        if let search = call.target.option("search") {
            guard call.isEventual else {
                throw .badRequest(
                    "Request with $search query parameter only works through MSGraph with a special request header:"
                        + " 'ConsistencyLevel: eventual'", code: "Request_UnsupportedQuery")
            }
            let search = try SandboxSearch(parsing: search)
            found = found.filter(search.matches)
        }
        if let order = call.target.option("orderby") {
            let words = order.split(separator: " ").map(String.init)
            guard let field = words.first, SandboxUser.hasField(field) else {
                throw .badRequest("Unsupported sort property '\(order)'.", code: "Request_UnsupportedQuery")
            }
            found.sort { ($0.text(of: field) ?? "").lowercased() < ($1.text(of: field) ?? "").lowercased() }
            if words.dropFirst().first?.lowercased() == "desc" { found.reverse() }
        }
        return found
    }

    private func pageSize(_ top: Int, after pages: Int) -> Int {
        guard settings.hasUnevenPages else { return top }
        return switch pages % 4 {
        case 1: 0
        case 2: max(1, top / 2)
        case 3: max(1, top - 1)
        default: top
        }
    }
}

extension SandboxCall {
    fileprivate var isEventual: Bool { request.headers["ConsistencyLevel"]?.lowercased() == "eventual" }
}
