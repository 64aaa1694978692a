import Foundation
import Testing

@testable import WorkflowHTTP

@Suite final class SecretStoreTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("secrets-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func file(_ text: String, mode: Int = 0o600) throws -> URL {
        let url = folder.appendingPathComponent(UUID().uuidString)
        try Data(text.utf8).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
        return url
    }

    @Test func `the environment's variables are named after the secrets`() {
        let store = SecretStore.environment([
            "GRAPHFLOW_SECRET_API_KEY": "abc", "GRAPHFLOW_SECRET_LOGIN": #" {"username":"a","password":"b"}"#,
            "GRAPHFLOW_SECRET_ODD": "{no json", "GRAPHFLOW_SECRET_EMPTY": "", "GRAPHFLOW_SECRET_NUMBER": "0123",
        ])
        #expect(store["api-key"]?.revealed == "abc")
        #expect(store["apiKey"] == nil)
        #expect(store["Api.Key"]?.revealed == "abc")
        #expect(store["login"]?.revealed == ["username": "a", "password": "b"])
        #expect(store["odd"]?.revealed == "{no json")
        #expect(store["number"]?.revealed == "0123")
        #expect(store["empty"] == nil)
        #expect(store["other"] == nil)
        #expect(SecretStore.variable(for: "straße 1") == "GRAPHFLOW_SECRET_STRASSE_1")
    }

    @Test func `a file holds texts and data, and goes before the environment`() throws {
        for text in ["key: abc\nlogin: { username: a }\nnone: null\n", #"{"key":"abc","login":{"username":"a"}}"#] {
            let store = try SecretStore.file(try file(text)).or(
                .values(["key": SecretValue("x"), "more": SecretValue("y")]))
            #expect(store["key"]?.revealed == "abc")
            #expect(store["login"]?.revealed == ["username": "a"])
            #expect(store["more"]?.revealed == "y")
            #expect(store["none"] == nil)
        }
    }

    @Test(arguments: [0o644, 0o640, 0o602, 0o610, 0o666])
    func `a file that others may read or change is refused`(mode: Int) throws {
        let url = try file("key: abc", mode: mode)
        let error = #expect(throws: SecretStoreError.self) { try SecretStore.file(url) }
        #expect(error?.hint?.hasPrefix("run 'chmod 600 ") == true)
    }

    @Test(arguments: [
        "key: hunter2: x", "[hunter2]", "hunter2", "key: 12345", "", "key: hunter2\n\tb: c", #"{"key": "hunter2}"#,
    ])
    func `a file that is wrong is told of without anything that is in it`(text: String) throws {
        let url = try file(text)
        let error = #expect(throws: SecretStoreError.self) { try SecretStore.file(url) }
        let told = error.map { "\($0)" } ?? ""
        #expect(!told.contains("hunter2") && !told.contains("12345"), "\(told)")
    }

    @Test(arguments: ["/", "/dev/zero", "/nowhere/at/all"])
    func `what is no file is refused`(path: String) {
        #expect(throws: SecretStoreError.self) { try SecretStore.file(URL(fileURLWithPath: path)) }
    }

    @Test func `no way of writing it down shows what a secret holds`() {
        let value = SecretValue(["password": "hunter2"])
        var dumped = ""
        dump([value], to: &dumped)
        #expect(!"\(value) \([value]) \(String(reflecting: value)) \(dumped)".contains("hunter2"))
    }
}
