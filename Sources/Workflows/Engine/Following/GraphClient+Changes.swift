extension GraphClient {
    /// A page of changes.
    /// - Parameter address: Where Graph said that it is; nil for the beginning.
    package func changes(of source: ChangeSource, at address: String?) -> Promise<Value> {
        page(of: source, at: source.deltaPath, address)
    }

    /// The newest item of a source, as an example; nil if it has none.
    ///
    /// Graph cannot say which person or group is the newest.
    package func latestItem(of source: ChangeSource) -> Promise<Value?> {
        let parts = source.resource.split(separator: "?", maxSplits: 1)
        var query = parts.count > 1 ? [String(parts[1])] : []
        switch source.item {
        case .message: query.append("$orderby=receivedDateTime%20desc")
        case .event: query.append("$orderby=start/dateTime%20desc")
        case .driveItem: query.append("$orderby=lastModifiedDateTime%20desc")
        case .user, .group: break
        }
        if !source.select.isEmpty {
            // People and groups have only what is selected.
            query.append("$select=\((["id"] + source.select.filter { $0 != "id" }).joined(separator: ","))")
        }
        query.append("$top=1")
        let path = parts[0] + (source.item == .driveItem ? "/children?" : "?") + query.joined(separator: "&")
        return page(of: source, at: String(path), nil).map(on: nil) { $0["value"]?[0] }
    }

    private func page(of source: ChangeSource, at path: String, _ address: String?) -> Promise<Value> {
        firstly {
            var preferences = ["odata.maxpagesize=200"]
            // Without it, a mail that is moved gets another id.
            if source.item == .message || source.item == .event { preferences.append(#"IdType="ImmutableId""#) }
            let beginning = try baseURL.absoluteString + path
            guard let url = try address.map({ link throws(GraphError) in try page(at: link) }) ?? URL(string: beginning)
            else {
                throw GraphError(.invalidInput, message: "'\(PlainText.exact(beginning, limit: 200))' is no address.")
            }
            let request = try request(
                "changes", .read, "GET", at: url, permissions: source.permissions,
                headers: ["Prefer": preferences.joined(separator: ", ")],
                example: HTTPResponse(status: 200, headers: [:], body: Data()))
            return answer(to: request).map(on: nil) { answer -> Value in
                guard case .data(let page) = answer else {
                    throw GraphError(.badAnswer, message: "The answer is not a list of changes.")
                }
                return page
            }
        }
    }
}
