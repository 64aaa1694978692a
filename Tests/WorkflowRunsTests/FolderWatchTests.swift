import Foundation
import Promises
import TestSupport
import Testing
import WorkflowRuns

/// What tells of answers, instead of looking for them again and again.
@Suite struct FolderWatchTests {
    private let folder: PrivateFolder
    private let clock = ManualClock()

    init() throws {
        folder = PrivateFolder(
            path: FileManager.default.temporaryDirectory.appending(path: "watched-\(UUID().uuidString)").path)
        try folder.make()
    }

    private func write(_ name: String, in folder: PrivateFolder) throws {
        try folder.replace(name) { file throws(SystemError) in try file.write(Array("x".utf8)) }
    }

    /// Returns when nothing else has changed: a file that is replaced makes several events.
    private func settles(_ watch: FolderWatch) async {
        var change = watch.change(clock)
        while !change.isPending {
            await pause()
            change = watch.change(clock)
        }
        change.cancel()
    }

    private func withFolder(_ body: () async throws -> Void) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        try await body()
    }

    @Test func `a change wakes, also one that came before the wait`() async throws {
        try await withFolder {
            let watch = FolderWatch([folder])
            try write("a ü.json", in: folder)
            try await watch.change(clock).value
            await settles(watch)
            let waiting = watch.change(clock)
            try write("b.json", in: folder)
            try await waiting.value
            try FileManager.default.removeItem(atPath: folder.path(of: "b.json"))
            try await watch.change(clock).value
            #expect(clock.now == .zero)
        }
    }

    @Test func `folders that come into being later, or anew, are watched as well`() async throws {
        try await withFolder {
            let inner = PrivateFolder(path: folder.path(of: "approvals"))
            let watch = FolderWatch([folder, inner])
            for _ in 0..<3 {
                let made = watch.change(clock)
                try inner.make()
                try await made.value
                // The folder is new, and may have been written before it was watched.
                try await watch.change(clock).value
                await settles(watch)
                let answered = watch.change(clock)
                try write("plan.answer.json", in: inner)
                try await answered.value
                try FileManager.default.removeItem(atPath: inner.path)
                try await watch.change(clock).value
                await settles(watch)
            }
            #expect(clock.now == .zero)
        }
    }

    @Test func `a limit passes without a change, and another machine's change is found in a minute`() async throws {
        try await withFolder {
            let watch = FolderWatch([folder])
            let limited = watch.change(within: .seconds(5), clock)
            clock.advance(by: .seconds(5))
            try await limited.value
            let unlimited = watch.change(clock)
            clock.advance(by: .seconds(59))
            #expect(unlimited.isPending)
            clock.advance(by: .seconds(1))
            try await unlimited.value
            // No one waits now, and the next wait finds it.
            try write("ä.json", in: folder)
            try await watch.change(clock).value
            await settles(watch)
            let now = clock.now
            let late = watch.change(within: .seconds(1), clock)
            clock.advance(by: .seconds(1))
            try await late.value
            try write("ö.json", in: folder)
            try await watch.change(clock).value
            #expect(clock.now == now + .seconds(1))
            let cancelled = watch.change(clock)
            cancelled.cancel()
            await clock.allEnded()
        }
    }

    @Test func `what was written is looked at once more, because its writer may not have finished`() async throws {
        try await withFolder {
            let watch = FolderWatch([folder])
            try write("a", in: folder)
            await settles(watch)
            try FileManager.default.removeItem(atPath: folder.path(of: "a"))
            try await watch.change(clock).value
            let again = watch.change(clock)
            clock.advance(by: .seconds(1))
            try await again.value
            let quiet = watch.change(clock)
            clock.advance(by: .seconds(59))
            #expect(quiet.isPending)
            quiet.cancel()
        }
    }

    @Test func `each of several watches of a folder is woken`() async throws {
        try await withFolder {
            var watches = (0..<100).map { _ in FolderWatch([folder]) }
            let changes = watches.map { $0.change(clock) }
            try write("a", in: folder)
            for change in changes { try await change.value }
            // The others continue without one.
            watches.removeLast(99)
            await settles(watches[0])
            let last = watches[0].change(clock)
            try write("b", in: folder)
            try await last.value
            #expect(clock.now == .zero)
        }
    }
}
