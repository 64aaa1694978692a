import Foundation
import TestSupport
import Testing

@testable import WorkflowHTTP

struct PrivateFolderTests {
    @Test(arguments: ["a", "a/b/c", "a/b/.", "a/b/../c"])
    func `a folder is made with its parents, and may be there already`(path: String) throws {
        let folder = try TemporaryFolder()
        let made = PrivateFolder(path: folder.url.appending(path: "private").path + "/" + path)
        for _ in 0..<2 {
            try made.makeWithParents()
            try made.check()
        }
        #expect(try made.names() == [])
    }
}
