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

    @Test func `a lock that is shared with MSAL is a file that exists while it is held`() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "lock").path
        let held = try FileLock(creating: path, patience: 0)
        #expect(FileLock.isHeld(path))
        #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("\(getpid()) "))
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
        // Whoever has just created a file may not have written into it yet.
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

    private static func age(_ path: String) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -60)], ofItemAtPath: path)
    }

    private static func number(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
    }
}
