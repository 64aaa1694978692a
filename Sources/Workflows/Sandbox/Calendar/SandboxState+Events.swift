struct SandboxEvent {
    let owner: String
    let id: String
    /// Identifies the event if it is sent again.
    let transactionID: String?
    var created: Date
    var modified: Date
    var changeKey: String
    var content: Object

    func value(of organizer: SandboxUser) -> Object {
        let text = content["body"]?["content"]?.string ?? ""
        var result: Object = [
            "@odata.etag": .string("W/\"\(changeKey)\""), "id": .string(id),
            "createdDateTime": .string(SandboxClock.timestamp(created)),
            "lastModifiedDateTime": .string(SandboxClock.timestamp(modified)), "changeKey": .string(changeKey),
            "categories": [], "transactionId": transactionID.map(Value.string) ?? .null,
            "originalStartTimeZone": content["start"]?["timeZone"] ?? "UTC",
            "originalEndTimeZone": content["end"]?["timeZone"] ?? "UTC",
            "iCalUId": .string("040000008200E00074C5B7101A82E008\(SHA256.hex(of: Data(id.utf8)).prefix(32))"),
            "reminderMinutesBeforeStart": 15, "isReminderOn": true, "hasAttachments": false, "subject": "",
            "bodyPreview": .string(String(text.prefix(255))), "importance": "normal", "sensitivity": "normal",
            "isAllDay": false, "isCancelled": false, "isOrganizer": true, "responseRequested": true,
            "showAs": "busy", "type": "singleInstance", "allowNewTimeProposals": true, "isOnlineMeeting": false,
            "onlineMeetingProvider": "unknown",
            "webLink": .string("https://outlook.office365.com/owa/?itemid=\(id)&exvsurl=1&path=/calendar/item"),
            "body": ["contentType": "html", "content": ""], "location": ["displayName": ""], "attendees": [],
            "organizer": [
                "emailAddress": [
                    "name": .string(organizer.displayName),
                    "address": .string(organizer.mail ?? organizer.userPrincipalName),
                ]
            ],
        ]
        for (name, value) in content { result[name] = value }
        // Its occurrences are in views of the calendar only.
        if content["recurrence"] != nil { result["type"] = "seriesMaster" }
        return result
    }
}

extension SandboxState {
    private static let stated: Set<String> = [
        "subject", "body", "start", "end", "location", "locations", "attendees", "importance", "sensitivity",
        "isAllDay",
        "responseRequested", "showAs", "reminderMinutesBeforeStart", "isReminderOn", "categories",
        "allowNewTimeProposals", "isOnlineMeeting", "onlineMeetingProvider", "transactionId", "recurrence",
    ]

    func answerCalendars(of owner: SandboxUser, _ call: SandboxCall) throws(SandboxError) -> HTTPResponse {
        try calendars(of: owner).answer(call)
    }

    func answerCalendar(
        _ id: String?, of owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        try checkCalendar(id, of: owner)
        return try calendars(of: owner).answer(only: Self.calendar(of: owner), call)
    }

    private func calendars(of owner: SandboxUser) -> SandboxList {
        SandboxList(
            context: "users('\(owner.id)')/calendars", type: "microsoft.graph.calendar",
            elements: [Self.calendar(of: owner)], pageSize: (10, 1000),
            options: ["select", "top", "skip", "filter", "orderby", "count"])
    }

    func checkCalendar(_ id: String?, of owner: SandboxUser) throws(SandboxError) {
        guard id == nil || id == Self.calendar(of: owner)["id"]?.string else { throw .noMessage }
    }

    private static func calendar(of owner: SandboxUser) -> Object {
        let name = SHA256.hash(of: Data("\(owner.id)/calendar".utf8)).prefix(30).hex
        return [
            "id": .string("AQMkAD" + name), "name": "Calendar", "color": "auto", "hexColor": "",
            "isDefaultCalendar": true, "changeKey": "CQAAABYAAAD", "canShare": true, "canViewPrivateItems": true,
            "canEdit": true, "isTallyingResponses": true, "isRemovable": false,
            "owner": [
                "name": .string(owner.displayName), "address": .string(owner.mail ?? owner.userPrincipalName),
            ],
        ]
    }

