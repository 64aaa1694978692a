import Foundation
import Promises
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

    @Test func `a lock that is shared with MSAL is a file that exists while it is held`() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "lock").path
        let held = try FileLock(creating: path, patience: 0)
        #expect(FileLock.isHeld(path))
        #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("\(getpid()) "))
        // Real time: the limit passes on purpose.
        #expect(throws: FileLock.Failure.self) { try FileLock(creating: path, patience: 0.01) }
        held.release()
        #expect(!FileManager.default.fileExists(atPath: path))
        try FileLock(creating: path, patience: 0).release()
    }

    /// What processes leave behind that ended at once: the number of one, nothing, the number of this one.
    private static let abandoned = ["\(Int32.max) python3", "", "\(getpid()) graphflow"]

    @Test(arguments: abandoned)
    func `a file that MSAL left is taken over where it is, once it is old`(content: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "lock").path
        try Data(content.utf8).write(to: URL(filePath: path))
        let number = try Self.number(of: path)
        // A program that has just created a file may not have written into it yet. It stays new for a day.
        try Self.age(path, by: -86_400)
        #expect(throws: FileLock.Failure.self) { try FileLock(creating: path, patience: 0) }
        try Self.age(path)
        let held = try FileLock(creating: path, patience: 0)
        #expect(try Self.number(of: path) == number)
        #expect(throws: FileLock.Failure.self) { try FileLock(creating: path, patience: 0) }
        held.release()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `an old file is respected while its process lives or has locked it`() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "lock").path
        try Data("\(getppid()) python3".utf8).write(to: URL(filePath: path))
        try Self.age(path)
        do throws(FileLock.Failure) {
            _ = try FileLock(creating: path, patience: 0)
            Issue.record("the lock is held twice")
        } catch .held(let holder) {
            #expect(holder == "\(getppid()) python3")
        } catch {
            Issue.record("\(error)")
        }
        let locked = try FileLock(path, patience: 0)
        try Data("\(Int32.max) python3".utf8).write(to: URL(filePath: path))
        try Self.age(path)
        #expect(throws: FileLock.Failure.self) { try FileLock(creating: path, patience: 0) }
        locked.release()
    }

    @Test func `the file of another's lock is not removed`() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "lock").path
        let held = try FileLock(creating: path, patience: 0)
        try FileManager.default.removeItem(atPath: path)
        let other = try FileLock(creating: path, patience: 0)
        held.release()
        #expect(FileLock.isHeld(path))
        other.release()
    }

    @Test func `a lock ends with its release, although a child that is about to begin has a copy of it`() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "lock").path
        let releases: [() throws -> Void] = [
            { try FileLock(path, patience: 0).release(afterCopying: path) },
            { try FileLock(creating: path, patience: 0).release(afterCopying: path) },
        ]
        for release in releases {
            try release()
            #expect(!FileLock.isHeld(path))
            try FileLock(path, patience: 0).release()
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    @Test func `programs that are started meanwhile keep no lock that was released`() throws {
        let folder = try TemporaryFolder()
        let place = folder.url
        let failures = Locked(0)
        let isOver = Locked(false)
        let starting = (0..<3).map { _ in
            Self.onThread {
                while !isOver.withLock({ $0 }) {
                    let process = try? SystemCall.spawn("/bin/sh", ["sh", "-c", ":"], environment: [:])
                    if let process { _ = SystemCall.awaitEnd(of: process) } else { failures.withLock { $0 += 1 } }
                }
            }
        }
        let locking = (0..<3).map { number in
            Self.onThread {
                let path = place.appending(path: "lock-\(number)").path
                for _ in 0..<1_000 {
                    do { try FileLock(path, patience: 0).release() } catch { failures.withLock { $0 += 1 } }
                    if FileLock.isHeld(path) { failures.withLock { $0 += 1 } }
                }
            }
        }
        for work in locking { try work.wait() }
        isOver.withLock { $0 = true }
        for work in starting { try work.wait() }
        withExtendedLifetime(folder) {}
        #expect(failures.withLock { $0 } == 0)
    }

    @Test func `who only looks whether a lock is held does not keep others from it`() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "lock").path
        try Data().write(to: URL(filePath: path))
        let looking = unsafe open(path, O_RDONLY | O_CLOEXEC)
        #expect(flock(looking, LOCK_SH) == 0)
        // Asked for the first time when the lock could not be had.
        let lock = try FileLock(path, patience: 0) {
            SystemCall.close(looking)
            return true
        }
        #expect(FileLock.isHeld(path))
        lock.release()
    }

    private static func onThread(_ body: @escaping @Sendable () -> Void) -> Promise<Void> {
        let (promise, resolver) = Promise<Void>.pending()
        SystemThread.start {
            body()
            resolver.fulfill(())
        }
        return promise
    }

    private static func age(_ path: String, by seconds: Double = 86_400) throws {
        // Real time: a day is longer than any test.
        let date = Date(timeIntervalSinceNow: -seconds)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    }

    private static func number(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
    }
}

extension FileLock {
    /// Releases the lock while there is a copy of its descriptor, as in a child between its creation and its program.
    fileprivate func release(afterCopying path: String) throws {
        var file = stat()
        try #require(unsafe stat(path, &file) == 0)
        let open = try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").compactMap { Int32($0) }
        let numbers = open.filter { number in
            var found = stat()
            return unsafe fstat(number, &found) == 0 && found.st_ino == file.st_ino && found.st_dev == file.st_dev
        }
        try #require(numbers.count == 1)
        let copy = fcntl(numbers[0], F_DUPFD_CLOEXEC, 3)
        defer { SystemCall.close(copy) }
        release()
        #expect(!FileLock.isHeld(path))
    }
}
