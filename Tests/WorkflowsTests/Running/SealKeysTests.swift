import Foundation
import TestSupport
import Testing
import WorkflowHTTP

@testable import Workflows
@testable import WorkflowHistory

/// What a journal has in place of secrets.
@Suite struct SealKeysTests {
    private static let store = SecretStore.values([
        "key": SecretValue("s3cr3t-k3y"), "login": SecretValue(["name": "megan", "pin": 1234]),
    ])
    private let runs = TemporaryRuns()

    private var file: KeyFile { runs.folder.keyFile }

    /// The keys of one process.
    private func keys(_ store: SecretStore = store, in file: KeyFile? = nil) -> SealKeys {
        SealKeys(store, SealSource(file: file ?? self.file))
    }

    private func finding(
        _ real: Value, of names: [String] = ["key"], at pointer: JSONPointer = JSONPointer(["output", "a/b~c"]),
        _ place: Seal.Place = .value
    ) -> Concealment.Finding {
        Concealment.Finding(pointer: pointer, place: place, real: real, names: names, isFound: false)
    }

    private func seal(_ real: Value, of names: [String] = ["key"]) throws -> Seal {
        try keys().seal(finding(real, of: names), inside: "RUN-7", of: "RUN")
    }

    @Test(arguments: 0..<100)
    func `what is sealed is opened, and cannot be read in between`(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let length = seed == 0 ? 10_000 : Int.random(in: 0...200, using: &random)
        let text = String((0..<length).map { _ in "abc ‹›\"\\ä🙂\u{0}0129%".randomElement(using: &random) ?? "a" })
        let real: Value = seed % 4 == 0 ? .integer(Int(random.next() >> 1)) : .string(text)
        let names = [["key"], ["login"], ["key", "login"], [Seal.credential]][seed % 4]
        let place: Seal.Place = [.value, .name, .range(3..<9)][seed % 3]
        let seal = try keys().seal(finding(real, of: names, place), inside: "RUN-7", of: "RUN")
        let written = Seal.text([seal])
        if length > 8 { #expect(!written.contains(real.json().dropFirst().dropLast())) }
        let read = try #require(Seal.read(written))
        #expect(read == [seal])
        #expect(try keys().open(read[0], inside: "RUN-7", of: "RUN") == real)
    }

    @Test func `the same text is never sealed to the same bytes, and its length does not show`() throws {
        let seals = try ["a", "a", "a much longer text", ""].map { try seal(.string($0)) }
        #expect(Set(seals.map(\.box)).count == 4)
        #expect(Set(seals.map(\.box.count)).count == 1)
    }

    @Test func `the secret alone opens nothing`() throws {
        let seal = try seal("text")
        let other = KeyFile(path: file.path + "-2")
        _ = try other.readOrMake()
        let error = #expect(throws: JournalError.self) {
            try keys(in: other).open(seal, inside: "RUN-7", of: "RUN")
        }
        #expect(error?.code == .refused)
        #expect(error?.message.contains("the key in \(other.path) is a different one") == true)
    }

