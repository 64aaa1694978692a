/// Calls the body, and retries after a delay while its promise is rejected, until the retries are used up.
///
/// - Parameters:
///   - maximumRetryCount: How often the body is called again after the first call.
///   - delay: How long to wait before a retry.
///   - clock: The clock that measures the delay.
///   - file: The file in which the promise is made, for reports.
///   - line: The line on which the promise is made, for reports.
///   - shouldRetry: Whether to retry after an error; by default after every error except a cancellation.
///   - body: Starts the work.
public func attempt<U: Thenable>(
    maximumRetryCount: Int = 3, delay: Backoff = .seconds(2), clock: any PromiseClock = .continuous,
    file: StaticString = #fileID, line: UInt = #line,
    while shouldRetry: @escaping @Sendable (any Error) -> Bool = { !$0.isCancelled },
    _ body: @escaping @Sendable () throws -> U
) -> Promise<U.T> {
    @Sendable func attempt(retry: Int) -> Promise<U.T> {
        firstly(file: file, line: line, execute: body).recover(on: nil, file: file, line: line) { error in
            guard retry <= maximumRetryCount, shouldRetry(error) else { throw error }
            return after(delay(retry: retry, after: error), clock: clock, file: file, line: line)
                .then(file: file, line: line) { attempt(retry: retry + 1) }
        }
    }
    return attempt(retry: 1)
}
