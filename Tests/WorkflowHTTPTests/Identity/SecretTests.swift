import Testing
import WorkflowHTTP

struct SecretTests {
    private let secret = Secret("hunter2")

    @Test func `no way of writing a secret down shows its text`() {
        var dumped = ""
        dump(secret, to: &dumped)
        dump(["a": Optional(secret)], to: &dumped)
        let texts = [
            String(describing: secret), String(reflecting: secret), "\([secret])", "\(["a": secret])",
            String(describing: Optional(secret)), "\((1, secret))", dumped,
        ]
        for text in texts { #expect(!text.contains("hunter"), "\(text)") }
        #expect(Mirror(reflecting: secret).children.isEmpty)
        #expect(!(secret as Any is any Encodable))
    }

    @Test func `the text is there for who asks for it by name`() {
        #expect(secret.revealed == "hunter2")
        #expect(secret == Secret("hunter2"))
        #expect(Secret("").isEmpty)
    }
}
