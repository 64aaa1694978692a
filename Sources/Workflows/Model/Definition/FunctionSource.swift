/// The source of a function that neither the workflow nor the default catalog defines.
///
/// Specification: dsl.md, "Catalogs" and "Using a Custom Function".
package struct FunctionSource: Sendable {
    /// The name of the catalog in `photo:1.0.0@default`.
    package static let defaultCatalog = "default"

    /// The function's name, for people and for the run that performs it.
    package var name: String
    package var version: String
    /// The address of the function, or of its catalog.
    package var endpoint: Endpoint
    /// The path of the function in its catalog; nil for a function with its own address.
    package var path: String?
}

extension FunctionSource {
    /// Decodes what `call` names: an address, or `name:version@catalog`.
    init?(_ call: String, _ node: DocumentNode, _ decoding: Decoding) {
        guard let at = call.lastIndex(of: "@"), !call.contains("://") else {
            guard let endpoint = Endpoint(node, decoding) else { return nil }
            let file = call.split(separator: "/").last.map(String.init) ?? call
            self.init(name: String(file.prefix { $0 != "." && $0 != "?" }), version: "1.0.0", endpoint: endpoint)
            return
        }
        let (function, catalog) = (call[..<at], String(call[call.index(after: at)...]))
        guard let found = decoding.reference(catalog, to: "catalogs", in: decoding.catalogs, at: node.pointer) else {
            return nil
        }
        let parts = function.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, parts[0].isFileName, parts[1].isSemanticVersion else {
            decoding.report(
                "function-version", "'\(PlainText.exact(call, limit: 100))' names no function with its version",
                hint: "write name:version@catalog, such as resize:1.0.0@\(catalog)", at: node.pointer)
            return nil
        }
        // An endpoint that could not be decoded has its findings already.
        guard let endpoint = found else { return nil }
        self.init(
            name: parts[0], version: parts[1], endpoint: endpoint,
            path: "functions/\(parts[0])/\(parts[1])/function.yaml")
    }

    /// The address of the function's file, if nothing in it is computed.
    package var literal: String? { endpoint.literal.map(location) }

    /// The address of the function's file, given its endpoint's; GitHub and GitLab pages become their raw files.
    package func location(at endpoint: String) -> String {
        let whole = path.map { endpoint.hasSuffix("/") ? endpoint + $0 : endpoint + "/" + $0 } ?? endpoint
        return Self.gitHubFile(whole) ?? gitLabFile(whole) ?? whole
    }

    private static func gitHubFile(_ address: String) -> String? {
        let host = "https://github.com/"
        guard address.hasPrefix(host) else { return nil }
        var parts = address.dropFirst(host.count).split(separator: "/")
        guard parts.count > 3 else { return nil }
        if ["blob", "tree", "raw"].contains(parts[2]) { parts.remove(at: 2) } else { parts.insert("HEAD", at: 2) }
        return "https://raw.githubusercontent.com/" + parts.joined(separator: "/")
    }

    private func gitLabFile(_ address: String) -> String? {
        guard address.hasPrefix("https://gitlab.com/") else { return nil }
        for page in ["/-/blob/", "/-/tree/"] {
            guard let range = address.firstRange(of: page) else { continue }
            return address[..<range.lowerBound] + "/-/raw/" + address[range.upperBound...]
        }
        guard let path, !address.contains("/-/") else { return nil }
        return address.dropLast(path.count) + "-/raw/HEAD/" + path
    }
}

extension Decoding {
    /// Decodes `use.catalogs`; a catalog without calls is never read.
    func decodeCatalogs(_ definitions: [(name: String, node: DocumentNode)]) {
        for (name, node) in definitions {
            if name == FunctionSource.defaultCatalog {
                report(
                    "reserved-name", "a catalog cannot be called '\(name)', which is the catalog of graphflow",
                    at: node.pointer, part: .key)
            }
            catalogs[name] = .some(nil)
            guard check(node, is: "a catalog", known: ["endpoint"], required: ["endpoint"]) else { continue }
            catalogs[name] = .some(node["endpoint"].flatMap { Endpoint($0, isRelative: true, self) })
        }
    }
}

extension String {
    fileprivate var isFileName: Bool {
        !isEmpty && !hasPrefix(".")
            && unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789-_.".unicodeScalars.contains($0))
            }
    }
}
