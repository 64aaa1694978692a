extension DispatchQueue {
    /// Chooses the form of `async` that returns a promise.
    public enum PromiseNamespace: Sendable {
        /// `queue.async(.promise) { … }`.
        case promise
    }

    /// Runs the body on this queue and promises what it returns.
    @preconcurrency
    public func async<T: Sendable>(
        _: PromiseNamespace, group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
        flags: DispatchWorkItemFlags = [], file: StaticString = #fileID, line: UInt = #line,
        execute body: @escaping @Sendable () throws -> T
    ) -> Promise<T> {
        let (promise, resolver) = Promise<T>.pending(file: file, line: line)
        async(group: group, qos: qos, flags: flags) {
            do { resolver.fulfill(try body()) } catch { resolver.reject(error) }
        }
        return promise
    }

    /// Runs the body on this queue and guarantees what it returns.
    @preconcurrency
    public func async<T: Sendable>(
        _: PromiseNamespace, group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
        flags: DispatchWorkItemFlags = [], file: StaticString = #fileID, line: UInt = #line,
        execute body: @escaping @Sendable () -> T
    ) -> Guarantee<T> {
        let (guarantee, resolve) = Guarantee<T>.pending(file: file, line: line)
        async(group: group, qos: qos, flags: flags) { resolve(body()) }
        return guarantee
    }
}

/// PromiseKit's name for the type that chooses the promising form of `async`.
public typealias PMKNamespacer = DispatchQueue.PromiseNamespace
