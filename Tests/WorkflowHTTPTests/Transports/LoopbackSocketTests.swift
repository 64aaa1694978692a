import Foundation
import Promises
import Synchronization
import Testing

@testable import WorkflowHTTP

struct LoopbackSocketTests {
    @Test func `sending succeeds if the peer takes everything, and fails if it does not in time`() throws {
        let listener = try LoopbackSocket.listening(.ipv4, port: 0)
        defer { listener.close() }
        let client = try LoopbackSocket.connected(to: HostName("127.0.0.1"), port: listener.port)
        defer { client.close() }
        #expect(listener.waitToRead(for: .seconds(900)) == .ready)
        let peer = try #require(try listener.accept())
        defer { peer.close() }
        #expect(client.send(Data("hello".utf8), patience: .seconds(900)))
        #expect(peer.receive() == Array("hello".utf8))
        // More than the system keeps for a peer that does not read.
        #expect(!client.send(Data(count: 64 << 20), patience: .zero))
    }
    @Test func `a single byte is sent once`() throws {
        let listener = try LoopbackSocket.listening(.ipv4, port: 0)
        defer { listener.close() }
        let client = try LoopbackSocket.connected(to: HostName("127.0.0.1"), port: listener.port)
        #expect(listener.waitToRead(for: .seconds(900)) == .ready)
        let peer = try #require(try listener.accept())
        defer { peer.close() }
        // An earlier call may have left any error behind.
        errno = EPIPE
        let isSent = client.send(Data("a".utf8), patience: .seconds(900))
        #expect(isSent)
        client.close()
        var received: [UInt8] = []
        while let bytes = peer.receive() { received += bytes }
        #expect(received == Array("a".utf8))
    }

    #if os(Linux)
        /// How many signals have come in during a wait.
        private static let signals = Atomic<Int>(0)

        @Test(.timeLimit(.minutes(60)))
        func `a wait goes on after a signal`() throws {
            let former = signal(SIGURG) { _ in
                LoopbackSocketTests.signals.wrappingAdd(1, ordering: .relaxed)
            }
            defer { _ = signal(SIGURG, former) }
            let listener = try LoopbackSocket.listening(.ipv4, port: 0)
            defer { listener.close() }
            let thread = Atomic<UInt>(0)
            let outcome = Locked<LoopbackSocket.Readiness?>(nil)
            let (ending, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            Thread.detachNewThread {
                // The thread that starts this one may block signals.
                var signals = sigset_t()
                _ = unsafe sigemptyset(&signals)
                _ = unsafe pthread_sigmask(SIG_SETMASK, &signals, nil)
                thread.store(pthread_self(), ordering: .releasing)
                let found = listener.waitToRead(for: .seconds(900))
                outcome.withLock { $0 = found }
                ending.signal()
                mayEnd.wait()
            }
            // Those that come one by one find the thread waiting, but for the first ones.
            while Self.signals.load(ordering: .relaxed) < 1_000 {
                let thread = thread.load(ordering: .acquiring)
                if thread != 0 { pthread_kill(thread, SIGURG) }
                sched_yield()
            }
            #expect(outcome.withLock { $0 } == nil)
            let client = try LoopbackSocket.connected(to: HostName("127.0.0.1"), port: listener.port)
            defer { client.close() }
            ending.wait()
            #expect(outcome.withLock { $0 } == .ready)
            mayEnd.signal()
        }
    #endif
}
