/// Starts a chain: continues with the promise that the body returns, or rejects with the error that it throws.
@inlinable
public func firstly<U: Thenable>(
    file: StaticString = #fileID, line: UInt = #line, execute body: () throws -> U
) -> Promise<U.T> {
    do { return try body().asPromise() } catch { return Promise(error: error, file: file, line: line) }
}

/// Starts a chain that cannot fail.
@inlinable
public func firstly<T: Sendable>(execute body: () -> Guarantee<T>) -> Guarantee<T> { body() }
