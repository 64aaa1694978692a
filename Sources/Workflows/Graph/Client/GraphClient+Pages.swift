extension GraphClient {
    private struct Pages<Element: Sendable>: Sendable {
        var elements: [Element] = []
        var addresses: Set<URL> = []
    }

    /// - Parameters:
    ///   - request: The request for the first page; those for further pages have its headers.
    ///   - limit: The maximum number of elements; nil for all.
    ///   - read: Reads one element.
    func pages<Element: Sendable>(
        _ request: () throws -> GraphRequest, upTo limit: () -> Int?,
        as read: @escaping @Sendable (Value) throws(GraphError) -> Element
    ) -> Promise<[Element]> {
        firstly { page(try request(), after: Pages(), upTo: limit(), as: read) }
    }

    private func page<Element: Sendable>(
        _ request: GraphRequest, after earlier: Pages<Element>, upTo limit: Int?,
        as read: @escaping @Sendable (Value) throws(GraphError) -> Element
    ) -> Promise<[Element]> {
        json {
            request
        } as: { answer throws(GraphError) -> (Pages<Element>, URL?) in
            guard let values = answer["value"]?.array else {
                throw GraphError(.badAnswer, message: "The answer is not a list: it has no 'value'.")
            }
            var pages = earlier
            for value in values { pages.elements.append(try read(value)) }
            guard limit.map({ pages.elements.count < $0 }) ?? true, let link = answer["@odata.nextLink"]?.string
            else { return (pages, nil) }
            let next = try page(at: link)
            guard pages.addresses.insert(next).inserted else {
                throw GraphError(.badAnswer, message: "The pages of the list form a cycle.")
            }
            return (pages, next)
        }.then(on: nil) { pages, next -> Promise<[Element]> in
            if let further = plannedPage(after: request, next) {
                return when("for each further page", isExtra: true).json {
                    further
                } as: { _ in
                    ()
                }.map(on: nil) {
                    Array(pages.elements.prefix(limit ?? .max))
                }
            }
            guard let next else { return .value(Array(pages.elements.prefix(limit ?? .max))) }
            var request = request
            request.permissions = permissions(of: request)
            request.address = next
            return page(request, after: pages, upTo: limit, as: read)
        }
    }

    private func plannedPage(after request: GraphRequest, _ next: URL?) -> GraphRequest? {
        guard plan != nil, let next, UnknownTokens.isIn(next.absoluteString) else { return nil }
        var further = request
        further.address = next
        further.permissions = permissions(of: request)
        return further
    }

    /// The next page's address in a planned answer: below the service's base, otherwise unknown.
    package func plannedNextPage(_ answer: UnknownTokens.Answer) -> Value? {
        guard plan != nil, let base = try? baseURL, let origin = Origin(base) else { return nil }
        return .string("\(origin)/\(answer("@odata.nextLink", .text))")
    }

    /// Checks the next page's address: it must be the service's, because it receives the token.
    package func page(at link: String) throws(GraphError) -> URL {
        let base = try baseURL
        guard let next = URL(string: link), let origin = Origin(next), origin == Origin(base), next.user() == nil,
            next.password() == nil
        else {
            throw GraphError(
                .badAnswer,
                message: "The next page is at '\(PlainText.exact(link, limit: 100))', where the token must not be sent."
            )
        }
        return next
    }
}
