extension Workflow {
    /// The least-privileged delegated permissions that the workflow's calls need, in the order of the file.
    ///
    /// - Parameter catalog: The functions that it may call.
    public func neededScopes(catalog: Catalog = .default) -> [String] {
        var scopes: [String] = []
        var open = [self]
        var read: Set<String> = []
        while let workflow = open.popLast() {
            for task in workflow.allTasks {
                guard case .call(let call) = task.action, workflow.components.functions[call.function] == nil
                else { continue }
                if let source = call.source, let address = source.literal, read.insert(address).inserted,
                    let function = try? ExternalFunction.beside(workflow.folder, source, catalog)
                {
                    open.append(function.workflow)
                }
                for scope in catalog[call.function]?.permissions(for: call.literal).delegated ?? []
                where !scopes.contains(scope) {
                    scopes.append(scope)
                }
            }
        }
        return scopes
    }

    /// Whether a call of it needs a token, also where the permissions are not known.
    package var needsToken: Bool {
        !neededScopes().isEmpty
            || allTasks.contains { task in
                guard case .call(let call) = task.action else { return false }
                return call.encodedArguments != nil && components.functions[call.function] == nil
            }
    }
}

extension Function {
    /// The permissions of a call with these arguments: another user needs more than the signed-in one.
    func permissions(for arguments: Value) -> Permissions {
        if name == Function.graph.name { return GraphCall.permissions(of: arguments) ?? permissions }
        let isAboutAnother = arguments["user"].map { !$0.isNull } ?? false
        return permissions == .me && isAboutAnother ? .users : permissions
    }
}
