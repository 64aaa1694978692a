extension GraphClient {
    /// Reads a list whose elements are returned unchanged.
    ///
    /// - Parameters:
    ///   - operation: The function that reads it.
    ///   - path: The list's path with its query.
    ///   - limit: The maximum number of elements; nil for all.
    func list(
        _ operation: String, headers: HTTPHeaders = [:], upTo limit: Int? = nil,
        at path: () throws(GraphError) -> GraphPath
    ) -> Promise<[Value]> {
        let answer = plannedAnswer(operation, isElement: true)
        let page = plannedAnswer("\(operation).page")
        return pages {
            var headers = headers
            headers["Accept"] = "application/json"
            return GraphRequest(
                operation, .read, "GET", try path(), headers: headers,
                example: .json(
                    200,
                    .members([
                        ("@odata.nextLink", plannedNextPage(page)), ("value", [.string(answer.whole())]),
                    ])))
        } upTo: {
            limit
        } as: { element throws(GraphError) in
            element
        }
    }
}
