import Foundation
import Promises

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A `URLSession` and its requests in progress.
final class URLSessionExchanges: NSObject, URLSessionDataDelegate {
    private let underway = Locked<[Int: URLSessionExchange]>([:])
    private let session = Locked<URLSession?>(nil)

    /// Lets requests in progress finish, and then releases the session.
    func finish() {
        session.withLock { session in
            defer { session = nil }
            return session
        }?.finishTasksAndInvalidate()
    }

    /// A request that is ready to be sent; it calls back once, with the whole response or the failure.
    func prepare(
        _ request: HTTPRequest, maximumResponseSize: Int,
        completion: @escaping @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void
    ) -> URLSessionExchange {
        let task = openSession().dataTask(with: Self.urlRequest(for: request))
        let exchange = URLSessionExchange(
            request, task, maximumResponseSize: maximumResponseSize, completion: completion)
        underway.withLock { $0[task.taskIdentifier] = exchange }
        return exchange
    }

    private func openSession() -> URLSession {
        session.withLock { session in
            if let session { return session }
            let configuration = URLSessionConfiguration.ephemeral
            configuration.urlCache = nil
            configuration.httpCookieStorage = nil
            configuration.httpCookieAcceptPolicy = .never
            configuration.httpShouldSetCookies = false
            configuration.urlCredentialStorage = nil
            configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
            configuration.httpMaximumConnectionsPerHost = 32
            let made = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
            session = made
            return made
        }
    }

    private static func urlRequest(for request: HTTPRequest) -> URLRequest {
        var result = URLRequest(url: request.url)
        result.httpMethod = request.method
        result.httpBody = request.body
        result.httpShouldHandleCookies = false
        // The deadline is kept elsewhere; this only has to be longer.
        result.timeoutInterval = 7 * 86_400
        for field in request.headers.fields { result.addValue(field.value, forHTTPHeaderField: field.name) }
        return result
    }

    private func exchange(of task: URLSessionTask) -> URLSessionExchange? {
        let identifier = task.taskIdentifier
        return underway.withLock { $0[identifier] }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if !canImport(FoundationNetworking)
            if challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust {
                completionHandler(.performDefaultHandling, nil)
                return
            }
        #endif
        // By default, URLSession on Linux waits forever after a 401 that asks for a password.
        exchange(of: task)?.refuseChallenge()
        completionHandler(.rejectProtectionSpace, nil)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        exchange(of: dataTask)?.receive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.receive(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let identifier = task.taskIdentifier
        underway.withLock { $0.removeValue(forKey: identifier) }?.complete(error)
    }
}
