extension Workflow {
    /// A wait for events.
    ///
    /// Specification: dsl-reference.md, "Listen" and "Subscription Iterator".
    package struct Listen: Sendable {
        package var events: EventConsumption
        package var reading: Reading
        package var iterator: Iterator?

        package enum Reading: String, Sendable, Hashable, CaseIterable {
            case data
            /// The whole event with its attributes.
            case envelope
            /// Its data as received, as text.
            case raw
        }

        package struct Iterator: Sendable {
            /// The variable that holds the event, without `$`.
            package var item: String
            /// The variable that holds the event's position from 0, without `$`.
            package var index: String
            package var tasks: [Task]
            package var output: Output
            package var export: Export
        }
    }
}

extension Workflow.Listen {
    init?(_ node: DocumentNode, _ decoding: Decoding) {
        guard let body = node["listen"],
            decoding.check(body, is: "'listen'", known: ["to", "read"], required: ["to"])
        else { return nil }
        let events = body["to"].flatMap { EventConsumption($0, decoding) }
        let reading = decoding.choice(body["read"], Reading.self, "'read'") ?? .data
        let iterator = node["foreach"].flatMap { Iterator($0, decoding) }
        guard let events, node["foreach"] == nil || iterator != nil else { return nil }
        self.init(events: events, reading: reading, iterator: iterator)
    }
}

extension Workflow.Listen.Iterator {
    init?(_ node: DocumentNode, _ decoding: Decoding) {
        guard decoding.check(node, is: "'foreach'", known: ["item", "at", "do", "output", "export"]) else { return nil }
        let tasks = node["do"].map { [Workflow.Task]($0, decoding) } ?? []
        let output = Output(node["output"], decoding)
        let export = Export(node["export"], decoding)
        guard let tasks else { return nil }
        self.init(
            item: decoding.variable(node["item"], default: "item", "the name of the event"),
            index: decoding.variable(node["at"], default: "index", "the name of the position"), tasks: tasks,
            output: output, export: export)
    }
}