    @Test func `another secret does not open it, and is named`() throws {
        let seal = try seal("text")
        let another = SecretStore.values(["key": SecretValue("another")])
        #expect(throws: ChangedSecrets(run: "RUN", names: ["key"])) {
            try keys(another).open(seal, inside: "RUN-7", of: "RUN")
        }
        let both = try self.seal("text", of: ["key", "login"])
        let changed = SecretStore.values(["key": SecretValue("s3cr3t-k3y"), "login": SecretValue("megan")])
        #expect(throws: ChangedSecrets(run: "RUN", names: ["key", "login"])) {
            try keys(changed).open(both, inside: "RUN-7", of: "RUN")
        }
    }

    @Test func `a seal that was changed or moved is refused`() throws {
        let seal = try seal("text")
        let keys = keys()
        #expect(try keys.open(seal, inside: "RUN-7", of: "RUN") == "text")
        func isRefused(_ seal: Seal, inside event: String = "RUN-7", of run: String = "RUN") {
            let error = #expect(throws: JournalError.self) { try keys.open(seal, inside: event, of: run) }
            #expect(error?.code == .damaged)
        }
        isRefused(seal, inside: "RUN-8")
        isRefused(seal, of: "RUN2")
        for change in [
            { $0.pointer = JSONPointer(["output"]) }, { $0.place = .name }, { $0.place = .range(3..<9) },
            { $0.isFound = true }, { $0.names = ["login"] }, { $0.names = ["key", "login"] }, { $0.names = [] },
            { $0.box.removeLast() }, { $0.box.append(0) }, { $0.box = $0.box.prefix(8) },
            { $0.box = $0.box.prefix(36) },
        ] as [(inout Seal) -> Void] {
            var changed = seal
            change(&changed)
            isRefused(changed)
        }
        for index in seal.box.indices.dropFirst(8) {
            var changed = seal
            changed.box[index] ^= 1
            isRefused(changed)
        }
        var former = seal
        former.isFormer = true
        #expect(throws: ChangedSecrets.self) { try keys.open(former, inside: "RUN-7", of: "RUN") }
    }

    @Test func `a key that was lost is said, and no other one is made in its place`() throws {
        let seal = try seal("text")
        try FileManager.default.removeItem(atPath: file.path)
        let error = #expect(throws: JournalError.self) { try keys().open(seal, inside: "RUN-7", of: "RUN") }
        #expect(error?.code == .refused)
        #expect(error?.message.contains("the key in \(file.path) is missing") == true)
        #expect(error?.hint?.contains("restore that file") == true)
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test func `a key that cannot be used is said`() throws {
        let seal = try seal("text")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        for use in [
            { _ = try keys().open(seal, inside: "RUN-7", of: "RUN") }, { try keys().prepare() },
            { _ = try keys().seal(finding("text"), inside: "RUN-7", of: "RUN") },
        ] as [() throws -> Void] {
            let error = #expect(throws: JournalError.self) { try use() }
            #expect(error?.message.contains("the key of secrets in \(file.path) cannot be used") == true)
            #expect(error?.message.contains("chmod 600") == true)
        }
    }

    @Test func `without libcrypto nothing is sealed or opened, and it is said what to install`() throws {
        let seal = try seal("text")
        let missing = Result<CryptoLibrary, SystemError>.failure(SystemError("libcrypto is needed: install libssl3"))
        let keys = SealKeys(Self.store, SealSource(file: file), with: missing)
        for use in [
            { _ = try keys.open(seal, inside: "RUN-7", of: "RUN") }, { try keys.prepare() },
            { _ = try keys.seal(finding("text"), inside: "RUN-7", of: "RUN") },
        ] as [() throws -> Void] {
            let error = #expect(throws: JournalError.self) { try use() }
            #expect(error?.message.contains("install libssl3") == true)
        }
    }

    @Test func `what is kept nowhere needs no file`() throws {
        let known = SealKeys(Self.store, SealSource())
        try known.prepare()
        let seal = try known.seal(finding("text"), inside: "RUN-7", of: "RUN")
        #expect(try SealKeys(Self.store, SealSource()).open(seal, inside: "RUN-7", of: "RUN") == "text")
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test func `a token of Graph opens in this process only, whatever the file says`() throws {
        let seal = try seal("text", of: [Seal.token])
        #expect(try keys().open(seal, inside: "RUN-7", of: "RUN") == "text")
        #expect(!FileManager.default.fileExists(atPath: file.path))
        // As another process would have sealed it.
        var other = seal
        other.box[0] ^= 1
        #expect(throws: ChangedSecrets.self) { try keys().open(other, inside: "RUN-7", of: "RUN") }
    }

    @Test func `a missing secret is said`() throws {
        let seal = try seal("text")
        let error = #expect(throws: WorkflowError.self) {
            try keys(.none).open(seal, inside: "RUN-7", of: "RUN")
        }
        #expect(error?.status == 403)
        #expect(error?.detail?.contains("GRAPHFLOW_SECRET_KEY") == true)
    }

    @Test(arguments: ["", "{}", "[1]", "[{\"at\":\"/a\",\"in\":[2,1],\"of\":[],\"found\":true,\"box\":\"\"}]"])
    func `a line's seals that are not as they were written are refused`(text: String) {
        #expect(Seal.read(text) == nil)
    }
}
