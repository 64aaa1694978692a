import Essentials
import Promises

/// The resources that a run has read, so that none is read twice.
final class ResourceStore: Sendable {
    /// How many documents are kept: addresses computed in a loop must not fill the memory.
    private static let capacity = 32

    private let resources = Locked<[ResourceAddress: any Sendable]>([:])

    /// The resource at an address; nil in a plan for one on the network, from which a plan reads nothing.
    /// - Parameters:
    ///   - address: Where the resource is.
    ///   - context: What it is read with.
    ///   - read: Decodes the bytes.
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

    /// The bytes of a resource; nil for one on the network that a plan does not read.
    ///
    /// What a plan reads is pinned by its digest, wherever it is.
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
