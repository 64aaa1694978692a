import Foundation
import TestSupport
import Testing

@testable import WorkflowHTTP

struct FileLockTests {
    @Test func `of a holder with a long name at most 200 characters are shown`() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "lock").path
        let held = try FileLock(path, patience: 0)
        defer { held.release() }
        try Data(repeating: UInt8(ascii: "a"), count: 300).write(to: URL(filePath: path))
        do throws(FileLock.Failure) {
            _ = try FileLock(path, patience: 0)
            Issue.record("the lock is held twice")
        } catch .held(let holder) {
            #expect(holder == String(repeating: "a", count: 200))
        } catch {
            Issue.record("\(error)")
        }
    }
    @Test func `a lock that is held says which process holds it`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "lock")
        try Data(repeating: UInt8(ascii: "a"), count: 300).write(to: url)
        let held = try FileLock(url.path, patience: 0)
        defer { held.release() }
        let words = CommandLine.arguments.prefix(2)
        #expect(try Data(contentsOf: url) == Data("\(getpid()) \(words.joined(separator: " "))".utf8))
        let holder = try #require(FileLock.holder(of: url.path))
        #expect(holder.process == getpid() && holder.words.joined(separator: " ").hasPrefix(words.first ?? ""))
    }

    @Test func `a lock that is not held is free, whatever failed before`() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "lock").path
        #expect(!FileLock.isHeld(path))
        let held = try FileLock(path, patience: 0)
        #expect(FileLock.isHeld(path))
        held.release()
        // An earlier call may have left this error behind.
        errno = EWOULDBLOCK
        let isHeld = FileLock.isHeld(path)
        #expect(!isHeld)
    }
}
