/// Whether to follow a redirect: a pure function of request and answer.
package enum Redirect: Sendable, Hashable {
    case none
    case follow(HTTPRequest)
    case refuse(String)

    package static let limit = 5

    /// A read goes to any encrypted address, without the token if scheme, host or port change.
    ///
    /// A request that changes something stays within its origin and never becomes a `GET`, which would look like
    /// success.
    /// - Parameters:
    ///   - response: The answer.
    ///   - request: The request that it answers.
    ///   - hop: The number of redirects followed so far.
    package init(_ response: HTTPResponse, to request: HTTPRequest, hop: Int) {
        let reads = request.method == "GET" || request.method == "HEAD"
        guard [301, 302, 303, 307, 308].contains(response.status) else {
            self = .none
            return
        }
        let words = HTTPStatus.words(response.status)
        guard let location = response.headers["Location"],
            let target = HTTPAddress.target(of: location, from: request.url), let to = Origin(target),
            let from = Origin(request.url)
        else {
            self = .refuse("\(words) without a valid Location")
            return
        }
        let place = PlainText.line(to.description, limit: 100)
        guard hop < Self.limit else {
            self = .refuse("more than \(Self.limit) redirects, the last one to \(place)")
            return
        }
        guard to.isPrivate, !to.isLoopback || from.isLoopback else {
            self = .refuse("the request must not be sent to \(place)")
            return
        }
        guard reads || (to == from && [307, 308].contains(response.status)) else {
            self = .refuse("\(words) to \(place), and a request that changes something is not repeated there")
            return
        }
        var next = request
        next.url = target
        if to != from {
            next.headers["Authorization"] = nil
            next.headers["Cookie"] = nil
        }
        self = .follow(next)
    }
}
