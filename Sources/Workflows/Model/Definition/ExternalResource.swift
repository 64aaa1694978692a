/// A resource outside the document: a file next to the workflow, or an address on the network.
///
/// Specification: dsl-reference.md, "External Resource".
package struct ExternalResource: Sendable {
    package var name: String?
    package var endpoint: Endpoint

    package init(name: String? = nil, endpoint: Endpoint) { (self.name, self.endpoint) = (name, endpoint) }
}

extension ExternalResource {
    init?(_ node: DocumentNode, _ decoding: Decoding) {
        guard decoding.check(node, is: "a resource", known: ["name", "endpoint"], required: ["endpoint"]) else {
            return nil
        }
        let name = decoding.string(node["name"], "a resource's name")
        guard let endpoint = node["endpoint"].flatMap({ Endpoint($0, isRelative: true, decoding) }) else { return nil }
        self.init(name: name, endpoint: endpoint)
    }
}
