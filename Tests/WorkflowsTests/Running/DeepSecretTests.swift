import TestSupport
import Testing

@testable import Workflows

/// Secrets in data that is nested deeply.
@Suite struct DeepSecretTests {
    @Test(arguments: [true, false])
    func `data that is nested too deeply to be searched does not show its secret`(isArray: Bool) {
        let known = KnownSecrets()
        known.add("s3cr3t-k3y", of: ["token"])
        func nested(_ depth: Int, _ text: String) -> Value {
            (0..<depth).reduce(.string(text)) { value, _ in isArray ? [value] : ["a": value] }
        }
        #expect(known.conceal(nested(500, "s3cr3t-k3y")) == nested(500, "‹secrets.token›"))
        #expect(!known.conceal(nested(501, "s3cr3t-k3y")).json().contains("s3cr3t"))
        #expect(known.conceal(nested(501, "no secret")) == nested(501, "no secret"))
    }
}
