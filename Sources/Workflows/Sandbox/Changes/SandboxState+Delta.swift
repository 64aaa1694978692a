extension SandboxState {
    /// Graph returns at most this many messages in a round with a filter.
    private static let filteredLimit = 5_000

    /// `GET …/delta`: a page of what changed since the token, or of everything without one.
    mutating func answerDelta(
        _ collection: SandboxRoute.Collection, of owner: String?, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        let fault = deltaFault
        deltaFault = nil
        let person = collection.isOfDirectory ? nil : try user(owner, for: call)
        if person != nil { deliverMail(until: call.date) }
        if let person, case .calendarView(let calendar) = collection { try checkCalendar(calendar, of: person) }
        let feed = try feed(collection, of: person)
        open(feed, person)
        let start = try token(of: feed, collection, call)
        if let code = fault?.resyncCode { throw gone(code, start, collection, call) }
        guard let log = changes[feed] else { throw .noItem }
        let round = SandboxDeltaRound(feed: feed, person: person, start: start, filter: try start.filter)
        let limit = try fault == .empty ? 0 : fault == .early ? 1 : pageSize(of: collection, call)
        let most = round.filter == nil ? Int.max : Self.filteredLimit
        let excludesParents = call.prefers("deltaexcludeparent")
        var token = start
        var page: [Value] = []
        var places: [String: Int]?
        var place = log.place(after: token.position)
        var next = log.next(&place)
        while page.count < limit, token.count < most, let entry = next {
            if !excludesParents || entry.ownChange > start.base,
                let item = try item(entry, round, &places, at: call.date)
            {
                page.append(.object(item))
                token.count += 1
            }
            token.position = entry.changed
            next = log.next(&place)
        }
        var isLast = next == nil || token.count >= most
        if next == nil { token.position = max(token.position, log.last) }
        switch fault {
        case .twice: page = page.map(Self.older) + page
        case .replay: (token, isLast) = (start, false)
        case .empty: (token, isLast) = (start, false)
        case .early: isLast = true
        default: break
        }
        if isLast { (token.base, token.count, token.date) = (token.position, 0, call.date) }
        let context = "https://graph.microsoft.com/v1.0/$metadata#\(collection.context)"
        var response = Self.json([
            "@odata.context": .string(context),
            (isLast ? "@odata.deltaLink" : "@odata.nextLink"): .string(
                link(token, isLast: isLast, collection, call)),
            "value": .array(page),
        ])
        var applied = call.preferredPageSize.map { ["odata.maxpagesize=\($0)"] } ?? []
        if start.isImmutable { applied.append("IdType=\"ImmutableId\"") }
        if !applied.isEmpty { response.headers["Preference-Applied"] = applied.joined(separator: ", ") }
        return response
    }

    private func feed(
        _ collection: SandboxRoute.Collection, of person: SandboxUser?
    ) throws(SandboxError) -> SandboxFeed {
        let owner = person?.userPrincipalName ?? ""
        return switch collection {
        case .messages(let name): .messages(owner: owner, try folder(name, of: person ?? directory.users[0]))
        case .folders: .folders(owner: owner)
        case .calendarView: .events(owner: owner)
        case .drive: .drive(owner: owner)
        case .users: .users
        case .groups: .groups
        }
    }

    /// The token of a link, or that of a first round with the request's options.
    private mutating func token(
        of feed: SandboxFeed, _ collection: SandboxRoute.Collection, _ call: SandboxCall
    ) throws(SandboxError) -> SandboxDeltaToken {
        if deltaKey.isEmpty { deltaKey = guid() }
        try call.target.checkOptions(collection.options.union(["skiptoken", "deltatoken", "top"]))
        let name = "\(feed)"
        var token = SandboxDeltaToken(feed: name, date: call.date)
        let given =
            ["skiptoken", "deltatoken", "token"].compactMap { call.target.option($0) }.first
            ?? call.target.segments.last.flatMap(SandboxRoute.Collection.tokenInPath)
        let isLatest = given?.lowercased() == "latest" && !collection.isOutlook
        if let given, !isLatest {
            let parsed = SandboxDeltaToken(given, key: deltaKey)
            guard let known = parsed, known.feed == name else {
                guard collection.isOutlook else {
                    throw .badRequest(
                        "The token is not valid.",
                        code: collection.isOfDirectory ? "Request_BadRequest" : "invalidRequest")
                }
                throw gone(parsed == nil ? "SyncStateInvalid" : "SyncStateNotFound", token, collection, call)
            }
            // Outlook's state knows which ids it gave out.
            guard known.isImmutable == (call.wantsImmutableIDs && collection.isOutlook) else {
                throw gone("SyncStateInvalid", token, collection, call)
            }
            guard !collection.isOfDirectory || call.date < known.date.addingTimeInterval(7 * 86_400) else {
                throw gone("SyncStateNotFound", known, collection, call)
            }
            return known
        }
        token.isImmutable = call.wantsImmutableIDs && collection.isOutlook
        for name in ["select", "filter", "expand", "changetype", "startdatetime", "enddatetime"] {
            token.options[name] = call.target.option(name)
        }
        try collection.check(token.options)
        if isLatest, let last = changes[feed]?.last { (token.base, token.position) = (last, last) }
        return token
    }

    private func pageSize(of collection: SandboxRoute.Collection, _ call: SandboxCall) throws(SandboxError) -> Int {
        if let top = call.target.option("top") {
            guard let top = Int(top), (1...1000).contains(top) else {
                throw .badRequest("Invalid page size specified: must be between 1 and 1000 inclusive.")
            }
            return top
        }
        return min(call.preferredPageSize ?? (collection.isOutlook ? 10 : 200), 1000)
    }

    private func gone(
        _ code: String, _ token: SandboxDeltaToken, _ collection: SandboxRoute.Collection, _ call: SandboxCall
    ) -> SandboxError {
        var fresh = token
        (fresh.base, fresh.position, fresh.count, fresh.date) = (0, 0, 0, call.date)
        return SandboxError(
            status: 410, code: code,
            message: code.lowercased().hasPrefix("syncstate")
                ? "The sync state generation is not found; a full synchronization is required."
                : "Resync required. Read everything again and compare it with what you have.",
            headers: ["Location": link(fresh, isLast: false, collection, call)])
    }

    private func link(
        _ token: SandboxDeltaToken, isLast: Bool, _ collection: SandboxRoute.Collection, _ call: SandboxCall
    ) -> String {
        var address = call.request.url.absoluteString.prefix { $0 != "?" }
        if address.hasSuffix(")"), let open = address.lastIndex(of: "(") { address = address[..<open] }
        let name = collection.isOutlook || collection.isOfDirectory ? isLast ? "$deltatoken" : "$skiptoken" : "token"
        return "\(address)?\(name)=\(token.text(key: deltaKey))"
    }

    /// What an item may have been before, for a round that has it twice.
    private static func older(_ item: Value) -> Value {
        var item = item.object ?? [:]
        for name in ["@odata.etag", "eTag", "changeKey"] {
            if let tag = item[name]?.string {
                item[name] = .string(tag.replacing("AAA", with: "AAB").replacing(",", with: ",0"))
            }
        }
        for name in ["subject", "name", "displayName"] {
            if let text = item[name]?.string { item[name] = .string("Earlier \(text)") }
        }
        for name in ["@removed", "deleted"] { item[name] = nil }
        return .object(item)
    }
}

extension SandboxDeltaToken {
    /// - Throws: An error for a filter that messages' delta does not support.
    fileprivate var filter: SandboxFilter? {
        get throws(SandboxError) {
            guard let text = options["filter"] else { return nil }
            let filter = try SandboxFilter(parsing: text, on: "microsoft.graph.message") {
                $0.lowercased() == "receiveddatetime"
            }
            guard filter.operators.isSubset(of: ["ge", "gt"]), filter.fields.count == 1 else {
                throw .badRequest("The query filter is not supported: '\(text)'.", code: "ErrorInvalidUrlQueryFilter")
            }
            return filter
        }
    }
}

extension SandboxCall {
    /// Of `Prefer: odata.maxpagesize=N`; nil without one.
    fileprivate var preferredPageSize: Int? {
        preferences.first { $0.hasPrefix("odata.maxpagesize=") }
            .flatMap { Int($0.dropFirst("odata.maxpagesize=".count)) }.flatMap { $0 > 0 ? $0 : nil }
    }

    fileprivate func prefers(_ name: String) -> Bool {
        preferences.contains(name) || request.headers[name] != nil
    }
}
