final class ResourceStore: Sendable {
    /// The maximum number of kept documents, because a loop can compute any number of addresses.
    private static let capacity = 32

    private let resources = Locked<[ResourceAddress: any Sendable]>([:])

    /// The resource at an address; nil for a network resource in a plan, which sends no requests.
    func resource<Resource: Sendable>(
        at address: ResourceAddress, _ context: FunctionContext, _ read: @escaping @Sendable (Data) throws -> Resource
    ) -> Promise<Resource?> {
        if let known = resources.withLock({ $0[address] as? Resource }) { return .value(known) }
        return Self.load(address, context).map(on: nil) { bytes in
            guard let bytes else { return nil }
            let resource = try read(bytes)
            self.resources.withLock { resources in
                if resources.count >= Self.capacity { resources.removeAll() }
                resources[address] = resource
            }
            return resource
        }
    }

    /// The bytes of a resource; nil for a network resource that a plan does not read; plans pin all others.
    private static func load(_ address: ResourceAddress, _ context: FunctionContext) -> Promise<Data?> {
        switch address {
        case .file(let path):
            do {
                return .value(try context.files.contents(of: path))
            } catch {
                return Promise(error: error)
            }
        case .network(let url):
            var call = HTTPCall(method: "get", request: HTTPRequest("GET", url))
            // A document may have moved.
            call.acceptsRedirects = true
            var context = context
            context.authorization = context.resourceAuthorization
            let exchange = HTTPExchange(
                call, context, name: "resource", unknown: "resource", largestAnswer: Document.sizeLimit)
            return exchange.content().map(on: nil) { [watch = context.files.watch] response in
                guard !exchange.isPlanned(response) else {
                    watch?.leaveOut(document: address.shown)
                    return nil
                }
                try watch?.take(response.body, of: address.name)
                return response.body
            }
        }
    }
}
