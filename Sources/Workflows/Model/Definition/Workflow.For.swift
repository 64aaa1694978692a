extension Workflow {
    /// Tasks that are performed once for each element of a collection.
    ///
    /// Specification: dsl-reference.md, "For".
    package struct For: Sendable {
        /// The variable that holds the element, without `$`.
        package var item: String
        /// The variable that holds the element's position from 0, without `$`.
        package var index: String
        package var collection: Collection
        /// The condition for continuing with the next element; nil for all elements.
        package var condition: Expression?
        package var tasks: [Task]

        package enum Collection: Sendable {
            case expression(Expression)
            /// An array in the file, with the expressions in it.
            case elements(Template, shown: String)
        }
    }
}

extension Workflow.For.Collection {
    package var expression: Expression? {
        if case .expression(let expression) = self { expression } else { nil }
    }

    package var shown: String {
        switch self {
        case .expression(let expression): expression.shown
        case .elements(_, let shown): shown
        }
    }

    fileprivate init?(_ node: DocumentNode, _ decoding: Decoding) {
        guard let elements = node.elements else {
            guard let expression = decoding.expression(node, "a collection") else { return nil }
            self = .expression(expression)
            return
        }
        for element in elements where element.value.object == nil {
            decoding.report(
                "type", "an element of 'in' must be an object, but this is \(element.value.described)",
                hint: "write other elements as an expression, such as ${ [1, 2, 3] }", at: element.pointer)
        }
        guard let template = decoding.template(node) else { return nil }
        self = .elements(template, shown: PlainText.exact(node.value.json(), limit: 100))
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
        let collection = loop["in"].flatMap { Collection($0, decoding) }
        let condition = decoding.expression(node["while"], "a condition")
        let tasks = [Workflow.Task](body, decoding)
        guard isWhole, let collection, let tasks, node["while"] == nil || condition != nil else { return nil }
        self.init(item: item, index: index, collection: collection, condition: condition, tasks: tasks)
    }
}
