import Foundation
import Testing
import WorkflowHTTP

@testable import GraphSandbox

@Suite struct `The sandbox's signing key` {
    /// What another implementation (OpenSSL) signed with the same key.
    @Test func `signs as others do`() throws {
        let expected =
            "681792befef362ce85ade47f6e563488cd141ebc6021bb9c5dd52058b20e521b8bf526c597d5f09af116a7ca1a27c2dc3532d02b1e39"
            + "c0ae8750e9a2325802ba0336859186a3bfaaeefbc6ca69634489a9a22957d51c6938a49b94bee591d0f8c331b8798cf5d310d2d5"
            + "ce002923571ede2259ad08e0fdcfd8606f7c3446a02a14e353ffde5e201d79f305dd2bf375e2300821d4dab0fe582ec74be3271f"
            + "10c50190ecccb96a951aac52f0df8f89b1a35ee13adbd17d6b952fb3a488f85490b70463c540f0aeea634a21085f6843bcffa3b1"
            + "b525d6410e1791629bbdd2de9564db42e91139a8339beec8d9a8e97755106eec857c0e75f40fe94a0648be0edd5a"
        #expect(try SandboxSigningKey.key.get().signature(of: Data("graphflow".utf8), .pkcs1).hex == expected)
    }

    @Test func `is known by its thumbprint`() {
        let key = SandboxSigningKey.publicKey
        let members = #"{"e":"\#(key["e"]?.string ?? "")","kty":"RSA","n":"\#(key["n"]?.string ?? "")"}"#
        #expect(Base64URL.encode(SHA256.hash(of: Data(members.utf8))) == SandboxSigningKey.id)
        #expect(key["kid"]?.string == SandboxSigningKey.id)
    }
}
