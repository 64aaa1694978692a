/// A list as Graph answers it: filtered, in pages, with selected properties.
struct SandboxList {
    /// The answer's context after `$metadata#`.
    var context: String
    var type: String
    var elements: [Object]
    /// The page size without `$top`, and its maximum.
    var pageSize = (usual: 100, largest: 999)
    var options: Set<String> = ["select", "top", "skiptoken"]
    /// Selectable properties, which an empty list does not reveal.
    var fields: Set<String> = []
    /// The properties without `$select`; nil for all.
    var usualFields: Set<String>?

    func answer(_ call: SandboxCall) throws(SandboxError) -> HTTPResponse {
        try call.target.checkOptions(options)
        var found = elements
        if let text = call.target.option("filter") {
            let filter = try SandboxFilter(parsing: text, on: type, hasField: hasField)
            found = found.filter { element in filter.matches { Self.member($0, of: element) } }
        }
        if let order = call.target.option("orderby") { try sort(&found, by: order) }
        let top = call.target.option("top").map { Int($0) } ?? pageSize.usual
        guard let top, (1...pageSize.largest).contains(top) else {
            throw .badRequest("Invalid page size specified: must be between 1 and \(pageSize.largest) inclusive.")
        }
        let usesSkip = options.contains("skip")
        let skipped =
            usesSkip
            ? call.target.option("skip").map { Int($0) } ?? 0
            : (call.target.option("skiptoken").map(SandboxPageToken.init) ?? SandboxPageToken())?.skipped
        guard let skipped, (0...max(0, usesSkip ? .max : found.count)).contains(skipped) else {
            throw .badRequest("The skip token is not valid.")
        }
        var page: [Value] = []
        for element in found.dropFirst(skipped).prefix(top) { page.append(.object(try select(element, call))) }
        var answer: Object = ["@odata.context": .string("https://graph.microsoft.com/v1.0/$metadata#\(context)")]
        if call.target.option("count")?.lowercased() == "true" { answer["@odata.count"] = .integer(found.count) }
        let end = skipped + page.count
        if end < found.count {
            answer["@odata.nextLink"] = .string(
                try usesSkip
                    ? call.link(replacing: "$skip", by: "\(end)")
                    : call.link(replacing: "$skiptoken", by: SandboxPageToken(skipped: end).text))
        }
        answer["value"] = .array(page)
        return SandboxState.json(answer)
    }

    func answer(only element: Object, _ call: SandboxCall, status: Int = 200) throws(SandboxError) -> HTTPResponse {
        try call.target.checkOptions(["select", "expand"])
        var answer: Object = [
            "@odata.context": .string("https://graph.microsoft.com/v1.0/$metadata#\(context)/$entity")
        ]
        for (name, value) in try select(element, call) { answer[name] = value }
        return SandboxState.json(answer, status: status)
    }

    private func select(_ element: Object, _ call: SandboxCall) throws(SandboxError) -> Object {
        guard let select = call.target.option("select") else {
            return usualFields.map { usual in element.filter { $0.key.hasPrefix("@") || usual.contains($0.key) } }
                ?? element
        }
        let names = select.split(separator: ",").map { $0.trimmed.lowercased() }
        for name in names where !hasField(name) && Self.member(name, of: element) == nil {
            throw GraphProperties.unknown(name, on: type)
        }
        return element.filter { $0.key.hasPrefix("@") || names.contains($0.key.lowercased()) }
    }

    private func sort(_ elements: inout [Object], by order: String) throws(SandboxError) {
        let words = order.split(separator: " ").map(String.init)
        guard let field = words.first, hasField(field) else {
            throw .badRequest("Unsupported sort property '\(order)'.", code: "Request_UnsupportedQuery")
        }
        func text(_ element: Object) -> String {
            let path = field.split(separator: "/")
            let member = path.dropFirst().reduce(Self.member(String(path[0]), of: element)) { $0?[String($1)] }
            return member?.string?.lowercased() ?? member?.integer.map { String(1_000_000_000_000 + $0) } ?? ""
        }
        elements.sort { text($0) < text($1) }
        if words.dropFirst().first?.lowercased() == "desc" { elements.reverse() }
    }

    private func hasField(_ name: String) -> Bool {
        let name = name.split(separator: "/").first.map { $0.lowercased() } ?? ""
        return fields.contains { $0.lowercased() == name }
            || elements.contains { Self.member(name, of: $0) != nil }
    }

    private static func member(_ name: String, of element: Object) -> Value? {
        element.first { $0.key.lowercased() == name.lowercased() }?.value
    }
}

extension SandboxTarget {
    private static let known: Set<String> = [
        "select", "top", "skip", "skiptoken", "filter", "search", "orderby", "count", "expand", "format", "deltatoken",
    ]

    /// Refuses unsupported OData options, in the service's words.
    /// - Parameter options: The supported ones, without the dollar sign.
    func checkOptions(_ options: Set<String> = known) throws(SandboxError) {
        for (name, _) in query where name.hasPrefix("$") {
            let word = name.dropFirst().lowercased()
            guard Self.known.contains(word) else {
                throw .badRequest("The query parameter '\(name)' is not supported.")
            }
            guard options.contains(word) else {
                throw .badRequest("'\(name)' is not supported by the service.", code: "Request_BadRequest")
            }
        }
    }
}
