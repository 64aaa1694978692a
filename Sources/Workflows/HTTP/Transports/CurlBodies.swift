#if !canImport(Darwin)
    import Essentials
    import Promises

    /// Reads a request's body ahead of the connection, on other threads: a slow disk delays no other request.
    final class BodyReader: Sendable {
        enum Part {
            /// The number of bytes copied; 0 at the end of the body.
            case bytes(Int)
            /// The next bytes have not been read yet.
            case awaited
            case failed(SystemError)
        }

        private struct State {
            var piece: [UInt8] = []
            var takenCount = 0
            var next: [UInt8]?
            var end = 0
            var isReading = false
            var isAwaited = false
            var failure: SystemError?
        }

        private let reader: FilePart.Reader
        private let resume: @Sendable () -> Void
        private let state: Locked<State>

        /// - Parameter resume: Called when awaited bytes have been read.
        init(_ reader: FilePart.Reader, from offset: Int, resume: @escaping @Sendable () -> Void) {
            self.reader = reader
            self.resume = resume
            state = Locked(State(end: offset))
            readAhead()
        }

        func take(into buffer: UnsafeMutableRawBufferPointer) -> Part {
            let part = state.withLock { state -> Part in
                if state.takenCount == state.piece.count, let next = state.next {
                    (state.piece, state.takenCount, state.next) = (next, 0, nil)
                }
                let count = min(buffer.count, state.piece.count - state.takenCount)
                if count > 0 {
                    unsafe state.piece[state.takenCount..<state.takenCount + count].withUnsafeBytes {
                        unsafe buffer.copyMemory(from: $0)
                    }
                    state.takenCount += count
                    return .bytes(count)
                }
                if let failure = state.failure { return .failed(failure) }
                guard state.end < reader.part.size else { return .bytes(0) }
                state.isAwaited = true
                return .awaited
            }
            readAhead()
            return part
        }

        private func readAhead() {
            let offset = state.withLock { state -> Int? in
                guard !state.isReading, state.next == nil, state.failure == nil, state.end < reader.part.size else {
                    return nil
                }
                state.isReading = true
                return state.end
            }
            guard let offset else { return }
            DispatchQueue.global().async { [self] in
                let piece = Result { () throws(SystemError) in try reader.piece(from: offset) }
                let wasAwaited = state.withLock { state in
                    switch piece {
                    case .success(let bytes): (state.next, state.end) = (bytes, offset + bytes.count)
                    case .failure(let failure): state.failure = failure
                    }
                    state.isReading = false
                    defer { state.isAwaited = false }
                    return state.isAwaited
                }
                if wasAwaited { resume() }
            }
        }
    }

    /// Writes a response's body to its file, on other threads than the connections'.
    final class BodyWriter: Sendable {
        private static let room = 4 << 20

        private struct State {
            var waitingCount = 0
            var isFull = false
            var failure: HTTPFailure?
        }

        private let queue = DispatchQueue(label: "graphflow.body")
        private let resume: @Sendable () -> Void
        private let body: Locked<StoredBody>
        private let state = Locked(State())

        /// - Parameter resume: Called when there is room again.
        init(for pending: PendingResponse, resume: @escaping @Sendable () -> Void) throws(HTTPFailure) {
            body = Locked(try StoredBody(for: pending))
            self.resume = resume
        }

        /// False if there is no room yet.
        func append(_ bytes: Data) throws(HTTPFailure) -> Bool {
            let outcome = state.withLock { state -> Result<Bool, HTTPFailure> in
                if let failure = state.failure { return .failure(failure) }
                state.isFull = state.waitingCount > Self.room
                if !state.isFull { state.waitingCount += bytes.count }
                return .success(!state.isFull)
            }
            guard try outcome.get() else { return false }
            queue.async { [self] in write(bytes) }
            return true
        }

        func response(_ response: HTTPResponse) throws(HTTPFailure) -> HTTPResponse {
            queue.sync {}
            if let failure = state.withLock({ $0.failure }) { throw failure }
            return try body.withLock { body throws(HTTPFailure) in try body.response(response) }
        }

        private func write(_ bytes: Data) {
            guard state.withLock({ $0.failure == nil }) else { return }
            let outcome = Result { () throws(HTTPFailure) in
                try body.withLock { body throws(HTTPFailure) in try body.append(bytes) }
            }
            let wasFull = state.withLock { state in
                if case .failure(let failure) = outcome { state.failure = failure }
                state.waitingCount -= bytes.count
                defer { state.isFull = false }
                return state.isFull
            }
            if wasFull { resume() }
        }
    }
#endif
