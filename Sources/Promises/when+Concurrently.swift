/// Fulfilled with the values, in order, of all promises that an iterator makes, with a limit to how many are pending.
///
/// - Parameters:
///   - promises: Makes the next promise when there is room for it; never called from two threads at once.
///   - concurrently: How many may be pending at once; at least 1.
///   - file: The file in which the promise is made, for reports.
///   - line: The line on which the promise is made, for reports.
@preconcurrency
public func when<It: IteratorProtocol & SendableMetatype>(
    fulfilled promises: sending It, concurrently: Int, file: StaticString = #fileID, line: UInt = #line
) -> Promise<[It.Element.T]> where It.Element: Thenable {
    guard concurrently > 0 else { return Promise(error: PromiseError.badInput, file: file, line: line) }
    let source = Locked(promises)
    let values = Locked<[Int: It.Element.T]>([:])
    let (promise, resolver) = Promise<[It.Element.T]>.pending(file: file, line: line)
    let running = Locked(Running<It.Element>())
    resolver.onCancel {
        for promise in running.withLock({ $0.promises.values.map { $0 } }) { promise.asPromise().cancel() }
    }
    @Sendable func pump() {
        while promise.isPending {
            guard running.withLock({ $0.reserve(limit: concurrently) }) else { return }
            guard let next = source.withLock({ $0.next() }) else {
                let isLast = running.withLock { $0.exhaust() }
                guard isLast else { return }
                return resolver.fulfill(values.withLock { $0.sorted { $0.key < $1.key }.map(\.value) })
            }
            let index = running.withLock { $0.start(next) }
            next.pipe { outcome in
                switch outcome {
                case .success(let value):
                    values.withLock { $0[index] = value }
                    running.withLock { $0.finish(index) }
                    pump()
                case .failure(let error): resolver.reject(error)
                }
            }
        }
    }
    pump()
    return promise
}

/// How many promises of an iterator are pending.
private struct Running<Element: Thenable>: Sendable {
    private(set) var promises: [Int: Element] = [:]
    private var started = 0
    private var isPumping = false
    private var isExhausted = false

    mutating func reserve(limit: Int) -> Bool {
        guard !isPumping, !isExhausted || promises.isEmpty, promises.count < limit else { return false }
        isPumping = true
        return true
    }

    mutating func start(_ promise: Element) -> Int {
        isPumping = false
        defer { started += 1 }
        promises[started] = promise
        return started
    }

    mutating func exhaust() -> Bool {
        isPumping = false
        isExhausted = true
        return promises.isEmpty
    }

    mutating func finish(_ index: Int) { promises[index] = nil }
}
