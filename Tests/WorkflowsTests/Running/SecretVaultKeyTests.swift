import Foundation
import Testing

@testable import Workflows

/// The placeholders of secrets in a run that another process resumes.
@Suite struct SecretVaultKeyTests {
    private static let key = Data(repeating: 7, count: 32)

    private func vault(
        _ key: Data?, inside outer: SecretVault? = nil, as run: String? = nil
    ) throws -> SecretVault {
        let workflow = try Workflow(
            text: """
                document: { dsl: 1.0.3, namespace: tests, name: test, version: 1.0.0 }
                use: { secrets: [ key, login ] }
                do: [ { a: { set: { a: 1 } } } ]
                """)
        let store = SecretStore.values([
            "key": SecretValue("tops3cret"), "login": SecretValue(["a b": "first-one", "a_b": "second-one"]),
        ])
        return SecretVault(for: workflow, from: store, isPlanning: false, key: key, inside: outer, as: run)
    }

    @Test func `the same key makes the same placeholders, and another vault knows what they stand for`() throws {
        let first = try vault(Self.key)
        let second = try vault(Self.key)
        #expect(first.data.json() == second.data.json())
        #expect(first.data["key"]?.string?.hasPrefix("‹secrets.key·") == true)
        #expect(
            try second.reveal(first.data) == ["key": "tops3cret", "login": ["a b": "first-one", "a_b": "second-one"]])
        let (token, again) = (Secret("a-token-of-the-run"), Secret("another-token"))
        #expect(first.placeholder(for: token, named: "token") == second.placeholder(for: token, named: "token"))
        #expect(first.placeholder(for: again, named: "token") != first.placeholder(for: token, named: "token"))
    }

    @Test func `without the key nobody makes them`() throws {
        let first = try vault(Self.key)
        for key in [nil, Data(repeating: 8, count: 32)] {
            let other = try vault(key)
            #expect(first.data["key"] != other.data["key"])
            #expect(try other.reveal(first.data) == first.data)
        }
        #expect(try vault(nil).data["key"] != vault(nil).data["key"])
    }

    @Test func `each secret has its own, also where names look alike`() throws {
        let login = try vault(Self.key).data["login"]
        #expect(login?["a b"]?.string?.hasPrefix("‹secrets.login.a_b·") == true)
        #expect(login?["a_b"]?.string?.hasPrefix("‹secrets.login.a_b·") == true)
        #expect(login?["a b"] != login?["a_b"])
    }

    @Test func `a run inside of a run makes its own, the same ones under the same name`() throws {
        let outer = try vault(Self.key)
        let inner = try vault(nil, inside: outer, as: "A")
        #expect(try vault(nil, inside: vault(Self.key), as: "A").data == inner.data)
        #expect(try vault(nil, inside: outer, as: "B").data != inner.data)
        #expect(inner.data != outer.data)
        // Tokens of both have the same name and must not be confused.
        let placeholders = [
            outer.placeholder(for: Secret("token-of-outer"), named: "token"),
            inner.placeholder(for: Secret("token-of-inner"), named: "token"),
        ]
        #expect(try inner.reveal(.array(placeholders.map(Value.string))) == ["token-of-outer", "token-of-inner"])
    }
}
