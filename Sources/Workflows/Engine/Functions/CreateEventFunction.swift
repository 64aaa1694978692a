private struct CreateEventParameters: FunctionParameters {
    private static let time: Object = [
        "type": "string", "pattern": #"^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$"#, "examples": ["2026-12-01T09:00"],
    ]

    @Parameter("The subject.") var subject: String
    @Parameter("When it begins: 2026-12-01T09:00. Without an offset: see timeZone.", schema: time) var start: String
    @Parameter("When it ends. Without an offset: see timeZone.", schema: time) var end: String
    @Parameter("The time zone of both: Europe/Paris. Default: UTC.") var timeZone: String?
    @Parameter("Whether it lasts whole days.") var isAllDay = false
    @Parameter("Who is invited, by address.", schema: FunctionSchema.addresses) var attendees: [String]?
    @Parameter("Where it is.") var location: String?
    @Parameter("What it is about, as plain text.", schema: FunctionSchema.anyText) var body: String?
    @Parameter("Whether people meet online.") var isOnlineMeeting = false
    @Parameter(FunctionSchema.user) var user: String?
}

extension Function {
    static let createEvent = Function(
        "createEvent", summary: "Puts an event into a calendar, and invites people: once for each run and task.",
        input: CreateEventParameters.self,
        output: FunctionSchema.answer(
            required: ["id"],
            [
                "id": FunctionSchema.text("The event's id."),
                "webLink": FunctionSchema.text("The address of the event in Outlook."),
            ]),
        requests: { [ExpectedRequest("POST", $0.userPath + "/events")] }, effect: .idempotent,
        check: { with, _ in timeFindings(in: with) },
        body: { with, context in
            context.graph.eventAnswer(
                event(with, context.graph), transactionID: context.transactionID ?? context.graph.ids(),
                user: with.user)
        })

    /// Finds dates and time zones that do not exist, and an end before the start.
    private static func timeFindings(in with: Value) -> [Finding] {
        var findings: [Finding] = []
        var moments: [String: Date] = [:]
        for name in ["start", "end"] {
            guard let text = with[name]?.literal, text.utf8.count == 16 || text.utf8.count == 19 else { continue }
            moments[name] = Date(iso8601: (text.utf8.count == 16 ? text + ":00" : text) + ".000Z")
            guard moments[name] == nil, text.utf8.allSatisfy({ "0123456789-:T".utf8.contains($0) }) else { continue }
            findings.append(
                Finding(
                    "time", at: [name], "there is no such time as '\(text)'", hint: "write it like 2026-12-01T09:00"))
        }
        if let start = moments["start"], let end = moments["end"], end < start {
            findings.append(
                Finding("time", at: ["end"], "the event ends before it begins", hint: "swap 'start' and 'end'"))
        }
        return findings + zoneFindings(in: with)
    }

    /// Finds a time zone that does not exist; Graph also accepts Windows names, which contain blanks.
    private static func zoneFindings(in with: Value) -> [Finding] {
        guard let zone = with["timeZone"]?.literal, !zone.contains(" "),
            (try? SystemTimeZone(identifier: zone)) == nil
        else { return [] }
        let known = SystemTimeZone.identifiers
        // Without a time zone database nothing can be checked.
        guard known.count > 1 else { return [] }
        let place = known.first { $0.lowercased().hasSuffix("/\(zone.lowercased())") }
        let nearest = place ?? Diagnostic.nearest(to: zone, among: known)
        return [
            Finding(
                "time-zone", at: ["timeZone"], "there is no time zone '\(PlainText.line(zone, limit: 60))'",
                hint: nearest.map { "did you mean '\($0)'?" } ?? "write it like Europe/Paris")
        ]
    }

    private static func event(_ with: CreateEventParameters, _ graph: GraphClient) -> Value {
        func moment(_ name: String, _ time: String) -> Value {
            var time = time
            // Graph requires seconds.
            if graph.plan != nil, UnknownTokens.isIn(time) {
                time = graph.plannedToken(
                    name, .text, computed: "if length == 16 then . + \":00\" else . end", from: .string(time))
            } else if time.utf8.count == 16 {
                time += ":00"
            }
            return ["dateTime": .string(time), "timeZone": .string(with.timeZone ?? "UTC")]
        }
        var event: Object = [
            "subject": .string(with.subject), "start": moment("start", with.start), "end": moment("end", with.end),
        ]
        if let text = with.body { event["body"] = ["contentType": "text", "content": .string(text)] }
        if let place = with.location { event["location"] = ["displayName": .string(place)] }
        if let people = with.attendees {
            event["attendees"] = .array(
                people.map { ["emailAddress": ["address": .string($0)], "type": "required"] })
        }
        if with.isAllDay { event["isAllDay"] = true }
        if with.isOnlineMeeting { event["isOnlineMeeting"] = true }
        return .object(event)
    }
}
