import Foundation
import TestSupport
import Testing

@testable import WorkflowHTTP

struct PrivateFileTests {
    @Test func `a file is read whole up to the limit, and refused above it`() throws {
        let folder = try TemporaryFolder()
        let file = PrivateFile(path: folder.url.appending(path: "private/file").path)
        try PrivateFolder(path: folder.url.appending(path: "private").path).make()
        #expect(try file.read(limit: 10) == nil)
        try file.write(Data("0123456789".utf8))
        #expect(try file.read(limit: 11) == Data("0123456789".utf8))
        #expect(try file.read(limit: 10) == Data("0123456789".utf8))
        #expect(throws: SystemError.self) { try file.read(limit: 9) }
    }
}
