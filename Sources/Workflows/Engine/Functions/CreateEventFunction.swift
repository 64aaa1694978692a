private struct CreateEventParameters: FunctionParameters {
    private static let time: Object = [
        "type": "string", "pattern": .string(CalendarTime.pattern), "examples": ["2026-12-01T09:00"],
    ]

    @Parameter("The subject.") var subject: String
    @Parameter(
        "When it begins: 2026-12-01T09:00, with an offset such as +01:00 or Z, or without: see timeZone. A date alone is "
            + "midnight.",
        schema: time)
    var start: String
    @Parameter("When it ends, in the same forms.", schema: time) var end: String
    @Parameter("The time zone of the event: Europe/Paris. Default: UTC.") var timeZone: String?
    @Parameter("Whether it lasts whole days: from midnight to a later midnight.") var isAllDay = false
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
        check: { with, _ in
            timeFindings(in: with) + Finding.addresses(in: with["attendees"], at: JSONPointer(["attendees"]))
        },
        body: { with, context in
            // What was computed is checked like what the file says.
            if let finding = timeFindings(in: with.argument).first { throw FunctionError(finding) }
            return context.graph.eventAnswer(
                event(with, context.graph), transactionID: context.transactionID ?? context.graph.ids(),
                user: with.user)
        })

    /// Finds dates and time zones that do not exist, and times that Graph does not accept together.
    private static func timeFindings(in with: Value) -> [Finding] {
        // Nil if it is computed.
        let zone = with["timeZone"].map { $0.isNull ? "UTC" : $0.literal } ?? "UTC"
        var findings: [Finding] = []
        var times: [String: (time: CalendarTime, zone: String)] = [:]
        func find(_ name: String, _ message: String, hint: String) {
            findings.append(Finding("time", at: [name], message, hint: hint))
        }
        for name in ["start", "end"] {
            guard let text = with[name]?.literal, CalendarTime.hasForm(text) else { continue }
            guard let time = CalendarTime(text) else {
                find(name, "there is no such time as '\(text)'", hint: "write it like 2026-12-01T09:00")
                continue
            }
            // A time without an offset is the same in any zone.
            guard time.offset == nil || zone.map({ !UnknownTokens.isIn($0) }) == true else { continue }
            times[name] = time.local(in: zone ?? "")
        }
        let isAllDay = with["isAllDay"] == true
        for name in ["start", "end"] where isAllDay {
            guard let given = times[name], !given.time.isMidnight else { continue }
            let shown = given.zone.isEmpty ? given.time.text : "\(given.time.text) in \(given.zone)"
            find(
                name, "an all-day event begins and ends at midnight, but its \(name) is \(shown)",
                hint: "write the date alone: 2026-12-01")
        }
        if let start = times["start"], let end = times["end"], findings.isEmpty {
            if start.zone == end.zone, end.time < start.time {
                find("end", "the event ends before it begins", hint: "swap 'start' and 'end'")
            } else if isAllDay, start.zone != end.zone || !end.time.isDayAfter(start.time) {
                find(
                    "end", "an all-day event ends at midnight at least a day after it begins, in the same time zone",
                    hint: "write the day after its last day")
            }
        }
        return findings + zoneFindings(in: with)
    }

    /// Finds a time zone that does not exist; Graph also accepts Windows names, which contain blanks.
    private static func zoneFindings(in with: Value) -> [Finding] {
        guard let zone = with["timeZone"]?.literal, !zone.contains(" "), !UnknownTokens.isIn(zone),
            (try? SystemTimeZone(identifier: zone)) == nil
        else { return [] }
        let known = SystemTimeZone.identifiers
        // Without a time zone database nothing can be checked.
        guard known.count > 1 else { return [] }
        let place = known.first { $0.lowercased().hasSuffix("/\(zone.lowercased())") }
        let nearest = place ?? Diagnostic.nearest(to: zone, among: known)
        return [
            Finding(
                "time-zone", at: ["timeZone"], "there is no time zone '\(PlainText.exact(zone, limit: 60))'",
                hint: nearest.map { "did you mean '\($0)'?" } ?? "write it like Europe/Paris")
        ]
    }

    private static func event(_ with: CreateEventParameters, _ graph: GraphClient) -> Value {
        let zone = with.timeZone ?? "UTC"
        func moment(_ name: String, _ text: String) -> Value {
            guard let time = CalendarTime(text), time.offset == nil || !UnknownTokens.isIn(zone) else {
                let token = graph.plannedToken(
                    name, .text, computed: Derivation.calendarTime, from: [.string(text), .string(zone)])
                return ["dateTime": .string(token), "timeZone": .string(zone)]
            }
            let local = time.local(in: zone)
            return ["dateTime": .string(local.time.text), "timeZone": .string(local.zone)]
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
