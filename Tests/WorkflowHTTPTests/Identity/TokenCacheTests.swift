import Foundation
import Promises
import TestSupport
import Testing

@testable import WorkflowHTTP

struct TokenCacheTests {
    private let folder: SignInFolder
    private let told = Told<String>()

    init() throws { folder = try SignInFolder() }

    private var cache: TokenCache { .file(folder.cacheFile) { [told] in told.tell($0) } }

    private func signIn(_ cache: TokenCache, refresh: String = "refresh-1") async throws {
        let fixture = IdentityFixture(TokenAnswers.deviceCode, TokenAnswers.tokens(refresh: refresh))
        _ = try await DeviceCodeCredential(
            clientID: IdentityFixture.application, cache: cache, on: try fixture.platform()
        ) { _ in }.signIn(for: ["User.Read"]).value
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private func put(_ text: String, mode: Int = 0o600) throws {
        let parent = folder.cacheFile.deletingLastPathComponent()
        try FileManager.default.createDirectory(
            at: parent, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        _ = FileManager.default.createFile(
            atPath: folder.cacheFile.path, contents: Data(text.utf8), attributes: [.posixPermissions: mode])
    }

    @Test func `the file is the schema of MSAL, readable by its owner only`() async throws {
        try await signIn(cache)
        #expect(try mode(folder.cacheFile.path) == 0o600)
        #expect(try mode(folder.cacheFile.deletingLastPathComponent().path) == 0o700)
        let root = try Value(json: Data(contentsOf: folder.cacheFile))
        let host = "login.microsoftonline.com"
        let client = IdentityFixture.application
        let access = root["AccessToken"]?["user-1.tenant-1-\(host)-accesstoken-\(client)-tenant-1-user.read"]
        #expect(access?["secret"] == "access-1")
        #expect(access?["target"] == "User.Read")
        #expect(access?["expires_on"]?.string.flatMap { Int($0) } == 1_790_003_605)
        #expect(root["RefreshToken"]?["user-1.tenant-1-\(host)-refreshtoken-\(client)--"]?["secret"] == "refresh-1")
        let account = root["Account"]?["user-1.tenant-1-\(host)-tenant-1"]
        #expect(account?["username"] == "megan@contoso.com")
        #expect(account?["authority_type"] == "MSSTS")
        #expect(account?["local_account_id"] == "user-1")
        let names = try FileManager.default.contentsOfDirectory(
            atPath: folder.cacheFile.deletingLastPathComponent().path)
        #expect(names == ["token-cache.json"])
    }

    @Test func `what is not known is kept`() async throws {
        try put(
            #"{"Future":{"a":1},"Account":{"x":{"home_account_id":"h","unknown":[1]}},"AccessToken":{"k":{"secret":"s"}}}"#
        )
        try await signIn(cache)
        let root = try Value(json: Data(contentsOf: folder.cacheFile))
        #expect(root["Future"] == ["a": 1])
        #expect(root["Account"]?["x"]?["unknown"] == [1])
        #expect(root["AccessToken"]?["k"]?["secret"] == "s")
    }

    @Test(arguments: [#"{"AccessToken":{"a"#, "", "[]", #"{"RefreshToken":[]}"#, #"{"Account":{"a":"text"}}"#])
    func `what cannot be read is said, and set aside by the next sign-in`(text: String) async throws {
        try put(text)
        let found = await credentialError(
            of: SignedInCredential(cache: cache, on: try IdentityFixture().platform()).grant(for: TokenNeed([])))
        #expect(found?.code == .cacheUnusable)
        #expect(found?.message.contains("graphflow login") == true)
        try await signIn(cache)
        #expect(try cache.accounts.count == 1)
        let parent = folder.cacheFile.deletingLastPathComponent()
        let kept = try FileManager.default.contentsOfDirectory(atPath: parent.path).filter { $0.contains("unusable") }
        #expect(kept.count == 1)
        let copy = parent.appendingPathComponent(kept.first ?? "")
        #expect(try String(contentsOf: copy, encoding: .utf8) == text)
        #expect(try mode(copy.path) == 0o600)
        #expect(told.all.first?.contains(copy.path) == true)
    }

    @Test(arguments: [0o644, 0o640, 0o602])
    func `a file that others can read is refused`(mode: Int) async throws {
        try put("{}", mode: mode)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.cacheFile.path)
        let error = #expect(throws: CredentialError.self) { try cache.accounts }
        #expect(error?.message.contains("chmod 600") == true)
        let written = await credentialError(of: cache.forget([]))
        #expect(written?.code == .cacheUnusable)
        #expect(try String(contentsOf: folder.cacheFile, encoding: .utf8) == "{}")
    }

    @Test func `a folder that others can enter, and a symbolic link, are refused`() async throws {
        try put("{}")
        let parent = folder.cacheFile.deletingLastPathComponent().path
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: parent)
        #expect(throws: CredentialError.self) { try cache.accounts }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: parent)
        #expect(try cache.accounts.isEmpty)
        let other = folder.url.appendingPathComponent("other.json")
        try FileManager.default.moveItem(at: folder.cacheFile, to: other)
        try FileManager.default.createSymbolicLink(at: folder.cacheFile, withDestinationURL: other)
        #expect(throws: CredentialError.self) { try cache.accounts }
    }

    @Test func `changes of many at once are all kept`() async throws {
        let cache = cache
        let promises = (0..<40).map { number in
            cache.update { $0.set(.appMetadata, "key-\(number)", ["client_id": .string("\(number)")]) }
        }
        _ = try await when(fulfilled: promises).value
        #expect(try cache.read().entries(.appMetadata).count == 40)
    }

    @Test func `what another program has not finished is read when it releases the lock`() async throws {
        try put(#"{"AppMetadata": {"k"#)
        let lock = try FileLock(creating: "\(folder.cacheFile.path).lockfile", patience: 0)
        let cache = cache
        let reading = Promise<Int> { resolver in
            SystemThread.start {
                do {
                    resolver.fulfill(try cache.read().entries(.appMetadata).count)
                } catch {
                    resolver.reject(error)
                }
            }
        }
        // In place, so that nobody sees a file with other permissions.
        try Data(#"{"AppMetadata": {"key": {"client_id": "1"}}}"#.utf8).write(to: folder.cacheFile)
        lock.release()
        #expect(try await reading.value == 1)
    }

    @Test func `a lock that another program holds is waited for, and then named`() async throws {
        let path = folder.url.appendingPathComponent("lock").path
        let held = try FileLock(path, patience: 0)
        // Real time: the limit passes on purpose.
        #expect(throws: FileLock.Failure.self) { try FileLock(path, patience: 0.05) }
        do throws(FileLock.Failure) {
            _ = try FileLock(path, patience: 0)
        } catch .held(let holder) {
            #expect(holder.hasPrefix("\(ProcessInfo.processInfo.processIdentifier) "))
        } catch {
            Issue.record("\(error)")
        }
        let waiting = FileLock.acquire(path, patience: 900)
        held.release()
        try await waiting.value.release()
    }

    @Test func `whether a lock is held can be asked without making its file`() throws {
        let path = folder.url.appendingPathComponent("lock").path
        #expect(!FileLock.isHeld(path))
        #expect(!FileManager.default.fileExists(atPath: path))
        let held = try FileLock(path, patience: 0)
        defer { held.release() }
        #expect(FileLock.isHeld(path))
    }

    @Test func `a file that ends early gives what it has`() throws {
        let file = try OpenFile(folder.url.appendingPathComponent("file").path, for: .making)
        try file.write(Data("hello".utf8))
        #expect(try file.read(from: 2, count: 10) == Array("llo".utf8))
        #expect(try file.read(from: 5, count: 1).isEmpty)
    }

    @Test func `the newest refresh token is used, and of two from one second the last in the file`() throws {
        func secret(_ first: String, _ second: String) throws -> String? {
            func token(_ secret: String, _ date: String) -> Value {
                [
                    "secret": .string(secret), "home_account_id": "u.t", "environment": "login.windows.net",
                    "client_id": "c", "last_modification_time": .string(date),
                ]
            }
            let content: Value = [
                "Account": [
                    "a": [
                        "home_account_id": "u.t", "environment": "login.windows.net", "realm": "t",
                        "local_account_id": "u", "username": "megan@contoso.com",
                    ]
                ],
                "RefreshToken": ["1": token("first", first), "2": token("second", second)],
            ]
            let document = try TokenCacheDocument(content.jsonData())
            let account = try #require(document.accounts.first)
            return document.refreshToken(of: account, client: "c")?.secret?.revealed
        }
        #expect(try secret("1790000001", "1790000000") == "first")
        #expect(try secret("1790000000", "1790000001") == "second")
        #expect(try secret("1790000000", "1790000000") == "second")
    }

    @Test func `a cache of MSAL for Python is understood`() async throws {
        // Its realm is the requested tenant; its keys end with the scopes in lower case.
        try put(
            """
            {"AccessToken": {"u.t-login.windows.net-accesstoken-\(IdentityFixture.application)-organizations-user.read": {
              "credential_type": "AccessToken", "secret": "from-msal", "home_account_id": "u.t",
              "environment": "login.windows.net", "client_id": "\(IdentityFixture.application)",
              "target": "User.Read openid profile", "realm": "organizations", "token_type": "Bearer",
              "cached_at": "1790000000", "expires_on": "1790003599", "extended_expires_on": "1790003599"}},
             "Account": {"u.t-login.windows.net-organizations": {"home_account_id": "u.t",
              "environment": "login.windows.net", "realm": "organizations", "local_account_id": "u",
              "username": "megan@contoso.com", "authority_type": "MSSTS"}},
             "RefreshToken": {"r": {"credential_type": "RefreshToken", "secret": "msal-refresh", "home_account_id": "u.t",
              "environment": "login.windows.net", "client_id": "\(IdentityFixture.application)", "target": "User.Read",
              "last_modification_time": "1790000000"}}, "IdToken": {}, "AppMetadata": {}}
            """)
        let fixture = IdentityFixture(TokenAnswers.tokens(access: "access-2", tenant: "t", user: "u"))
        let credential = SignedInCredential(cache: cache, on: try fixture.platform())
        #expect(try await credential.grant(for: TokenNeed(["User.Read"])).value.token.secret.revealed == "from-msal")
        fixture.clock.advance(by: .seconds(3_600))
        #expect(try await credential.grant(for: TokenNeed(["User.Read"])).value.token.secret.revealed == "access-2")
        #expect(fixture.forms.first?["refresh_token"] == "msal-refresh")
        #expect(fixture.transport.requests.first?.url.path() == "/organizations/oauth2/v2.0/token")
        let document = try cache.read()
        #expect(document.entries(.refreshToken).count == 1)
        #expect(document.accounts.count { $0.homeAccountID == "u.t" } >= 1)
    }
}
