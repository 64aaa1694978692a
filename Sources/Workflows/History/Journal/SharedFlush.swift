/// Shares one flush among all that wait for the disk at the same time.
final class SharedFlush: Sendable {
    private let begunCount = Locked(0)
    /// Held during a flush; the number of the last one that succeeded.
    private let last = Locked(0)

    /// Returns when a flush has ended that began after this call; `flush` must be the same in every call.
    func perform(_ flush: () throws(SystemError) -> Void) throws(SystemError) {
        let next = begunCount.withLock { $0 } + 1
        try last.withLock { last throws(SystemError) in
            // Another flush has begun and ended while this call waited.
            guard last < next else { return }
            let number = begunCount.withLock { count in
                count += 1
                return count
            }
            try flush()
            last = number
        }
    }
}
