extension Workflow {
    /// The schemas of the workflow's own input and output.
    var ownSchemas: [Schema] { [input.schema, output.schema].compactMap(\.self) }
}

extension Workflow.Task {
    /// The schemas of the task's own data.
    var schemas: [Schema] {
        var schemas = [input.schema, output.schema, export.schema]
        if case .listen(let listen) = action {
            schemas += [listen.iterator?.output.schema, listen.iterator?.export.schema]
        }
        return schemas.compactMap(\.self)
    }

    /// Whether one of the schemas is on the network: asked for every task that is performed, so it makes no list.
    var readsSchemas: Bool {
        if input.schema.isOnNetwork || output.schema.isOnNetwork || export.schema.isOnNetwork { return true }
        guard case .listen(let listen) = action, let iterator = listen.iterator else { return false }
        return iterator.output.schema.isOnNetwork || iterator.export.schema.isOnNetwork
    }

    /// What the task's script is, where it lies elsewhere.
    var script: ExternalResource? {
        guard case .run(let process) = action, case .script(_, .resource(let resource), _) = process.kind else {
            return nil
        }
        return resource
    }

    /// Every authentication that the task names.
    var authentications: [Authentication.Reference] {
        var found = readsSchemas ? schemas.map(\.resource?.endpoint.authentication) : []
        switch action {
        case .call(let call): found += [call.authentication, call.documentAuthentication]
        case .run: found.append(script?.endpoint.authentication)
        default: break
        }
        return found.compactMap(\.self)
    }
}

extension Workflow.Call {
    /// How the document is asked for that describes the service of a call of `openapi`.
    var documentAuthentication: Authentication.Reference? { function == "openapi" ? endpoint?.authentication : nil }
}

extension Schema {
    /// Where the schema is on the network; nil for one that is known.
    var resource: ExternalResource? {
        if case .network(let resource) = source { resource } else { nil }
    }
}

extension Schema? {
    fileprivate var isOnNetwork: Bool {
        if case .network? = self?.source { true } else { false }
    }
}
