import Foundation
import TestSupport
import Testing
import Workflows

struct WorkflowFilesTests {
    @Test func `a file in the folder or below is read`() throws {
        let folder = try TemporaryFolder()
        try folder.write("a.txt", "a")
        try folder.write("sub/b.txt", "b")
        try folder.link("link.txt", to: "sub/b.txt")
        let files = WorkflowFiles(folder: folder.url)
        #expect(try files.contents(of: "a.txt") == Data("a".utf8))
        #expect(try files.contents(of: "./sub/../sub/b.txt") == Data("b".utf8))
        #expect(try files.contents(of: "link.txt") == Data("b".utf8))
    }

    @Test func `a folder that is reached by a link is a folder`() throws {
        let folder = try TemporaryFolder()
        try folder.write("real/a.txt", "a")
        try folder.link("alias", to: "real")
        let files = WorkflowFiles(folder: folder.url.appending(path: "alias"))
        #expect(try files.contents(of: "a.txt") == Data("a".utf8))
        #expect(throws: FunctionError.self) { try files.contents(of: "../real/a.txt/../../../x") }
    }

    @Test(arguments: [
        "../secret.txt", "sub/../../secret.txt", "/etc/passwd", "~/x", "out.txt", "outer/secret.txt", "loop",
    ])
    func `a file outside is refused, whichever way leads there`(path: String) throws {
        let folder = try TemporaryFolder()
        try folder.write("secret.txt", "secret")
        try folder.write("flow/a.txt", "a")
        try folder.write("flow/sub/b.txt", "b")
        try folder.link("flow/out.txt", to: "../secret.txt")
        try folder.link("flow/outer", to: "..")
        try folder.link("flow/loop", to: "loop")
        let files = WorkflowFiles(folder: folder.url.appending(path: "flow"))
        #expect(throws: FunctionError.self) { try files.contents(of: path) }
    }

    @Test func `a folder beside with a name that begins alike is outside`() throws {
        let folder = try TemporaryFolder()
        try folder.write("flow-other/a.txt", "a")
        try folder.write("flow/a.txt", "a")
        let files = WorkflowFiles(folder: folder.url.appending(path: "flow"))
        let error = #expect(throws: FunctionError.self) { try files.contents(of: "../flow-other/a.txt") }
        #expect(error?.message.contains("outside") == true)
    }

    @Test func `a file that is not there suggests the one that is`() throws {
        let folder = try TemporaryFolder()
        try folder.write("email-body.html", "x")
        let files = WorkflowFiles(folder: folder.url)
        let error = #expect(throws: FunctionError.self) { try files.contents(of: "email-boby.html") }
        #expect(error?.message == "There is no file 'email-boby.html' next to the workflow")
        #expect(error?.hint?.contains("email-body.html") == true)
    }

    @Test(arguments: ["", ".", "sub", "a\u{0}b"])
    func `what is no file is refused`(path: String) throws {
        let folder = try TemporaryFolder()
        try folder.write("sub/b.txt", "b")
        #expect(throws: FunctionError.self) { try WorkflowFiles(folder: folder.url).contents(of: path) }
    }

    @Test func `a pipe is refused instead of waited for`() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "pipe").path(percentEncoded: false)
        #expect(unsafe mkfifo(path, 0o600) == 0)
        #expect(throws: FunctionError.self) { try WorkflowFiles(folder: folder.url).contents(of: "pipe") }
    }

    @Test func `a workflow without a folder has no files`() {
        #expect(throws: FunctionError.self) { try WorkflowFiles(folder: nil).contents(of: "a.txt") }
    }
}
