package import GraphModel
package import WorkflowData
package import WorkflowModel

/// A call of Graph as a file shows it: what is wrong with it, and what it answers.
package struct KnownGraphCall: Sendable {
    private let method: String
    private let path: String
    private let query: GraphQuery
    private let body: Value?
    private let isWhole: Bool
    private let places: GraphFindings.Places

    /// A `call: graph`; nil if it is not one of v1.0, or if an expression decides what it is.
    package init?(graph with: Value) {
        guard let path = with["path"]?.string, with["version"].map({ $0 == "v1.0" || $0.isNull }) ?? true else {
            return nil
        }
        var places = GraphFindings.Places()
        if with["method"] == nil { places.method = ["path"] }
        let given = with["query"]?.object ?? [:]
        let isSelected = with["select"] != nil
        places.option = { option in
            if option == "$select", isSelected { return ["select"] }
            return given.keys.first { $0.lowercased() == option }.map { ["query", $0] } ?? ["path"]
        }
        self.init(
            with["method"]?.string ?? "GET", path, given, select: with["select"], with["body"],
            isWhole: with["all"] == true, places)
    }

    /// A `call: http` to Graph; nil if it is none.
    package init?(http with: Value) {
        guard let method = with["method"]?.string,
            let address = with["endpoint"]?.string ?? with["endpoint"]?["uri"]?.string,
            with["output"].map({ $0 == "content" }) ?? true,
            let path = ["https://graph.microsoft.com/v1.0", "https://graph.microsoft.com:443/v1.0"].lazy.compactMap({
                address.hasPrefix($0) ? address.dropFirst($0.count) : nil
            }).first
        else { return nil }
        var places = GraphFindings.Places()
        places.path = ["endpoint"]
        let given = with["query"]?.object ?? [:]
        places.option = { option in
            given.keys.first { $0.lowercased() == option }.map { ["query", $0] } ?? ["endpoint"]
        }
        self.init(method, String(path), given, select: nil, with["body"], isWhole: false, places)
    }

    private init?(
        _ method: String, _ path: String, _ options: Object, select: Value?, _ body: Value?, isWhole: Bool,
        _ places: GraphFindings.Places
    ) {
        guard !method.contains("${"), !Template.isExpression(path) else { return nil }
        // A path may be given with its version, or as a whole address.
        var path = path.trimmingPrefix("https://graph.microsoft.com").drop { $0 == "/" }
        if path.hasPrefix("v1.0/") { path = path.dropFirst("v1.0/".count) }
        guard !path.contains("://") else { return nil }
        let parts = Template.text(String(path), replacingExpressionsBy: GraphFindings.unknown)
            .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var query = GraphQuery(parts.count > 1 ? parts[1] : "")
        for (name, value) in options { query[name] = value.optionText }
        if let select { query["$select"] = select.optionText }
        (self.method, self.path, self.query, self.body) = (method, String(parts[0]), query, body)
        (self.isWhole, self.places) = (isWhole, places)
    }

    private var known: GraphFindings { GraphFindings(method, path, query, body, at: places) }

    /// What the request is; nil if it is not known.
    package var operation: GraphOperation? { known.operation }
    /// The path after the version, with a mark for each expression.
    package var address: String { Template.text(path, replacingExpressionsBy: GraphFindings.unknown) }

    /// What an object in the body can have.
    /// - Parameter place: The place of the object in the body.
    package func members(inBody place: [String]) -> [(name: String, type: GraphType)] {
        type(inBody: place)?.definition?.allMembers.filter { $0.kind == .property || $0.type.isList }.map {
            ($0.name, $0.type)
        } ?? (place.isEmpty ? operation?.parameters ?? [] : [])
    }

    /// The values that a part of the body can have.
    package func values(inBody place: [String]) -> [String] { type(inBody: place)?.definition?.values ?? [] }

    private func type(inBody place: [String]) -> GraphType? {
        guard let operation else { return nil }
        var (type, isFirst) = (operation.request, true)
        for name in place where Int(name) == nil {
            let parameter = operation.parameters.first { $0.name.lowercased() == name.lowercased() }
            type = isFirst && type == nil ? parameter?.type : type?.definition?.member(name)?.type
            if type == nil { return nil }
            isFirst = false
        }
        return type
    }

    package var findings: [FunctionFinding] { known.all }

    /// The type of the answer; nil if the request is not known.
    var answer: DataType? {
        guard let operation = known.operation else { return nil }
        var source = DataType.Source("\(method.uppercased()) \(operation.address.path)")
        source.unasked = []
        return DataType(answerTo: operation, query, isWhole: isWhole, from: source)
    }
}

extension Value {
    /// An option of a query as text, with a mark for each expression.
    fileprivate var optionText: String {
        if let elements = array { return elements.map(\.optionText).joined(separator: ",") }
        return string.map { Template.text($0, replacingExpressionsBy: GraphFindings.unknown) } ?? json()
    }
}
