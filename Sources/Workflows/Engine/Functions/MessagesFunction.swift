import Promises

extension Function {
    static let messages = Function(
        "messages", summary: "Finds messages in a mailbox, by words or by a filter.",
        input: FunctionSchema.object([
            "search": FunctionSchema.text("Words that the message has: invoice, or subject:invoice."),
            "filter": FunctionSchema.text("A filter of OData: isRead eq false."),
            "folder": FunctionSchema.text("A folder's id or well-known name: inbox. Default: all folders."),
            "select": [
                "type": "array", "items": FunctionSchema.text("The name of a property."), "uniqueItems": true,
                "description": "The properties to get; the id is always included.",
            ],
            "top": [
                "type": "integer", "minimum": 1, "maximum": 1000,
                "description": "How many messages at most; with 'all', how many per page. Default: 10.",
            ],
            "all": ["type": "boolean", "default": false, "description": "Whether to read all pages."],
            "user": FunctionSchema.user,
        ]),
        output: [
            "type": "array", "items": FunctionSchema.answer(required: ["id"], ["id": FunctionSchema.text("The id.")]),
            "description": "The messages, the newest first.",
        ],
        permissions: .messages, effect: .read,
        check: { with, _ in
            guard ["search", "filter"].allSatisfy({ !(with[$0]?.isNull ?? true) }) else { return [] }
            return [
                Finding(
                    pointer: JSONPointer(["filter"]), id: "messages-query",
                    message: "'search' and 'filter' cannot be given together, which Graph refuses",
                    hint: "use one of them, and choose among its messages by an expression")
            ]
        },
        body: { input, context in
            let arguments = try Arguments(input)
            let (search, filter) = (try arguments.text("search"), try arguments.text("filter"))
            guard search == nil || filter == nil else {
                throw FunctionError("Only one of search, filter can be given", at: .root)
            }
            return context.graph.messages(
                search: search, filter: filter, in: try arguments.text("folder"),
                select: try arguments.texts("select"), top: arguments["top"]?.integer,
                unknownTop: context.isPlanning ? arguments["top"]?.string : nil,
                all: try arguments.flag("all") ?? false, user: try arguments.text("user")
            ).map(on: nil) { .array($0) }
        })
}
