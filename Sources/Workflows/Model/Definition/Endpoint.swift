/// An address on a network, or a file next to the workflow.
///
/// Specification: dsl-reference.md, "Endpoint" and "URI Template".
package struct Endpoint: Sendable {
    package enum Address: Sendable {
        /// A URI with `{name}` for properties of the task's input.
        case template(URITemplate)
        /// A text with expressions; its braces are not those of a URI template.
        case expression(Template)
    }

    package var address: Address
    package var authentication: Authentication.Reference?
    package var pointer: JSONPointer
}

extension Endpoint {
    /// Decodes an endpoint: a URI, an expression, or an object with either and an authentication.
    /// - Parameter isRelative: Whether an address without a scheme is that of a file next to the workflow.
    init?(_ node: DocumentNode, isRelative: Bool = false, _ decoding: Decoding) {
        var uri = node
        var authentication: Authentication.Reference?
        if node.value.object != nil {
            guard decoding.check(node, is: "an endpoint", known: ["uri", "authentication"], required: ["uri"]),
                let member = node["uri"]
            else { return nil }
            uri = member
            if let policy = node["authentication"] {
                authentication = Authentication.Reference(policy, decoding)
                guard authentication != nil else { return nil }
            }
        }
        guard let address = Address(uri, isRelative, decoding) else { return nil }
        self.init(address: address, authentication: authentication, pointer: node.pointer)
    }

    /// The address, if nothing in it is computed.
    var literal: String? {
        guard case .template(let template) = address else { return nil }
        return template.variables.isEmpty ? template.source : nil
    }
}

extension Endpoint.Address {
    fileprivate init?(_ node: DocumentNode, _ isRelative: Bool, _ decoding: Decoding) {
        guard let text = decoding.string(node, "an address") else { return nil }
        guard !text.contains("${") else {
            guard let template = decoding.template(node, mode: .strict) else { return nil }
            self = .expression(template.demandingValues.withAddress(at: .root, isEncoded: false))
            return
        }
        guard text.hasScheme || isRelative && text.isRelativePath else {
            decoding.report(
                "address", "'\(PlainText.exact(text, limit: 100))' is not an absolute address",
                hint: "write 'https://…', or 'file://NAME' for a file next to the workflow", at: node.pointer)
            return nil
        }
        do throws(ExpressionError) {
            self = .template(try URITemplate(text))
        } catch {
            decoding.report(error, at: node.pointer)
            return nil
        }
    }
}

extension String {
    /// Whether this is a relative reference to a path below the folder of the referring file.
    fileprivate var isRelativePath: Bool {
        !isEmpty && !hasPrefix("/") && !contains { $0.isWhitespace || $0 == "?" || $0 == "#" }
            && !prefix { $0 != "/" }.contains(":")
    }

    /// Whether this starts with a scheme and `://`, as the standard's schema requires of an address.
    var hasScheme: Bool {
        guard let colon = firstRange(of: "://")?.lowerBound, let first = unicodeScalars.first, first.isASCII,
            first.properties.isAlphabetic
        else { return false }
        return self[..<colon].unicodeScalars.allSatisfy { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789+-.".unicodeScalars.contains(scalar))
        }
    }
}
