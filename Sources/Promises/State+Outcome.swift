public import Synchronization

/// Holds a value that is too large for a state's payload.
@usableFromInline
class ValueBox {
    @inlinable
    init() {}
}

@usableFromInline
final class TypedBox<T: Sendable>: ValueBox {
    @usableFromInline let value: T

    @inlinable
    init(_ value: T) { self.value = value }
}

extension State {
    @inlinable
    static func fits<T>(_ type: T.Type) -> Bool {
        MemoryLayout<T>.size <= MemoryLayout<(UInt, UInt)>.size
            && MemoryLayout<T>.alignment <= MemoryLayout<(UInt, UInt)>.alignment
    }

    /// The caller must have the right to write.
    @inlinable
    final func store<T: Sendable>(_ value: T) {
        if State.fits(T.self) {
            unsafe put(value)
            if !_isPOD(T.self) { unsafe extra = unsafe unsafeBitCast(T.self as Any.Type, to: UInt.self) }
        } else {
            unsafe put(TypedBox(value))
            unsafe extra = unsafe unsafeBitCast(ValueBox.self as Any.Type, to: UInt.self)
        }
    }

    /// The caller must have the right to write.
    @inlinable
    final func store(error: any Error) {
        hasError.store(true, ordering: .relaxed)
        unsafe withUnsafeMutablePointer(to: &extra) { pointer in
            _ = unsafe UnsafeMutableRawPointer(pointer).initializeMemory(as: (any Error).self, to: error)
        }
    }

    /// The state must be fulfilled with this type.
    @unsafe
    @inlinable
    final func value<T: Sendable>(as type: T.Type) -> T {
        if State.fits(T.self) { return unsafe get(T.self) }
        return unsafe unsafeDowncast(get(ValueBox.self), to: TypedBox<T>.self).value
    }

    @unsafe
    @inlinable
    final var error: any Error {
        if isCancelled, traits & Trait.guarantee == 0 { return cancellation }
        var bits = unsafe extra
        return unsafe withUnsafePointer(to: &bits) { pointer in
            unsafe UnsafeRawPointer(pointer).assumingMemoryBound(to: (any Error).self).pointee
        }
    }

    @inlinable
    final var isRejected: Bool { hasError.load(ordering: .relaxed) }

    /// The outcome of a state that has one: of a link's source when the link runs.
    @unsafe
    @inlinable
    final func knownOutcome<T: Sendable>(as type: T.Type) -> Result<T, any Error> {
        unsafe isRejected ? .failure(error) : .success(value(as: T.self))
    }

    @inlinable
    final func outcome<T: Sendable>(as type: T.Type) -> Result<T, any Error>? {
        unsafe isSettled ? knownOutcome(as: T.self) : nil
    }

    @inlinable
    final var isSettled: Bool {
        let current = word.load(ordering: .acquiring)
        return current & Word.settled != 0 || current & Word.written == Word.written
    }

    @inlinable
    final var isCancelled: Bool { marks.load(ordering: .relaxed) & Mark.cancelled != 0 }

    @usableFromInline
    final var cancellation: any Error {
        marks.load(ordering: .relaxed) & Mark.timedOut != 0 ? PromiseError.timedOut : PromiseError.cancelled
    }

    @unsafe
    @inlinable
    final func put<Stored>(_ stored: Stored) {
        unsafe withUnsafeMutablePointer(to: &payload) { pointer in
            _ = unsafe UnsafeMutableRawPointer(pointer).initializeMemory(as: Stored.self, to: stored)
        }
    }

    @unsafe
    @inlinable
    final func get<Stored>(_ type: Stored.Type) -> Stored {
        // Threads may read at the same time, so none may access the field itself, which would count as a write.
        var bits = unsafe payload
        return unsafe withUnsafePointer(to: &bits) { pointer in
            unsafe UnsafeRawPointer(pointer).assumingMemoryBound(to: Stored.self).pointee
        }
    }

    @unsafe
    @inlinable
    final func take<Stored>(_ type: Stored.Type) -> Stored {
        unsafe withUnsafeMutablePointer(to: &payload) { pointer in
            unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: Stored.self).move()
        }
    }

    /// Destroys the outcome and reports mistakes when the last reference is gone.
    @usableFromInline
    final func discard(_ current: UInt) {
        if current & Word.settled == 0 { return retire() }
        // A rejection that only cancelled promises needed is not reported.
        if current & Word.unobserved != 0, !isCancelled, marks.load(ordering: .relaxed) & Mark.doomed == 0 {
            unsafe conf.report(.unhandledRejection(error), origin)
        }
        erase(isError: isRejected)
    }

    @usableFromInline
    final func erase(isError: Bool) {
        guard unsafe extra != 0 else { return }
        if isError {
            unsafe withUnsafeMutablePointer(to: &extra) { pointer in
                _ = unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: (any Error).self)
                    .deinitialize(count: 1)
            }
        } else {
            unsafe drop(unsafeBitCast(extra, to: Any.Type.self))
        }
        unsafe extra = 0
    }

    private final func drop<T>(_ type: T.Type) {
        unsafe withUnsafeMutablePointer(to: &payload) { pointer in
            _ = unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: T.self).deinitialize(count: 1)
        }
    }
}
