import Foundation
import Promises

/// What a run read of resources, so that nothing is read twice.
final class ResourceStore: Sendable {
    /// How many documents are kept; whoever computes addresses in a loop must not fill the memory.
    private static let capacity = 32

    private let documents = Locked<[ResourceAddress: OpenAPIDocument]>([:])

    /// The OpenAPI document at an address; nil in a plan, which reads nothing from the network.
    func openAPI(at address: ResourceAddress, _ context: FunctionContext) -> Promise<OpenAPIDocument?> {
        if let known = documents.withLock({ $0[address] }) { return .value(known) }
        return Self.load(address, context).map(on: nil) { bytes in
            guard let bytes else { return nil }
            let document = try OpenAPIDocument(bytes, at: address)
            self.documents.withLock { documents in
                if documents.count >= Self.capacity { documents.removeAll() }
                documents[address] = document
            }
            return document
        }
    }

    /// The bytes of a resource; nil in a plan for one on the network.
    static func load(_ address: ResourceAddress, _ context: FunctionContext) -> Promise<Data?> {
        switch address {
        case .file(let path):
            do {
                return .value(try context.files.contents(of: path))
            } catch {
                return Promise(error: error)
            }
        case .network(let url):
            var call = HTTPCall(method: "get", request: HTTPRequest("GET", url))
            // A document that has moved is still the document.
            call.acceptsRedirects = true
            var context = context
            context.authorization = context.resourceAuthorization
            let exchange = HTTPExchange(call, context, name: "resource", largestAnswer: Document.sizeLimit)
            return exchange.content().map(on: nil) { exchange.isPlanned($0) ? nil : $0.body }
        }
    }
}
