public import Promises

/// Carries requests to a network, a sandbox or the plan of a dry run.
public protocol HTTPTransport: Sendable {
    /// Sends a request once: it does not follow redirects, retry, or check the status.
    ///
    /// Cancelling the promise aborts the request.
    /// - Parameters:
    ///   - request: The request with all its headers.
    ///   - operation: The purpose of the request.
    /// - Returns: The response, whatever its status; rejected with ``HTTPFailure`` if there was none.
    func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse>
}
