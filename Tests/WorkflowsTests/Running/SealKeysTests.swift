import Foundation
import TestSupport
import Testing

@testable import Workflows

/// What a journal has in place of secrets.
@Suite struct SealKeysTests {
    private static let salt = Data(repeating: 7, count: 32)
    private static let store = SecretStore.values([
        "key": SecretValue("s3cr3t-k3y"), "login": SecretValue(["name": "megan", "pin": 1234]),
    ])
    // Making a key takes long on purpose.
    private static let keys = SealKeys(store, salt: salt)
    private static let other = SealKeys(store, salt: salt)
    private let keys = Self.keys

    private func finding(
        _ real: Value, of names: [String] = ["key"], at pointer: JSONPointer = JSONPointer(["output", "a/b~c"]),
        _ place: Seal.Place = .value
    ) -> Concealment.Finding {
        Concealment.Finding(pointer: pointer, place: place, real: real, names: names, isFound: false)
    }

    @Test(arguments: 0..<100)
    func `what is sealed is opened, and cannot be read in between`(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let length = Int.random(in: 1...200, using: &random)
        let text = String((0..<length).map { _ in "abc ‹›\"\\ä🙂\u{0}0129".randomElement(using: &random) ?? "a" })
        let real: Value = seed % 4 == 0 ? .integer(Int(random.next() >> 1)) : .string(text)
        let names = [["key"], ["login"], ["key", "login"], [SealKeys.credential]][seed % 4]
        let place: Seal.Place = [.value, .name, .range(3..<9)][seed % 3]
        let seal = try keys.seal(finding(real, of: names, place), inside: "RUN-7")
        let written = Seal.text([seal])
        if length > 8 { #expect(!written.contains(real.json().dropFirst().dropLast())) }
        let read = try #require(Seal.read(written))
        #expect(read == [seal])
        #expect(try Self.other.open(read[0], inside: "RUN-7", of: "RUN") == real)
    }

    @Test func `the same text is never sealed to the same bytes, and its length does not show`() throws {
        let seals = try ["a", "a", "a much longer text"].map { try keys.seal(finding(.string($0)), inside: "RUN-1") }
        #expect(Set(seals.map(\.box)).count == 3)
        #expect(Set(seals.map(\.box.count)).count == 1)
    }

    @Test func `another secret, run, event or place does not open it`() throws {
        let seal = try keys.seal(finding("text"), inside: "RUN-7")
        func open(_ seal: Seal, _ keys: SealKeys, _ event: String = "RUN-7") throws -> Value {
            try keys.open(seal, inside: event, of: "RUN")
        }
        #expect(try open(seal, keys) == "text")
        let others = [
            SealKeys(.values(["key": SecretValue("another")]), salt: Self.salt),
            SealKeys(Self.store, salt: Data(repeating: 8, count: 32)),
        ]
        for other in others { #expect(throws: ChangedSecrets(run: "RUN", names: ["key"])) { try open(seal, other) } }
        #expect(throws: ChangedSecrets.self) { try open(seal, keys, "RUN-8") }
        for change in [
            { $0.pointer = JSONPointer(["output"]) }, { $0.place = .name }, { $0.isFound = true },
            { $0.box[20] ^= 1 }, { $0.box.removeLast() }, { $0.box = Data() },
        ] as [(inout Seal) -> Void] {
            var changed = seal
            change(&changed)
            #expect(throws: ChangedSecrets.self) { try open(changed, keys) }
        }
        var moved = seal
        moved.names = ["login"]
        #expect(throws: ChangedSecrets(run: "RUN", names: ["login"])) { try open(moved, keys) }
    }

    @Test func `a missing secret is said`() throws {
        let seal = try keys.seal(finding("text"), inside: "RUN-7")
        let error = #expect(throws: WorkflowError.self) {
            try SealKeys(.none, salt: Self.salt).open(seal, inside: "RUN-7", of: "RUN")
        }
        #expect(error?.status == 403)
        #expect(error?.detail?.contains("GRAPHFLOW_SECRET_KEY") == true)
    }

    @Test(arguments: ["", "{}", "[1]", "[{\"at\":\"/a\",\"in\":[2,1],\"of\":[],\"found\":true,\"sealed\":\"\"}]"])
    func `a line's seals that are not as they were written are refused`(text: String) {
        #expect(Seal.read(text) == nil)
    }
}
