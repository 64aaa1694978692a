extension Workflow {
    /// Tasks that are performed once for each element of a collection.
    ///
    /// Specification: dsl-reference.md, "For".
    package struct For: Sendable {
        /// The variable that holds the element, without `$`.
        package var item: String
        /// The variable that holds the element's position from 0, without `$`.
        package var index: String
        /// The expression that returns the collection.
        package var collection: Expression
        /// The condition for continuing with the next element; nil for all elements.
        package var condition: Expression?
        package var tasks: [Task]
    }
}

extension Workflow.For {
    init?(_ node: DocumentNode, _ decoding: Decoding) {
        guard let loop = node["for"], let body = node["do"] else { return nil }
        let isWhole = decoding.check(loop, is: "'for'", known: ["each", "in", "at"], required: ["in"])
        let item = decoding.variable(loop["each"], default: "item", "the name of the element")
        let index = decoding.variable(loop["at"], default: "index", "the name of the position")
        if item == index {
            decoding.report(
                "name", "the element and its position cannot both be called '\(item)'",
                hint: "give one of them another name in 'each' or 'at'", at: loop.pointer)
        }
        let collection = decoding.expression(loop["in"], "a collection")
        let condition = decoding.expression(node["while"], "a condition")
        let tasks = [Workflow.Task](body, decoding)
        guard isWhole, let collection, let tasks, node["while"] == nil || condition != nil else { return nil }
        self.init(item: item, index: index, collection: collection, condition: condition, tasks: tasks)
    }
}
