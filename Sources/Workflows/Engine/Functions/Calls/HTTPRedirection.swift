/// What a call that accepts redirects does after a response: a pure function of request and response.
///
/// A redirect is followed if it repeats no effect and reveals nothing new: reads, and status 303. Every other redirect
/// counts as a normal response, as the standard's `redirect: true` says.
enum HTTPRedirection: Sendable, Hashable {
    case none
    case follow(HTTPRequest)
    /// The redirect is an error; the text completes a sentence that starts with the request's address.
    case refuse(String)

    static let limit = 10

    init(_ response: HTTPResponse, to request: HTTPRequest, hop: Int, plainHosts: PlainHosts = .none) {
        guard [301, 302, 303, 307, 308].contains(response.status), let location = response.headers["Location"],
            let target = HTTPAddress.target(of: location, from: request.url), let to = Origin(target),
            let from = Origin(request.url), var next = Self.next(after: response.status, request, staysHome: to == from)
        else {
            self = .none
            return
        }
        let place = PlainText.line(to.description, limit: 100)
        guard hop < Self.limit else {
            self = .refuse("was redirected more than \(Self.limit) times, last to \(place)")
            return
        }
        guard plainHosts.allow(to) else {
            self = .refuse("was redirected to \(place), which is not encrypted")
            return
        }
        guard !to.isLoopback || from.isLoopback else {
            self = .refuse("was redirected to this machine, which is only allowed from this machine")
            return
        }
        var components = URLComponents(url: target, resolvingAgainstBaseURL: true)
        components?.user = nil
        components?.password = nil
        next.url = components?.url ?? target
        if to != from {
            // Any field may hold a credential, so only fields that never do are kept.
            var kept = HTTPHeaders()
            for field in next.headers.fields
            where ["accept", "accept-language", "user-agent"].contains(field.name.lowercased()) {
                kept.append(field.name, field.value)
            }
            next.headers = kept
        }
        self = .follow(next)
    }

    /// The next request; nil if it would repeat an effect, or send one to another origin.
    private static func next(after status: Int, _ request: HTTPRequest, staysHome: Bool) -> HTTPRequest? {
        var next = request
        switch (Idempotency(ofMethod: request.method), status) {
        case (_, 303) where request.method != "HEAD":
            next.method = "GET"
            (next.body, next.file) = (nil, nil)
            for name in ["Content-Type", "Content-Encoding", "Content-Language"] { next.headers[name] = nil }
        case (.read, _) where request.body == nil && request.file == nil || staysHome: break
        case (_, 307), (_, 308):
            guard staysHome else { return nil }
        default: return nil
        }
        return next
    }
}
