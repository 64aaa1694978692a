/// Where a resource is: in a file next to the workflow, or on the network.
///
/// The standard's schema requires an address with a scheme. Its examples name files as `file://app/greet.proto`: a path
/// from the workflow's folder.
package enum ResourceAddress: Sendable, Hashable {
    /// The path of a file, relative to the workflow's folder.
    case file(String)
    case network(URL)

    package var shown: String {
        switch self {
        case .file(let path): PlainText.exact(path, limit: 200)
        case .network(let url): PlainText.exact(PlainText.withoutQuery(url.absoluteString), limit: 200)
        }
    }

    /// The name under which a plan pins the content; addresses with different queries have different names.
    package var name: String {
        guard case .network(let url) = self, let query = url.query() else { return shown }
        return "\(shown)?\(SHA256.hex(of: Data(query.utf8)).prefix(16))"
    }

    /// Reads an address; a text without a scheme, which an expression can return, is the path of a file.
    /// - Parameter plainHosts: The hosts that may be reached without encryption; nil if that is not known yet.
    package init(_ text: String, files: WorkflowFiles, plainHosts: PlainHosts?) throws {
        // An address that only a run knows may be on the network.
        let text = HTTPAddress.example(text)
        guard let end = text.firstRange(of: "://")?.lowerBound else {
            self = .file(text)
            return
        }
        guard text[..<end].lowercased() == "file" else {
            let plainHosts = plainHosts ?? PlainHosts([URL(string: text)?.host() ?? ""])
            self = .network(try HTTPAddress.url(text, plainHosts: plainHosts))
            return
        }
        let path = String(text[text.index(end, offsetBy: 3)...])
        self = .file(try files.relative(path.percentDecoded ?? path))
    }

    /// The parts of a finding for an error of an address, or of its file.
    static func finding(of error: any Error) -> (id: String, message: String, hint: String?) {
        switch error {
        case let error as FunctionError: ("missing-file", error.message, error.hint)
        case let error as HTTPCallError: ("address", error.message, error.hint)
        default: ("resource", "\(error)", nil)
        }
    }
}

extension WorkflowFiles {
    /// A path from the workflow's folder, even if it is given from the root.
    fileprivate func relative(_ path: String) throws(FunctionError) -> String {
        guard path.hasPrefix("/"), let folder else { return path }
        let root = folder.standardizedFileURL.resolvingSymlinksInPath().path(percentEncoded: false)
        let prefix = root.hasSuffix("/") ? root : root + "/"
        guard path.hasPrefix(prefix) else {
            throw FunctionError(
                "The file '\(PlainText.exact(path, limit: 200))' is outside the workflow's folder",
                hint: "write 'file://NAME', which is relative to the workflow")
        }
        return String(path.dropFirst(prefix.count))
    }
}
