package import Essentials
package import Promises

extension GraphClient {
    /// Sends a GET to any address of the service.
    ///
    /// - Parameters:
    ///   - path: The path after the service's base, with its query, or a whole address of the service.
    ///   - size: The largest answer in bytes; nil for the transport's limit, and for 10 GB of a file's content.
    /// - Returns: The answer, in a file if it is too large for memory; rejected with ``GraphError``, also if the address
    ///   must not receive the token.
    package func get(_ path: String, upTo size: Int? = nil) -> Promise<HTTPResponse> {
        send {
            var request = try request(path)
            let isContent = request.address.map { ["content", "$value"].contains($0.lastPathComponent) } ?? false
            request.maximumResponseSize = size
            if isContent, size == nil { request.storage = HTTPOperation.Storage() }
            return request
        }
    }

    /// Reads a list to its end, page by page.
    ///
    /// - Parameter path: The path after the service's base, with its query, or a whole address of the service.
    package func getAll(_ path: String) -> Promise<[Value]> {
        pages {
            try request(path)
        } upTo: {
            nil
        } as: { answer throws(GraphError) in
            answer
        }
    }

    private func request(_ path: String) throws(GraphError) -> GraphRequest {
        let url = try address(of: path)
        var headers: HTTPHeaders = [:]
        let query = url.query(percentEncoded: false) ?? ""
        // Searching and counting use an index that lags behind, which a request has to accept.
        if query.contains("$search=") || query.contains("$count=true") || url.path().hasSuffix("/$count") {
            headers["ConsistencyLevel"] = "eventual"
        }
        var request = GraphRequest(
            "get", .read, Permissions(), "GET", GraphPath(literal: "me"), headers: headers,
            example: .json(200, [:]))
        request.address = url
        return request
    }

    /// The absolute address of a path; throws for one outside the service.
    package func address(of path: String) throws(GraphError) -> URL {
        let base = try baseURL
        func refusal(_ why: String) -> GraphError {
            GraphError(
                .invalidInput, message: "'\(PlainText.line(path, limit: 200))' is not a path of the service: \(why).",
                hint: "A path looks like /me/messages?$top=5.")
        }
        var rest = path.trimmed
        guard !rest.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
            throw refusal("it contains a control character")
        }
        if rest.contains("://"), rest.prefix(while: { $0 != "/" && $0 != "?" }).hasSuffix(":") {
            guard let url = URL(string: rest), Origin(url) == Origin(base), url.user() == nil, url.password() == nil,
                rest.lowercased().hasPrefix(base.absoluteString.lowercased() + "/")
            else {
                throw GraphError(
                    .invalidInput,
                    message:
                        "'\(PlainText.line(rest, limit: 200))' is not at \(base.absoluteString), and the token must "
                        + "not go elsewhere.")
            }
            rest = String(rest.dropFirst(base.absoluteString.count))
        }
        while rest.hasPrefix("/") { rest.removeFirst() }
        let version = (base.path().split(separator: "/").last.map(String.init) ?? "") + "/"
        if rest.hasPrefix(version), version.count > 1 { rest.removeFirst(version.count) }
        let segments = rest.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
        guard !segments.contains(where: { [".", ".."].contains(String($0).percentDecoded ?? "") }) else {
            throw refusal("it leads out of the service")
        }
        // A guest's user principal name contains #, and no address here has a fragment.
        let text = "\(base.absoluteString)/\(rest.replacing("#", with: "%23"))"
        guard let url = URL(string: text, encodingInvalidCharacters: true), Origin(url) == Origin(base) else {
            throw refusal("it is not a valid address")
        }
        return url
    }
}
