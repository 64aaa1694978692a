package import GraphModel
package import WorkflowData
package import WorkflowModel

/// A call of Graph as a file shows it: what is wrong with it, and what it answers.
package struct KnownGraphCall: Sendable {
    private let method: String
    private let target: GraphTarget
    private let body: Value?
    private let isWhole: Bool
    private let places: GraphFindings.Places
    /// What the request is; nil if it is not known.
    package let operation: GraphOperation?

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
            with["output"].map({ $0 == "content" }) ?? true, GraphTarget(address)?.isWholeAddress == true
        else { return nil }
        var places = GraphFindings.Places()
        places.path = ["endpoint"]
        let given = with["query"]?.object ?? [:]
        places.option = { option in
            given.keys.first { $0.lowercased() == option }.map { ["query", $0] } ?? ["endpoint"]
        }
        self.init(method, address, given, select: nil, with["body"], isWhole: false, places)
    }

    private init?(
        _ method: String, _ path: String, _ options: Object, select: Value?, _ body: Value?, isWhole: Bool,
        _ places: GraphFindings.Places
    ) {
        guard !method.contains("${"), !Template.isExpression(path),
            var target = GraphTarget(Template.text(path, replacingExpressionsBy: GraphFindings.unknown))
        else { return nil }
        for (name, value) in options { target.query[name] = value.optionText }
        if let select { target.query["$select"] = select.optionText }
        (self.method, self.target, self.body) = (method, target, body)
        (self.isWhole, self.places) = (isWhole, places)
        operation = (try? GraphAddress(target.path)).flatMap { try? GraphOperation(method, $0) }
    }

    /// The path after the version and its query, with a mark for each expression.
    package var address: String { target.text }

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

    package var findings: [FunctionFinding] { GraphFindings(method, target, body, at: places).all }

    /// The type of the answer; nil if the request is not known.
    var answer: DataType? {
        guard let operation else { return nil }
        var source = DataType.Source("\(operation.method) \(operation.address.path)")
        source.unasked = []
        return DataType(answerTo: operation, target.query, isWhole: isWhole, from: source)
    }
}

extension Value {
    /// An option of a query as text, with a mark for each expression.
    fileprivate var optionText: String {
        if let elements = array { return elements.map(\.optionText).joined(separator: ",") }
        return string.map { Template.text($0, replacingExpressionsBy: GraphFindings.unknown) } ?? json()
    }
}
