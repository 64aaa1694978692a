import Foundation

extension SandboxState {
    func answerUser(_ user: SandboxUser, _ call: SandboxCall) throws(SandboxError) -> HTTPResponse {
        var answer: Object = ["@odata.context": "https://graph.microsoft.com/v1.0/$metadata#users/$entity"]
        for (name, value) in try user.value(select: call.target.option("select")) { answer[name] = value }
        return Self.json(answer)
    }

    /// `GET /users` with `$filter`, `$search`, `$select`, `$top` and pages.
    func answerUsers(_ call: SandboxCall) throws(SandboxError) -> HTTPResponse {
        let isEventual = call.request.headers["ConsistencyLevel"]?.lowercased() == "eventual"
        var found = users
        if let filter = call.target.option("filter") {
            let filter = try SandboxFilter(parsing: filter)
            found = found.filter(filter.matches)
        }
        if let search = call.target.option("search") {
            guard isEventual else {
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
        let top = call.target.option("top").map { Int($0) } ?? 100
        guard let top, (1...999).contains(top) else {
            throw .badRequest(
                "Invalid page size specified: must be between 1 and 999 inclusive.", code: "Request_BadRequest")
        }
        let skipped = call.target.option("skiptoken").map { Int($0) } ?? 0
        guard let skipped, (0...found.count).contains(skipped) else {
            throw .badRequest("The skip token is not valid.", code: "Directory_ExpiredPageToken")
        }
        let select = call.target.option("select")
        var page: [Value] = []
        for user in found.dropFirst(skipped).prefix(top) { page.append(.object(try user.value(select: select))) }
        var answer: Object = ["@odata.context": "https://graph.microsoft.com/v1.0/$metadata#users"]
        if isEventual, skipped == 0, call.target.option("count")?.lowercased() == "true" {
            answer["@odata.count"] = .integer(found.count)
        }
        if skipped + page.count < found.count {
            answer["@odata.nextLink"] = .string(try nextLink(after: call, skipping: skipped + page.count))
        }
        answer["value"] = .array(page)
        return Self.json(answer)
    }

    private func nextLink(after call: SandboxCall, skipping count: Int) throws(SandboxError) -> String {
        guard var components = URLComponents(url: call.request.url, resolvingAgainstBaseURL: true) else {
            throw .badRequest("The URL is not valid.")
        }
        var options = (components.queryItems ?? []).filter { $0.name.lowercased() != "$skiptoken" }
        options.append(URLQueryItem(name: "$skiptoken", value: "\(count)"))
        components.queryItems = options
        return components.string ?? ""
    }
}
