import Foundation

/// Where a call that accepts redirects goes on after an answer: a pure function of request and answer.
///
/// Followed is what repeats nothing and tells nobody anything new: reading, and what a 303 asks for. Every other
/// redirect is an answer like any other, which the standard's `redirect: true` accepts.
enum HTTPRedirection: Sendable, Hashable {
    /// The answer is the one to use.
    case none
    /// This comes next.
    case follow(HTTPRequest)
    /// The way ends in an error: what is wrong, behind the request's address.
    case refuse(String)

    /// How many places a request may be sent on to.
    static let limit = 10

    init(_ response: HTTPResponse, to request: HTTPRequest, hop: Int) {
        guard [301, 302, 303, 307, 308].contains(response.status), let location = response.headers["Location"],
            let target = URL(string: location, relativeTo: request.url)?.absoluteURL, let to = Origin(target),
            let from = Origin(request.url), var next = Self.next(after: response.status, request, staysHome: to == from)
        else {
            self = .none
            return
        }
        let place = PlainText.line(to.description, limit: 100)
        guard hop < Self.limit else {
            self = .refuse("was sent on more than \(Self.limit) times, last to \(place)")
            return
        }
        guard to.isPrivate else {
            self = .refuse("was sent on to \(place), which is not encrypted")
            return
        }
        guard !to.isLoopback || from.isLoopback else {
            self = .refuse("was sent on to this machine, where nobody from elsewhere may send it")
            return
        }
        var components = URLComponents(url: target, resolvingAgainstBaseURL: true)
        components?.user = nil
        components?.password = nil
        components?.fragment = nil
        next.url = components?.url ?? target
        if to != from {
            // Any field may be what proves who asks, so only those stay that never are.
            var kept = HTTPHeaders()
            for field in next.headers.fields
            where ["accept", "accept-language", "user-agent"].contains(field.name.lowercased()) {
                kept.append(field.name, field.value)
            }
            next.headers = kept
        }
        self = .follow(next)
    }

    /// The request that a redirect asks for; nil where it would repeat something, or send it to somebody else.
    private static func next(after status: Int, _ request: HTTPRequest, staysHome: Bool) -> HTTPRequest? {
        var next = request
        switch (Effect(ofMethod: request.method), status) {
        case (_, 303) where request.method != "HEAD":
            next.method = "GET"
            next.body = nil
            for name in ["Content-Type", "Content-Encoding", "Content-Language"] { next.headers[name] = nil }
        case (.read, _) where request.body == nil || staysHome: break
        case (_, 307), (_, 308):
            guard staysHome else { return nil }
        default: return nil
        }
        return next
    }
}
