import Foundation
import Testing

@testable import WorkflowHTTP

/// What is expected of a listener that is stopped more than once.
enum StoppedListener {
    /// Stops a listener, and again while other sockets get the numbers that its own had.
    static func check(stop: () -> Void) throws {
        // Its threads close its sockets some time after the first stop.
        for _ in 0..<20 {
            stop()
            let pairs = try (0..<8).map { _ in try LoopbackSocket.pair() }
            stop()
            for (one, other) in pairs {
                #expect(one.send(Data("a".utf8), patience: .seconds(900)))
                #expect(other.receive() == Array("a".utf8))
                one.close()
                other.close()
            }
            // Real time: the rounds meet different moments of its end, and hold at each.
            usleep(1_000)
        }
    }
}
