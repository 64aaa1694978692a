/// The key that signs the sandbox's tokens (RS256 of RFC 7518), for programs that check signatures.
///
/// It is the same everywhere and public: its signatures prove nothing outside a sandbox.
enum SandboxSigningKey {
    /// The key's thumbprint (RFC 7638).
    static let id = "ojtuuoEM_BcEY1XzaUYpphtOrQ5kMPAohg7nGQoXKpI"

    /// The key for clients (RFC 7517).
    static let publicKey: Value = [
        "kty": "RSA", "use": "sig", "alg": "RS256", "kid": .string(id), "e": "AQAB", "n": .string(modulus),
    ]

    /// A token with these claims (RFC 7515, compact form).
    /// - Throws: A service failure if libcrypto is missing.
    static func token(_ claims: Object) throws(SandboxSignInError) -> String {
        do throws(SystemError) {
            let key = try key.get()
            return try JSONWebToken.signed(["typ": "JWT", "alg": "RS256", "kid": .string(id)], .object(claims)) {
                text throws(SystemError) in try key.signature(of: text, .pkcs1)
            }.revealed
        } catch {
            throw SandboxSignInError("server_error", nil, "The sandbox cannot sign tokens: \(error).", status: 500)
        }
    }

    static let key = Result { () throws(SystemError) in
        try RSAKey(der: Data(base64Encoded: encoded) ?? Data(), try CryptoLibrary.system.get())
    }

    private static let modulus =
        "q5LyuWBH7ajKkRMPRU6K5MDrn_fg61UZ7odhU-AI57bWVD4G4L3bJekrB-3IfWr2R822ffitpV0KKSQO-OaeqfU1x2zE3tuSLJ3l"
        + "sQy2VaYOhHIutGQkHz-Bj4lmehZ5F5QoU6llXdVbDxlm08Smtn9z5OpqIwcMK4jUlTXnElIgVLwlbMgG289oDoJQohm5egxsS45v"
        + "qfazo_jFjsAOndpeNV_l2w9feXBsLxmjxrnmmwBzvE1VzfVG2-ySbG6JtNDsd5G4vSNKI50-pGP_HdL6tCMTJTZC8X09ZT2T2fuK"
        + "iHzH1SNsclmdD7CrpnkCjhWRGLs3RKgDa4_jHwyURw"
    /// PKCS #1.
    private static let encoded =
        "MIIEpAIBAAKCAQEAq5LyuWBH7ajKkRMPRU6K5MDrn/fg61UZ7odhU+AI57bWVD4G4L3bJekrB+3IfWr2R822ffitpV0KKSQO+Oae"
        + "qfU1x2zE3tuSLJ3lsQy2VaYOhHIutGQkHz+Bj4lmehZ5F5QoU6llXdVbDxlm08Smtn9z5OpqIwcMK4jUlTXnElIgVLwlbMgG289o"
        + "DoJQohm5egxsS45vqfazo/jFjsAOndpeNV/l2w9feXBsLxmjxrnmmwBzvE1VzfVG2+ySbG6JtNDsd5G4vSNKI50+pGP/HdL6tCMT"
        + "JTZC8X09ZT2T2fuKiHzH1SNsclmdD7CrpnkCjhWRGLs3RKgDa4/jHwyURwIDAQABAoIBADsZyFCA0OYVwYlNpnH6Ry/bII8fBLQr"
        + "wV3/9k+9GXQv8A5eu2HJJGcftXnqt6g0IxfCzb0A31fZ/7kCOcIVNsxWsiq61enqeqSx00A0n85LAC8xYdMzt5mn94opC0q82QN9"
        + "PpLrBAbZip9d4aTK1Z6BsrtE4ECmmdOZM5keUzVk0gI9Mkm26kjOZG5K9qEHV/aKsiEw13aYgOgfNjgDc3n64OzuI8OnzkTP+zOa"
        + "wqkJ12WYKDYMuRjCanyGMo/4y/i0LDxXPFLdzAAY0/6/M80o46+mwwfYBpGxepy/bWzwUvJpbTW4Wa5QKays7rgmZGDJL9Fwib71"
        + "1jwaxxD0XXkCgYEA4dg7anvR+YMmglTOhDHPRC7NRgwg0Sm0rASvJDuqwnImauSFpY41pvK6sETUi+xuHwWPwdAJTgLbQdpAIEW4"
        + "YoWP/pPlAtjIeo7x7/vsKjnyPy2S7gBpFn3qjRgDs4YyQjFu07uSrj3/ddY9g4JIMjcsp2WBq5GqG5pFX2DSUzUCgYEAwnumaDHH"
        + "NOonxC9w3A3KyA3sh7GICKwZQcFUMfah0SZVyMsHWo34MTMBtjRX0uWHOu3XJH/soa7Hp43w/r4KGoMccwDnXVwRy1RW5DQD/7Sv"
        + "M4TnAGgdbAbMpNKyeZgimPhlPdp5iW6bfotIl+hB9DHJpEfu52N7Cjwrk8T+HQsCgYAare6m76WociPUdaxH1ZKEnXrGcZxW2TRs"
        + "tcjy4NGVUuLS8dgP7LLN3BLNy/PH69A+feuzm53dx1ybdOrqZRIZIWoXSuVc5rsYL1bJYNtPSbUiXYHj98xyScGxlUqqpIm/ZBOR"
        + "k7EKQGyzQPHXXUamF/qAc+9Tk0ujIyBa2hc+mQKBgQCajs/xkFXDHK+bvyQPDbrw//fQ4uq8EaFE25LA3kM9Rxz3pTpj4d2zo9ih"
        + "Z7m/9f9herD25d81owQyiaBTos2+wiGy164HSOsvTwh69UeUSJDP/bfjX9q6BjFOb8+8yIX+UbGL1XuvF8Llb2Wyq7b2jTa1oyEe"
        + "rLWUrbroBa75fwKBgQCa8bqkCfOlPPq4N1lQP63teqG08wTCtP+kGQbQjOdQJTOp6SxPWnz8xaqbU9DcvniyTyEl7POuMf1Jitcf"
        + "EjbkfTm5z3qqcIMNTSPWksHPeoQPg93pNlRNCmRY4KdVS1aiAsYthtjogwEDx8brQjhuJxEQpYW6+31zyDW3mMm2dw=="
}
