extension Workflow {
    /// The least-privileged delegated permissions that the workflow's calls need, in the order of the file.
    ///
    /// - Parameter catalog: The functions that it may call.
    public func neededScopes(catalog: Catalog = .default) -> [String] {
        var scopes: [String] = []
        for task in allTasks {
            guard case .call(let call) = task.action, components.functions[call.function] == nil,
                let function = catalog[call.function]
            else { continue }
            for scope in function.permissions(for: call.literal).delegated where !scopes.contains(scope) {
                scopes.append(scope)
            }
        }
        return scopes
    }
}

extension Function {
    /// The permissions of a call with these arguments: another user needs more than the signed-in one.
    func permissions(for arguments: Value) -> Permissions {
        let isAboutAnother = arguments["user"].map { !$0.isNull } ?? false
        return permissions == .me && isAboutAnother ? .users : permissions
    }
}
