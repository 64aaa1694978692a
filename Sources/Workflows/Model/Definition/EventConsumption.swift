/// Which events are waited for, and how many.
///
/// Specification: dsl-reference.md, "Event Consumption Strategy".
package indirect enum EventConsumption: Sendable {
    case one(EventFilter)
    /// Any of the events; once, or until something ends it.
    ///
    /// Without filters, every event.
    case any([EventFilter], until: Until?)
    /// Each of the events once, in any order.
    case all([EventFilter])

    /// What ends the wait for any of the events.
    package enum Until: Sendable {
        /// A condition on the events so far, evaluated after each event.
        case condition(Expression)
        /// Other events, which are not part of the result.
        case events(EventConsumption)
    }
}

/// A filter for events.
///
/// Specification: dsl-reference.md, "Event Filter" and "Correlation".
package struct EventFilter: Sendable {
    /// The patterns of attributes and of the data, by name.
    package var attributes: [(name: String, pattern: EventPattern)]
    /// The attributes as the file has them, with their expressions.
    package var properties: Template
    /// What must be equal in the event and in the workflow's data, by name.
    package var correlations: [(name: String, correlation: Correlation)]

    /// A value that an event shares with the workflow's data, or with the events before it.
    package struct Correlation: Sendable {
        package var from: Expression
        /// The expected value; nil for the value of the first event.
        package var expect: Template?
    }
}

extension EventConsumption {
    private static let strategies = ["all", "any", "one"]

    init?(_ node: DocumentNode, _ decoding: Decoding, isNested: Bool = false) {
        guard decoding.check(node, is: "a choice of events", known: Self.strategies + (isNested ? [] : ["until"]))
        else {
            return nil
        }
        let given = Self.strategies.filter { node[$0] != nil }
        guard let strategy = given.first, given.count == 1, let body = node[strategy] else {
            decoding.report(
                "event-strategy", "a choice of events must have one of \(Self.strategies.quoted)", at: node.pointer)
            return nil
        }
        if let until = node["until"], strategy != "any" {
            decoding.report(
                "event-strategy", "'until' belongs to 'any', not to '\(strategy)'", at: until.pointer, part: .key)
        }
        switch strategy {
        case "one":
            guard let filter = EventFilter(body, decoding) else { return nil }
            self = .one(filter)
        case "all":
            guard let filters = Self.filters(body, decoding) else { return nil }
            self = .all(filters)
        default:
            guard let filters = Self.filters(body, decoding) else { return nil }
            let until = node["until"].map { Until($0, decoding) }
            if case .some(.none) = until { return nil }
            self = .any(filters, until: until ?? nil)
        }
    }

    private static func filters(_ node: DocumentNode, _ decoding: Decoding) -> [EventFilter]? {
        guard let elements = node.elements else {
            decoding.report(
                "type", "the events must be an array, but this is \(node.value.described)", at: node.pointer)
            return nil
        }
        let filters = elements.compactMap { EventFilter($0, decoding) }
        return filters.count == elements.count ? filters : nil
    }
}

extension EventConsumption.Until {
    init?(_ node: DocumentNode, _ decoding: Decoding) {
        if node.value.string != nil {
            guard let condition = decoding.expression(node, "a condition") else { return nil }
            self = .condition(condition)
        } else {
            guard let events = EventConsumption(node, decoding, isNested: true) else { return nil }
            self = .events(events)
        }
    }
}

extension EventFilter {
    init?(_ node: DocumentNode, _ decoding: Decoding) {
        guard decoding.check(node, is: "an event filter", known: ["with", "correlate"], required: ["with"]),
            let with = node["with"]
        else { return nil }
        guard with.value.object?.isEmpty == false else {
            decoding.report(
                "type", "an event filter's 'with' must be an object with at least one attribute", at: with.pointer)
            return nil
        }
        decoding.checkEventAttributes(with)
        guard let template = decoding.template(with, mode: .strict),
            case .object(let attributes)? = try? EventPattern(with.value)
        else { return nil }
        var correlations: [(name: String, correlation: Correlation)] = []
        if let correlate = node["correlate"] {
            guard let members = correlate.members else {
                decoding.report(
                    "type", "'correlate' must be an object, but this is \(correlate.value.described)",
                    at: correlate.pointer)
                return nil
            }
            for (name, node) in members {
                guard decoding.check(node, is: "a correlation", known: ["from", "expect"], required: ["from"]),
                    let from = decoding.expression(node["from"], "what is taken from the event")
                else { return nil }
                correlations.append((name, Correlation(from: from, expect: decoding.template(node["expect"]))))
            }
        }
        self.init(attributes: attributes, properties: template, correlations: correlations)
    }
}
