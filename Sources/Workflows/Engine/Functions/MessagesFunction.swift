private struct MessagesParameters: FunctionParameters {
    @Parameter("Words that the message has: invoice, or subject:invoice.") var search: String?
    @Parameter("A filter of OData: isRead eq false.") var filter: String?
    @Parameter("A folder's id or well-known name: inbox. Default: all folders.") var folder: String?
    @Parameter("The properties to get; the id is always included.", schema: FunctionSchema.names) var select: [String]?
    @Parameter(
        "How many messages at most; with 'all', how many per page. Default: 10.",
        schema: FunctionSchema.number(upTo: 1000))
    var top: Value?
    @Parameter("Whether to read all pages.") var all = false
    @Parameter(FunctionSchema.user) var user: String?
}

extension Function {
    static let messages = Function(
        "messages", summary: "Finds messages in a mailbox, by words or by a filter.",
        input: MessagesParameters.self,
        output: [
            "type": "array", "items": FunctionSchema.answer(required: ["id"], ["id": FunctionSchema.text("The id.")]),
            "description": "The messages, the newest first.",
        ],
        requests: {
            [ExpectedRequest("GET", $0.userPath + "/messages" + $0.queryOptions(["select", "search", "filter"]))]
        },
        effect: .read,
        exclusive: Exclusive(
            "messages-query", ["search", "filter"],
            hint: "use one of them, and select from its messages with an expression: Graph refuses both together"),
        body: { with, context in
            context.graph.messageList(
                search: with.search, filter: with.filter, in: with.folder, select: with.select ?? [],
                top: with.top?.integer, unknownTop: with.top?.string, all: with.all,
                user: with.user
            ).map(on: nil) { .array($0) }
        })
}
