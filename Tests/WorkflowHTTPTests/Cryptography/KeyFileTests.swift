import Foundation
import Promises
import Testing

@testable import WorkflowHTTP

/// The key of a home, which all its processes read.
@Suite struct KeyFileTests {
    private let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        .appendingPathComponent("key ä-\(UUID().uuidString)", isDirectory: true)

    private var file: KeyFile { KeyFile(path: folder.appendingPathComponent("home/key").path) }

    private func put(_ data: Data, mode: Int = 0o600) throws {
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("home"), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try #require(
            FileManager.default.createFile(atPath: file.path, contents: data, attributes: [.posixPermissions: mode]))
    }

    @Test func `a key is made once, for its owner only, with the folders that are missing`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try file.read() == nil)
        let key = try file.readOrMake()
        #expect(key.count == 32)
        #expect(try file.readOrMake() == key)
        #expect(try file.read() == key)
        for (path, mode) in [(file.path, 0o600), (folder.appendingPathComponent("home").path, 0o700)] {
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == mode)
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent("home").path) == ["key"])
    }

    @Test func `all who make it at the same time get the same one`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        for _ in 0..<20 {
            try? FileManager.default.removeItem(at: folder)
            let file = file
            let keys = try await withThrowingTaskGroup(of: Data.self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        try await Promise<Data> { resolver in
                            SystemThread.start {
                                do { resolver.fulfill(try file.readOrMake()) } catch { resolver.reject(error) }
                            }
                        }.value
                    }
                }
                return try await group.reduce(into: Set<Data>()) { $0.insert($1) }
            }
            #expect(keys.count == 1)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent("home").path)
            #expect(names == ["key"])
        }
    }

    @Test(
        arguments: [
            (Data(), "it has 0 bytes"), (Data(repeating: 1, count: 31), "it has 31 bytes"),
            (Data(repeating: 1, count: 33), "it has 33 bytes"), (Data(count: 32), "zeros"),
            (Data("ä🙂\"%‹›".utf8), "bytes, and a key has 32"),
            (Data(repeating: 1, count: 10_000), "it has 10000 bytes"),
        ])
    func `a file that is no key is refused, and stays as it is`(content: Data, words: String) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try put(content)
        for read in [{ try file.read() }, { try file.readOrMake() }] as [() throws -> Data?] {
            let error = #expect(throws: SystemError.self) { try read() }
            #expect(error?.description.contains(words) == true, "\(String(describing: error))")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: file.path)) == content)
    }

    @Test(arguments: [0o644, 0o640, 0o604, 0o620, 0o606]) func `a key that others can read or change is refused`(
        mode: Int
    ) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try put(.random(32), mode: mode)
        let error = #expect(throws: SystemError.self) { try file.readOrMake() }
        #expect(error?.description.contains("chmod 600") == true)
    }

    @Test func `a link or a folder in the place of a key is refused`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try put(.random(32))
        try FileManager.default.moveItem(atPath: file.path, toPath: file.path + "-2")
        try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: file.path + "-2")
        #expect(throws: SystemError("it is a symbolic link", code: ELOOP)) { try file.readOrMake() }
        try FileManager.default.removeItem(atPath: file.path)
        try FileManager.default.createDirectory(atPath: file.path, withIntermediateDirectories: false)
        #expect(throws: SystemError.self) { try file.readOrMake() }
    }
}
