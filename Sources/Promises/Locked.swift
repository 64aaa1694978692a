#if TSAN
    import Foundation
#else
    public import Synchronization
#endif

/// State that only one thread at a time can access.
///
/// Only this type depends on the lock: `Mutex`, or `NSLock` under the thread sanitizer (`-DTSAN`), which does not
/// understand the futex inside `Mutex`.
///
/// Other modules can inline it: an unspecialised function would look up its mutex's type on each call, which takes
/// longer than the lock.
@usableFromInline package final class Locked<State>: Sendable {
    #if TSAN
        private final class Box: @unchecked Sendable {
            let lock = NSLock()
            var state: State
            init(_ state: sending State) { self.state = state }
        }
        private let box: Box

        package init(_ state: sending State) { box = Box(state) }

        package func withLock<Result, Failure: Error>(
            _ body: (inout State) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            box.lock.lock()
            defer { box.lock.unlock() }
            return try body(&box.state)
        }
    #else
        @usableFromInline let mutex: Mutex<State>

        @inlinable package init(_ state: sending State) { mutex = Mutex(state) }

        /// The body must not call out.
        @inlinable package func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending State) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try mutex.withLock(body)
        }
    #endif

    /// Takes the content out, and leaves nil.
    package func take<Content: Sendable>() -> Content? where State == Content? {
        withLock { content in
            defer { content = nil }
            return content
        }
    }
}
