extension Workflow {
    /// An event that a task emits.
    ///
    /// Specification: dsl-reference.md, "Emit" and "Event Properties".
    package struct Emit: Sendable {
        /// The event's attributes and data, with their expressions.
        package var properties: Template
        package var literal: Object
    }
}

extension Workflow.Emit {
    init?(_ node: DocumentNode, _ decoding: Decoding) {
        guard decoding.check(node, is: "'emit'", known: ["event"], required: ["event"]), let event = node["event"],
            decoding.check(event, is: "an event", known: ["with"], required: ["with"]), let properties = event["with"]
        else { return nil }
        guard let literal = properties.value.object else {
            decoding.report(
                "type", "the event's 'with' must be an object, but this is \(properties.value.described)",
                at: properties.pointer)
            return nil
        }
        if !literal.contains("type") {
            decoding.report(
                "missing-property", "an event that is emitted needs the property 'type'", at: event.pointer)
        }
        decoding.checkEventAttributes(properties)
        guard let template = decoding.template(properties) else { return nil }
        self.init(properties: template, literal: literal)
    }
}

extension Decoding {
    /// Checks the types of an event's attributes, as far as they are literal.
    func checkEventAttributes(_ node: DocumentNode) {
        for (name, attribute) in node.members ?? [] where name != "data" {
            if ["source", "dataschema"].contains(name) {
                uri(attribute, "an event's '\(name)'")
            } else if ["id", "type", "time", "subject", "datacontenttype"].contains(name) {
                _ = string(attribute, "an event's '\(name)'")
            } else if !name.isEventAttribute {
                report(
                    "name", "'\(name)' cannot be the name of an event's attribute",
                    hint: "use lowercase letters and digits", at: attribute.pointer, part: .key)
            }
        }
    }
}

extension String {
    /// Whether CloudEvents 1.0 allows this as the name of an extension attribute.
    package var isEventAttribute: Bool {
        !isEmpty
            && utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
    }
}
