extension Workflow {
    /// The least-privileged delegated permissions that the workflow's calls need, in the order of the file.
    /// - Parameter catalog: The functions that it may call.
    public func neededScopes(catalog: Catalog = .default) -> [String] {
        neededPermissions(catalog: catalog).delegated
    }

    /// The least-privileged permissions that the workflow's calls need, as far as the file shows them.
    /// - Parameter catalog: The functions that it may call.
    public func neededPermissions(catalog: Catalog = .default) -> Permissions {
        var all = Permissions()
        forEachCall(catalog) { _, _, call in
            catalog[call.function].map { all.formUnion($0.permissions(for: call.literal)) }
        }
        for source in changes { source.permissions.map { all.formUnion($0) } }
        return Permissions(delegated: all.delegated.least, application: all.application.least)
    }

    /// Reports the tasks that an application cannot perform because they need a signed-in user.
    package func findingsForApplication(catalog: Catalog = .default) -> [Diagnostic] {
        var findings: [Diagnostic] = []
        forEachCall(catalog) { workflow, task, call in
            let requests = catalog[call.function]?.requests?(call.literal) ?? []
            guard requests.contains(where: { GraphClient.needsUser(path: $0.path) }) else { return }
            let hint =
                call.function == Function.graph.name
                ? "write '/users/NAME' instead of '/me'" : "name the user: 'with: { user: NAME }'"
            findings.append(
                workflow.document.diagnostic(
                    id: "needs-user", "'\(task.name)' is about the signed-in user, but an application has none",
                    hint: hint, at: task.reference))
        }
        for source in changes where GraphClient.needsUser(path: String(source.deltaPath.dropFirst())) {
            findings.append(
                document.diagnostic(
                    id: "needs-user", "'\(source.resource)' is about the signed-in user, but an application has none",
                    hint: "write '/users/NAME' instead of '/me'", at: source.place.appending("resource")))
        }
        return findings
    }

    /// Visits the calls of the workflow, of the workflows it runs and of its function files, each once.
    private func forEachCall(_ catalog: Catalog, _ visit: (Workflow, Task, Call) -> Void) {
        var open = Array(([self] + referencedWorkflows).reversed())
        var read: Set<String> = []
        while let workflow = open.popLast() {
            for task in workflow.allTasks {
                guard case .call(let call) = task.action, workflow.components.functions[call.function] == nil
                else { continue }
                if let source = call.source, let address = source.literal, read.insert(address).inserted,
                    let function = try? ExternalFunction.beside(workflow.files, source, catalog)
                {
                    open.append(function.workflow)
                }
                visit(workflow, task, call)
            }
        }
    }

    /// Whether a call needs a token, even if its permissions are unknown.
    package var needsToken: Bool {
        !neededScopes().isEmpty
            || ([self] + referencedWorkflows).flatMap(\.allTasks).contains { task in
                guard case .call(let call) = task.action else { return false }
                let isOpen = call.encodedArguments != nil || call.function == Function.takeBackName
                return isOpen && components.functions[call.function] == nil
            }
    }
}

extension ChangeSource {
    /// The least-privileged permissions for its requests; nil if they are not known.
    package var permissions: Permissions? {
        GraphClient.permissions(of: "GET", path: String(deltaPath.dropFirst()))
    }
}

extension Function {
    /// The requests of a call with these arguments, as far as the file shows them; nil if that is not known.
    package func expectedRequests(_ arguments: Value) -> [ExpectedRequest]? { requests?(arguments) }

    /// The permissions of a call with these arguments, as far as the file shows them.
    package func permissions(for arguments: Value) -> Permissions {
        if name == Function.graph.name, let given = GraphCall.permissions(of: arguments) { return given }
        return requests?(arguments).permissions ?? permissions
    }
}

/// A request of a call as the file shows it, with `x` for computed parts.
package struct ExpectedRequest: Sendable {
    typealias OfArguments = @Sendable (Value) -> [ExpectedRequest]

    package let method: String
    /// The path after the service's base address, with its query.
    package let path: String
    let body: Value?
    /// Whether it is a request to beta, of which nothing is known.
    var isBeta = false

    init(_ method: String, _ path: String, _ body: Value? = nil) {
        (self.method, self.path, self.body) = (method, path, body)
    }

    var permissions: Permissions? { isBeta ? nil : GraphClient.permissions(of: method, path: path, body) }
}

extension [ExpectedRequest] {
    var permissions: Permissions {
        var all = Permissions()
        for request in self { request.permissions.map { all.formUnion($0) } }
        return all
    }
}

extension Value {
    /// The start of a path: the user that a call names, or the signed-in one.
    var userPath: String { self["user"].map { $0.isNull ? "me" : "users/x" } ?? "me" }

    /// The given query options with these names, with a question mark before them.
    func queryOptions(_ names: [String]) -> String {
        let given = names.compactMap { name in
            self[name].flatMap { $0.isNull ? nil : "$\(name)=\($0.textInQuery)" }
        }
        return given.isEmpty ? "" : "?" + given.joined(separator: "&")
    }

    /// A list with commas, or a text without its expressions, percent-encoded.
    var textInQuery: String {
        let text = array.map { $0.map { $0.literal ?? "x" }.joined(separator: ",") } ?? string ?? json()
        return Template.text(text, replacingExpressionsBy: "x").percentEncoded()
    }
}
