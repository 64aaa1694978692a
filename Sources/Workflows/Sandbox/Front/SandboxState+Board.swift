extension SandboxState {
    private static let shownCounts = (mails: 500, files: 2_000, users: 200, events: 500, requests: 200)

    /// The page loads only its own script and style, and no other site can show it in a frame.
    static var board: HTTPResponse {
        let policy = [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
            "frame-src 'self'", "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'",
        ]
        return HTTPResponse(
            status: 200,
            headers: [
                "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy.joined(separator: "; "),
                "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
            ], body: Data(PackageResources.page_html))
    }

    var boardState: Value {
        let count = Self.shownCounts
        let mails = mails.enumerated().suffix(count.mails).reversed().map { Value.object($1.summary(number: $0)) }
        let exchanges = log.numbered(count.requests).reversed().map { number, exchange -> Value in
            [
                "number": .integer(number), "dateTime": .string(SandboxClock.timestamp(exchange.date)),
                "method": .string(exchange.method), "path": .string(exchange.path),
                "status": exchange.status.map(Value.integer) ?? .null, "outcome": .string(exchange.outcome.rawValue),
            ]
        }
        return [
            "profile": .string(profile.rawValue), "summary": .string(profile.summary),
            "mails": .array(Array(mails)), "mailCount": .integer(self.mails.count),
            "files": .array(items.suffix(count.files).map(\.summary)), "fileCount": .integer(items.count),
            "users": .array(directory.users.prefix(count.users).map(summary)),
            "userCount": .integer(directory.users.count), "groups": .array(groups.map(summary)),
            "events": .array(events.suffix(count.events).map(\.summary)), "eventCount": .integer(events.count),
            "requests": .array(Array(exchanges)), "requestCount": .integer(log.count),
            "faults": .array(faults.filter { $0.times > 0 }.map { .string($0.description) }),
        ]
    }

    private func summary(of user: SandboxUser) -> Value {
        let names = ["id", "displayName", "mail", "jobTitle", "department"]
        var members = Object(names.map { ($0, user.value(of: $0) ?? .null) })
        members["manager"] = user.manager.flatMap { directory.user(named: $0) }.map { .string($0.displayName) } ?? .null
        let own = licences[user.id] ?? []
        members["licences"] = .array(SandboxProduct.all.filter { own.contains($0.id) }.map { .string($0.name) })
        return .object(members)
    }

    private func summary(of group: SandboxGroup) -> Value {
        var members = group.value.filter { ["id", "displayName", "description", "mail"].contains($0.key) }
        members["members"] = .array(
            group.members.compactMap { directory.user(named: $0) }.map { .string($0.displayName) })
        return .object(members)
    }

    /// A mail's body as its reader would see it; no script in it runs, and it loads nothing, because it may contain
    /// anything.
    func body(ofMail number: Int) -> HTTPResponse? {
        guard mails.indices.contains(number) else { return nil }
        let mail = mails[number]
        let isHTML = mail.bodyType.lowercased() == "html"
        var text = mail.body
        if isHTML {
            for file in mail.attachments where file.content.count <= 10 << 20 {
                guard let id = file.contentID, !id.isEmpty else { continue }
                let bytes = file.content.base64EncodedString()
                text = text.replacing("cid:\(id)", with: "data:\(ContentType.sniff(file.content));base64,\(bytes)")
            }
            text = "<base target=\"_blank\">" + text
        }
        return HTTPResponse(
            status: 200,
            headers: [
                "Content-Type": "text/\(isHTML ? "html" : "plain"); charset=utf-8",
                "Content-Security-Policy": "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; "
                    + "img-src data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; "
                    + "frame-ancestors 'self'",
                "Referrer-Policy": "no-referrer",
            ], body: Data(text.utf8))
    }

    func exchange(_ number: Int) -> Value? {
        log[number].map { exchange in
            [
                "dateTime": .string(SandboxClock.timestamp(exchange.date)), "method": .string(exchange.method),
                "path": .string(exchange.path), "status": exchange.status.map(Value.integer) ?? .null,
                "outcome": .string(exchange.outcome.rawValue),
                "request": Self.shown(exchange.headers, exchange.request.body),
                "answer": Self.shown(exchange.answer?.headers ?? [:], exchange.answer?.body),
            ]
        }
    }

    private static func shown(_ headers: HTTPHeaders, _ body: Data?) -> Value {
        var fields = Object()
        for field in headers.fields {
            fields[field.name] = .string(headers.values(of: field.name).joined(separator: ", "))
        }
        let message = HTTPRequest("POST", Sandbox.baseURL, headers: headers, body: body)
        let isEmpty = body?.isEmpty ?? true
        return [
            "headers": .object(fields), "body": isEmpty ? .null : message.bodyDescription.map(Value.string) ?? .null,
        ]
    }
}

extension Sandbox.Mail {
    fileprivate func summary(number: Int) -> Object {
        guard case .object(var members) = envelope else { return [:] }
        members["number"] = .integer(number)
        members["attachments"] = .array(
            attachments.map { file in
                [
                    "name": .string(file.name), "contentType": .string(ContentType.sniff(file.content)),
                    "size": .integer(file.size),
                ]
            })
        return members
    }
}

extension SandboxEvent {
    fileprivate var summary: Value {
        let attendees = (content["attendees"]?.array ?? []).compactMap { $0["emailAddress"]?["address"] }
        return [
            "id": .string(id), "calendar": .string(owner), "subject": content["subject"] ?? "",
            "start": content["start"] ?? .null, "end": content["end"] ?? .null,
            "location": content["location"]?["displayName"] ?? "", "attendees": .array(attendees),
            "isRecurring": .bool(content["recurrence"] != nil), "text": content["body"]?["content"] ?? "",
        ]
    }
}

extension Sandbox.DriveItem {
    fileprivate var summary: Value {
        guard case .object(var members) = description else { return .null }
        members["detectedType"] = .string(ContentType.sniff(content.prefix(1 << 16)))
        return .object(members)
    }
}
