extension GraphClient {
    /// Creates an event in a calendar, once for each transaction.
    ///
    /// - Parameters:
    ///   - event: The event as Graph describes one, with at least `subject`, `start` and `end`.
    ///   - transactionID: What Graph recognises the event by when it is sent again: the same event is returned.
    ///   - user: Whose calendar: an id or user principal name; nil for the signed-in user's.
    /// - Returns: The event as Graph has it; rejected with ``GraphError/Code/conflict`` if the transaction made another.
    public func createEvent(_ event: Value, transactionID: String, user: String? = nil) -> Promise<CalendarEvent> {
        eventAnswer(event, transactionID: transactionID, user: user).map(on: nil) { try CalendarEvent($0) }
    }

    /// Creates an event, of which a plan does not know the id.
    package func eventAnswer(_ event: Value, transactionID: String, user: String?) -> Promise<Value> {
        let answer = plannedAnswer("createEvent")
        return json {
            guard var content = event.object else {
                throw GraphError(.invalidInput, message: "An event is an object.")
            }
            for attendee in event["attendees"]?.array ?? [] {
                try MailAddress.check(attendee["emailAddress"]?["address"]?.string ?? "")
            }
            content["transactionId"] = .string(transactionID)
            var request = GraphRequest(
                "createEvent", .idempotent, "POST", try GraphPath(user: user).adding("/events"),
                headers: ["Content-Type": "application/json", "Accept": "application/json"],
                body: Value.object(content).jsonData(),
                example: .json(
                    201,
                    [
                        "id": .string(answer("id", .text)), "webLink": .string(answer("webLink", .text)),
                        "iCalUId": .string(answer("iCalUId", .text)), "subject": event["subject"] ?? .null,
                    ]))
            request.consequences = [.event(event, of: .owner(user), isOwn: user == nil)]
            return request
        } as: { event throws(GraphError) in
            _ = try event.id(of: "event")
            return event
        }
    }
}
