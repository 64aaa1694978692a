extension Thenable {
    /// Continues with the value at a key path.
    @inlinable
    @preconcurrency
    public func map<U: Sendable>(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ keyPath: any KeyPath<T, U> & Sendable
    ) -> Promise<U> {
        map(on: queue, flags: flags, file: file, line: line) { $0[keyPath: keyPath] }
    }

    /// Continues with the value at a key path; nil rejects with `PromiseError.compactMap`.
    @inlinable
    @preconcurrency
    public func compactMap<U: Sendable>(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ keyPath: any KeyPath<T, U?> & Sendable
    ) -> Promise<U> {
        compactMap(on: queue, flags: flags, file: file, line: line) { $0[keyPath: keyPath] }
    }
}

extension Guarantee {
    /// Continues with the value at a key path.
    @inlinable
    @preconcurrency
    public func map<U: Sendable>(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ keyPath: any KeyPath<T, U> & Sendable
    ) -> Guarantee<U> {
        map(on: queue, flags: flags, file: file, line: line) { $0[keyPath: keyPath] }
    }
}
