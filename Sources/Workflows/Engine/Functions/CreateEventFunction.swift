import Essentials
import Promises

extension Function {
    static let createEvent = Function(
        "createEvent", summary: "Puts an event into a calendar, and invites people: once for each run and task.",
        input: FunctionSchema.object(
            required: ["subject", "start", "end"],
            [
                "subject": FunctionSchema.text("The subject."),
                "start": time("When it begins: 2026-12-01T09:00."),
                "end": time("When it ends."),
                "timeZone": FunctionSchema.text("The time zone of both: Europe/Paris. Default: UTC."),
                "isAllDay": ["type": "boolean", "default": false, "description": "Whether it lasts whole days."],
                "attendees": FunctionSchema.addresses("Who is invited, by address."),
                "location": FunctionSchema.text("Where it is."),
                "body": FunctionSchema.text("What it is about, as plain text.", minLength: 0),
                "isOnlineMeeting": [
                    "type": "boolean", "default": false, "description": "Whether people meet online.",
                ],
                "user": FunctionSchema.user,
            ]),
        output: FunctionSchema.answer(
            required: ["id"],
            [
                "id": FunctionSchema.text("The event's id."),
                "webLink": FunctionSchema.text("The address of the event in Outlook."),
            ]),
        permissions: .calendars, effect: .idempotent
    ) { input, context in
        let arguments = try Arguments(input)
        return context.graph.createEvent(
            try event(arguments, context.graph), transactionID: context.transactionID ?? context.graph.ids(),
            user: try arguments.text("user"))
    }

    private static func time(_ description: String) -> Value {
        [
            "type": "string", "pattern": #"^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$"#,
            "description": .string("\(description) Without an offset: see timeZone."),
        ]
    }

    private static func event(_ arguments: Arguments, _ graph: GraphClient) throws(FunctionError) -> Value {
        let zone = Value.string(try arguments.text("timeZone") ?? "UTC")
        func moment(_ name: String) throws(FunctionError) -> Value {
            var time = try arguments.required(name)
            // Graph wants seconds.
            if graph.plan != nil, UnknownTokens.isIn(time) {
                time = graph.plannedToken(
                    name, .text, computed: "if length == 16 then . + \":00\" else . end", from: .string(time))
            } else if time.utf8.count == 16 {
                time += ":00"
            }
            return ["dateTime": .string(time), "timeZone": zone]
        }
        var event: Object = [
            "subject": .string(try arguments.required("subject")), "start": try moment("start"),
            "end": try moment("end"),
        ]
        if let text = try arguments.text("body") {
            event["body"] = ["contentType": "text", "content": .string(text)]
        }
        if let place = try arguments.text("location") { event["location"] = ["displayName": .string(place)] }
        let people = try arguments.texts("attendees")
        if !people.isEmpty {
            event["attendees"] = .array(
                people.map { ["emailAddress": ["address": .string($0)], "type": "required"] })
        }
        for name in ["isAllDay", "isOnlineMeeting"] where try arguments.flag(name) == true { event[name] = true }
        return .object(event)
    }
}
