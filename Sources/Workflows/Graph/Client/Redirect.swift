import Foundation

/// Where a request goes on after an answer that points elsewhere: a pure function of request and answer.
package enum Redirect: Sendable, Hashable {
    /// The answer does not point elsewhere.
    case none
    /// The same request for another place.
    case follow(HTTPRequest)
    /// It points where the request must not go.
    case refuse(String)

    /// How many places a request may be sent on to.
    package static let limit = 5

    /// Decides what an answer asks for.
    ///
    /// Reading goes on anywhere that is encrypted, without the token where scheme, host or port change. A request that
    /// changes something goes on within the same origin only, and never turns into a `GET`, which would look like success.
    /// - Parameters:
    ///   - response: The answer.
    ///   - request: The request that it answers.
    ///   - hop: How many times the request was sent on already.
    package init(_ response: HTTPResponse, to request: HTTPRequest, hop: Int) {
        let reads = request.method == "GET" || request.method == "HEAD"
        guard [301, 302, 303, 307, 308].contains(response.status) else {
            self = .none
            return
        }
        let words = HTTPStatus.words(response.status)
        guard let location = response.headers["Location"],
            let target = URL(string: location, relativeTo: request.url)?.absoluteURL, let to = Origin(target),
            let from = Origin(request.url)
        else {
            self = .refuse("\(words) without a place to go to")
            return
        }
        let place = PlainText.line(to.description, limit: 100)
        guard hop < Self.limit else {
            self = .refuse("sent on more than \(Self.limit) times, last to \(place)")
            return
        }
        guard to.isPrivate, !to.isLoopback || from.isLoopback else {
            self = .refuse("sent on to \(place), where the request must not go")
            return
        }
        guard reads || (to == from && [307, 308].contains(response.status)) else {
            self = .refuse("\(words) to \(place), where a request that changes something is not repeated")
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
