public import Promises

/// Something that carries a request to where it is answered: a network, a sandbox, or the plan of a dry run.
public protocol HTTPTransport: Sendable {
    /// Sends one request once: without following redirects, without repeating, without judging the status.
    ///
    /// Cancelling the promise aborts the request.
    /// - Parameters:
    ///   - request: The request with all its headers.
    ///   - operation: What the request is for.
    /// - Returns: The answer, whatever its status; rejected with ``HTTPFailure`` where there was none.
    func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse>
}
