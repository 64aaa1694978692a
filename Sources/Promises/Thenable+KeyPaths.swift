public import Dispatch

extension Thenable {
    /// Goes on with what lies at a key path of the value.
    @inlinable
    @preconcurrency
    public func map<U: Sendable>(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ keyPath: any KeyPath<T, U> & Sendable
    ) -> Promise<U> {
        map(on: queue, flags: flags, file: file, line: line) { $0[keyPath: keyPath] }
    }

    /// Goes on with what lies at a key path of the value; nil rejects with `PromiseError.compactMap`.
    @inlinable
    @preconcurrency
    public func compactMap<U: Sendable>(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ keyPath: any KeyPath<T, U?> & Sendable
    ) -> Promise<U> {
        compactMap(on: queue, flags: flags, file: file, line: line) { $0[keyPath: keyPath] }
    }
}
