package import GraphModel
package import WorkflowModel

/// What is probably wrong with a request to Graph, as far as its model tells.
///
/// Graph grows each week, and the model is of one day: everything here is a warning.
package struct GraphFindings {
    package private(set) var all: [FunctionFinding] = []
    /// The address; nil if it is not in the model, or if an expression decides what it is.
    package private(set) var operation: GraphOperation?

    /// What stands for an expression in a path, and in a query's value.
    package static let unknown = "{x}"

    /// - Parameter places: Where the parts of the request are in what was given.
    package init(_ method: String, _ target: GraphTarget, _ body: Value?, at places: Places = Places()) {
        let address: GraphAddress
        do {
            address = try GraphAddress(target.path)
            operation = try GraphOperation(method, address)
        } catch let mistake as GraphAddress.Mistake {
            report(
                "graph-request", at: places.path,
                mistake.owner.map { "\($0.words) has no '\(PlainText.exact(mistake.segment, limit: 60))'" }
                    ?? "Microsoft Graph v1.0 has no '/\(PlainText.exact(mistake.segment, limit: 60))'",
                mistake.segment, among: mistake.known)
            return
        } catch let wrong as GraphOperation.WrongMethod {
            let shown = PlainText.exact("/\(target.path)", limit: 100)
            report(
                "graph-request", at: places.method,
                "'\(shown)' takes no \(method.uppercased())",
                hint: wrong.isRelation
                    ? "an object is added with POST '\(shown)/$ref'"
                    : wrong.known.isEmpty ? nil : "it takes \(wrong.known.quoted)")
            return
        } catch {}
        guard let operation else { return }
        if case .batch? = operation.address.segments.last?.role { checkRequests(of: body, at: places.body) }
        check(target.query, of: operation.response, at: places)
        if let body, !body.isNull, let request = operation.request { check(body, as: request, at: places.body) }
        if let body, !operation.parameters.isEmpty, operation.kind == .action {
            check(body, with: operation.parameters.map { ($0.name, $0.type) }, of: "the action", at: places.body)
        }
    }

    /// The requests of a batch are looked at like others.
    private mutating func checkRequests(of body: Value?, at place: [String]) {
        for (index, request) in (body?["requests"]?.array ?? []).enumerated() {
            guard let method = request["method"]?.literal, let url = request["url"]?.string,
                let target = GraphTarget(Template.text(url, replacingExpressionsBy: Self.unknown))
            else { continue }
            var places = Places()
            let own = place + ["requests", "\(index)"]
            (places.method, places.path, places.body) = (own + ["method"], own + ["url"], own + ["body"])
            places.option = { _ in own + ["url"] }
            all += GraphFindings(method, target, request["body"], at: places).all
        }
    }

    /// Where the parts of a request are.
    package struct Places: Sendable {
        package var method = ["method"], path = ["path"], body = ["body"]
        /// Where an option of the query is: its own place, or that of the path.
        package var option: @Sendable (String) -> [String] = { _ in ["path"] }

        package init() {}
    }

    private mutating func report(
        _ id: String, at place: [String], _ message: String, hint: String?
    ) {
        all.append(FunctionFinding(id, at: place, message, hint: hint, severity: .warning))
    }

    private mutating func report(
        _ id: String, at place: [String], _ message: String, _ word: String, among known: [String]
    ) {
        let word = String(word.prefix { $0 != "(" })
        let few = known.count <= Self.mostNamed && !known.isEmpty ? "there is \(known.quoted)" : nil
        report(id, at: place, message, hint: Diagnostic.didYouMean(word, among: known) ?? few)
    }

    /// More names are no help.
    private static let mostNamed = 20

    // MARK: Queries

    private mutating func check(_ query: GraphQuery, of response: GraphType?, at places: Places) {
        guard let response, let definition = response.definition, definition.kind != .enumeration else { return }
        for (option, paths) in [
            ("$select", query.selected ?? []), ("$orderby", query.ordered), ("$filter", query.filtered),
        ] {
            for path in paths { check(path, of: definition, option, at: places.option(option)) }
        }
        for (name, inner) in query.expanded where !Self.isFree(Substring(name)) {
            guard let member = definition.member(name) else {
                let names = definition.allMembers.filter { $0.kind != .property }.map(\.name)
                report(
                    "graph-property", at: places.option("$expand"),
                    "\(definition.words) has no '\(PlainText.exact(name, limit: 60))' ($expand)", name, among: names)
                continue
            }
            var all = places
            all.option = { _ in places.option("$expand") }
            check(inner, of: member.type, at: all)
        }
    }

    private mutating func check(
        _ path: [Substring], of definition: GraphDefinition, _ option: String, at place: [String]
    ) {
        var owner = definition
        for name in path where name != "$count" {
            guard !Self.isFree(name), !owner.isDictionary else { return }
            guard let member = owner.member(name) else {
                let names = owner.allMembers.map(\.name)
                report(
                    "graph-property", at: place,
                    "\(owner.words) has no '\(PlainText.exact(String(name), limit: 60))' (\(option))", String(name),
                    among: names)
                return
            }
            guard let next = member.type.definition else { return }
            owner = next
        }
    }

    /// Names that the model cannot know: of extensions, annotations and casts, and expressions.
    private static func isFree(_ name: Substring) -> Bool {
        name == "*" || name.contains { "_@.{‹".contains($0) } || UnknownTokens.isIn(String(name))
    }

    // MARK: Bodies

    private mutating func check(_ body: Value, as type: GraphType, at place: [String]) {
        if body.isComputed { return }
        if type.isList {
            guard let elements = body.array else {
                if !body.isNull { mistyped(body, type, at: place) }
                return
            }
            for (index, element) in elements.enumerated() {
                check(element, as: type.element, at: place + ["\(index)"])
            }
            return
        }
        guard let definition = type.definition else {
            if !body.isNull, !type.takes(body) { mistyped(body, type, at: place) }
            return
        }
        switch (definition.kind, body) {
        case (_, .null): return
        case (.enumeration, .string(let text)):
            let values = definition.isSet ? text.split(separator: ",").map { $0.trimmed } : [text]
            for value in values where !definition.values.contains(where: { $0.lowercased() == value.lowercased() }) {
                report(
                    "graph-value", at: place, "'\(PlainText.exact(value, limit: 60))' is no \(definition.name)", value,
                    among: definition.values)
            }
        case (.enumeration, _), (_, .string), (_, .bool), (_, .integer), (_, .double), (_, .array):
            mistyped(body, type, at: place)
        case (_, .object(let members)):
            let cast = GraphModel.plainName(members["@odata.type"]).flatMap { GraphModel.definition(named: $0) }
            let owner = cast ?? definition
            guard !owner.isDictionary else { return }
            for (name, value) in members where !Self.isFree(Substring(name)) {
                guard let member = owner.member(name) else {
                    unknownMember(name, of: owner.words, owner.allMembers.map(\.name), at: place)
                    continue
                }
                check(value, as: member.type, at: place + [name])
            }
        case (_, .marked): return
        }
    }

    private mutating func check(
        _ body: Value, with parameters: [(String, GraphType)], of owner: String, at place: [String]
    ) {
        guard let members = body.object else { return }
        for (name, value) in members where !Self.isFree(Substring(name)) {
            guard let parameter = parameters.first(where: { $0.0.lowercased() == name.lowercased() }) else {
                unknownMember(name, of: owner, parameters.map(\.0), at: place)
                continue
            }
            check(value, as: parameter.1, at: place + [name])
        }
    }

    private mutating func unknownMember(_ name: String, of owner: String, _ known: [String], at place: [String]) {
        report(
            "graph-property", at: place + [name], "\(owner) has no '\(PlainText.exact(name, limit: 60))'", name,
            among: known)
    }

    private mutating func mistyped(_ value: Value, _ type: GraphType, at place: [String]) {
        report(
            "graph-type", at: place, "Graph takes \(type.words) here, not \(value.typeName.article) \(value.typeName)",
            hint: nil)
    }
}

extension GraphType {
    /// With an article: `a user`, `a list of users`.
    var words: String { isList ? "a list of \(name)" : definition.map(\.words) ?? "\(name.article) \(name)" }

    /// Whether a value of JSON can stand for a primitive type; also a text that has its form.
    fileprivate func takes(_ value: Value) -> Bool {
        guard case .primitive(let primitive) = kind else { return true }
        if value.isComputed { return true }
        switch (primitive, value) {
        case (.any, _), (.stream, _), (_, .marked): return true
        case (.bool, .bool), (.int, .integer), (.double, .integer), (.double, .double): return true
        case (.int, .double(let number, _)): return number == number.rounded()
        case (.bool, .string(let text)): return ["true", "false"].contains(text)
        case (.int, .string(let text)): return Int(text) != nil
        case (.double, .string(let text)): return Double(text) != nil
        case (.int, _), (.bool, _), (.double, _): return false
        case (_, .string): return true
        default: return false
        }
    }
}

extension GraphDefinition {
    var words: String { "\(name.article) \(name)" }
}

extension String {
    fileprivate var article: String { lowercased().first.map { "aeio".contains($0) } == true ? "an" : "a" }
}
