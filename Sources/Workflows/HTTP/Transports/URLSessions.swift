#if canImport(Darwin)
    import Foundation
    import Promises

    /// The sessions of `URLSession`: one that requests share, and one for each request that must not happen twice.
    final class URLSessions: NSObject, URLSessionDataDelegate {
        private let underway = Locked<[ObjectIdentifier: URLSessionExchange]>([:])
        private let shared = Locked<URLSession?>(nil)

        /// Lets requests in progress finish, then releases the shared session.
        func finish() {
            shared.withLock { session in
                defer { session = nil }
                return session
            }?.finishTasksAndInvalidate()
        }

        func send(_ pending: PendingResponse) {
            let request: HTTPRequest
            do throws(HTTPFailure) {
                request = try pending.request.withBodyInMemory()
            } catch {
                pending.finish(.failure(error))
                return
            }
            let session = pending.effect == .once ? makeSession() : sharedSession()
            let task = session.dataTask(with: Self.urlRequest(for: request))
            let exchange = URLSessionExchange(pending, task)
            underway.withLock { $0[ObjectIdentifier(task)] = exchange }
            if pending.onAbort({ task.cancel() }), pending.beginSending() { task.resume() } else { task.cancel() }
            if pending.effect == .once { session.finishTasksAndInvalidate() }
        }

        private func sharedSession() -> URLSession {
            shared.withLock { session in
                if let session { return session }
                let made = makeSession()
                session = made
                return made
            }
        }

        private func makeSession() -> URLSession {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.urlCache = nil
            configuration.httpCookieStorage = nil
            configuration.httpCookieAcceptPolicy = .never
            configuration.httpShouldSetCookies = false
            configuration.urlCredentialStorage = nil
            configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
            configuration.httpMaximumConnectionsPerHost = 32
            return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
        }

        private static func urlRequest(for request: HTTPRequest) -> URLRequest {
            var result = URLRequest(url: request.url)
            result.httpMethod = request.method
            result.httpBody = request.body
            result.httpShouldHandleCookies = false
            // The deadline is measured elsewhere; this only has to be longer.
            result.timeoutInterval = 7 * 86_400
            for field in request.headers.fields { result.addValue(field.value, forHTTPHeaderField: field.name) }
            return result
        }

        private func exchange(of task: URLSessionTask) -> URLSessionExchange? {
            let key = ObjectIdentifier(task)
            return underway.withLock { $0[key] }
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
            if challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust {
                completionHandler(.performDefaultHandling, nil)
                return
            }
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
            let key = ObjectIdentifier(task)
            underway.withLock { $0.removeValue(forKey: key) }?.complete(error)
        }
    }
#endif
