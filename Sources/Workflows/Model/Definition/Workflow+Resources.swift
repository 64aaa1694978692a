extension Workflow {
    package var ownSchemas: [Schema] { [input.schema, output.schema].compactMap(\.self) }
}

extension Workflow.Task {
    package var schemas: [Schema] {
        var schemas = [input.schema, output.schema, export.schema]
        if case .listen(let listen) = action {
            schemas += [listen.iterator?.output.schema, listen.iterator?.export.schema]
        }
        return schemas.compactMap(\.self)
    }

    /// Whether one of the schemas is on the network.
    ///
    /// Called for every performed task, so it builds no list.
    package var readsSchemas: Bool {
        if input.schema.isOnNetwork || output.schema.isOnNetwork || export.schema.isOnNetwork { return true }
        guard case .listen(let listen) = action, let iterator = listen.iterator else { return false }
        return iterator.output.schema.isOnNetwork || iterator.export.schema.isOnNetwork
    }

    var script: ExternalResource? {
        guard case .run(let process) = action, case .script(_, .resource(let resource), _) = process.kind else {
            return nil
        }
        return resource
    }

    var endpoints: [Endpoint] {
        var found = readsSchemas ? schemas.map(\.resource?.endpoint) : []
        switch action {
        case .call(let call): found += [call.endpoint, call.source?.endpoint]
        case .run: found.append(script?.endpoint)
        default: break
        }
        return found.compactMap(\.self)
    }

    var authentications: [Authentication.Reference] {
        var found = readsSchemas ? schemas.map(\.resource?.endpoint.authentication) : []
        switch action {
        case .call(let call):
            found += [call.authentication, call.documentAuthentication, call.source?.endpoint.authentication]
        case .run: found.append(script?.endpoint.authentication)
        default: break
        }
        return found.compactMap(\.self)
    }
}

extension Workflow.Call {
    /// How the request for the document of an `openapi` call authenticates.
    package var documentAuthentication: Authentication.Reference? {
        function == "openapi" ? endpoint?.authentication : nil
    }
}

extension Schema {
    package var resource: ExternalResource? {
        if case .network(let resource) = source { resource } else { nil }
    }
}

extension Schema? {
    fileprivate var isOnNetwork: Bool {
        if case .network? = self?.source { true } else { false }
    }
}