    mutating func answerEvents(
        in calendar: String?, of owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        try checkCalendar(calendar, of: owner)
        guard call.request.method == "POST" else {
            let own = events.filter { $0.owner == owner.userPrincipalName }
            return try list(of: owner, own.map { $0.value(of: owner) }).answer(call)
        }
        let content = try content(of: call)
        for name in ["start", "end"] where content[name]?["dateTime"]?.string == nil {
            throw .badRequest(
                "At least one property failed validation. Property '\(name)'.", code: "ErrorPropertyValidationFailure")
        }
        guard (content["start"]?["dateTime"]?.string ?? "") <= (content["end"]?["dateTime"]?.string ?? "") else {
            throw .badRequest("At least one property failed validation.", code: "ErrorPropertyValidationFailure")
        }
        try Self.checkDays(of: content)
        if let recurrence = content["recurrence"],
            recurrence["pattern"]?["type"]?.string == nil || recurrence["range"]?["type"]?.string == nil
        {
            throw .badRequest(
                "At least one property failed validation. Property 'Recurrence'.",
                code: "ErrorPropertyValidationFailure")
        }
        let transactionID = content["transactionId"]?.string
        var stated = content
        stated["transactionId"] = nil
        if let transactionID,
            let known = events.first(where: { $0.owner == owner.userPrincipalName && $0.transactionID == transactionID }
            )
        {
            guard known.content == stated else {
                throw SandboxError(
                    status: 409, code: "ErrorDuplicateTransactionId",
                    message:
                        "Your request can't be completed. The TransactionId specified in the request has already been used to create a different event."
                )
            }
            return try list(of: owner).answer(only: known.value(of: owner), call, status: 201)
        }
        let event = SandboxEvent(
            owner: owner.userPrincipalName, id: messageID(isImmutable: false), transactionID: transactionID,
            created: call.date, modified: call.date, changeKey: changeKey(), content: stated)
        events.append(event)
        note(.created, event.id, in: .events(owner: event.owner))
        return try list(of: owner).answer(only: event.value(of: owner), call, status: 201)
    }

    mutating func answerEvent(
        _ id: String, of owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        guard let place = events.firstIndex(where: { $0.id == id && $0.owner == owner.userPrincipalName }) else {
            throw .noMessage
        }
        try checkMatch(call, ["W/\"\(events[place].changeKey)\""])
        switch call.request.method {
        case "DELETE":
            events.remove(at: place)
            note(.deleted, id, in: .events(owner: owner.userPrincipalName))
            return HTTPResponse(status: 204)
        case "PATCH":
            let changes = try content(of: call)
            guard changes["transactionId"] == nil else {
                throw .badRequest("The property 'transactionId' cannot be changed.", code: "ErrorInvalidPropertySet")
            }
            var changed = events[place].content
            for (name, value) in changes { changed[name] = value }
            try Self.checkDays(of: changed)
            events[place].content = changed
            events[place].modified = call.date
            events[place].changeKey = changeKey()
            note(.updated, id, in: .events(owner: owner.userPrincipalName))
        default: break
        }
        return try list(of: owner).answer(only: events[place].value(of: owner), call)
    }

    /// Refuses an all-day event that does not last from a midnight to a later one in the same time zone.
    private static func checkDays(of content: Object) throws(SandboxError) {
        guard content["isAllDay"] == true else { return }
        var times: [CalendarTime] = []
        for (name, property) in [("start", "Start"), ("end", "End")] {
            guard let time = CalendarTime(content[name]?["dateTime"]?.string ?? ""), time.isMidnight else {
                throw .badRequest(
                    "The Event.\(property) property for an all-day event needs to be set to midnight.",
                    code: "ErrorPropertyValidationFailure")
            }
            times.append(time)
        }
        guard content["start"]?["timeZone"] == content["end"]?["timeZone"], times[1].isDayAfter(times[0]) else {
            throw .badRequest(
                "The duration of an event marked as All day must be at least 24 hours, in one time zone.",
                code: "ErrorPropertyValidationFailure")
        }
    }

    /// `POST …/cancel`: the event is gone, and its attendees are told.
    mutating func answerCancel(
        _ id: String, of owner: SandboxUser, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        guard let place = events.firstIndex(where: { $0.id == id && $0.owner == owner.userPrincipalName }) else {
            throw .noMessage
        }
        guard events[place].content["attendees"]?.array?.isEmpty == false else {
            throw .badRequest("The event has no attendees and cannot be canceled.", code: "ErrorInvalidRequest")
        }
        events.remove(at: place)
        note(.deleted, id, in: .events(owner: owner.userPrincipalName))
        return HTTPResponse(status: 202)
    }

    private func list(of owner: SandboxUser, _ elements: [Object] = []) -> SandboxList {
        SandboxList(
            context: "users('\(owner.id)')/events", type: "microsoft.graph.event",
            elements: elements, pageSize: (10, 1000), options: ["select", "top", "skip", "filter", "orderby", "count"],
            fields: Self.stated.union(["id", "createdDateTime", "lastModifiedDateTime", "organizer", "iCalUId"]))
    }

    private func content(of call: SandboxCall) throws(SandboxError) -> Object {
        guard let content = try call.json?.get().object else { throw .unreadableBody }
        if let name = content.keys.first(where: { ["attachments", "extensions"].contains($0) }) {
            throw .notPlayed("an event's \(name)")
        }
        return content.filter { Self.stated.contains($0.key) && !$0.value.isNull }
    }
}
