import TestSupport
import Testing

@testable import Workflows

/// Secrets in data that is nested deeply.
@Suite struct DeepSecretTests {
    @Test(arguments: [true, false])
    func `data that is nested too deeply to be searched does not show its secret`(isArray: Bool) throws {
        let vault = SecretVault(for: try Workflow(tasks: "- a: { set: { a: 1 } }"), from: .none, isPlanning: false)
        let placeholder = vault.placeholder(for: Secret("s3cr3t-k3y"), named: "token")
        func nested(_ depth: Int, _ text: String) -> Value {
            (0..<depth).reduce(.string(text)) { value, _ in isArray ? [value] : ["a": value] }
        }
        #expect(vault.conceal(nested(500, "s3cr3t-k3y")) == nested(500, placeholder))
        let deep = vault.conceal(nested(501, "s3cr3t-k3y"))
        #expect(deep == nested(500, "‹a secret, nested too deeply to be told apart›"))
        #expect(vault.conceal(nested(501, "no secret")) == nested(501, "no secret"))
    }
}
