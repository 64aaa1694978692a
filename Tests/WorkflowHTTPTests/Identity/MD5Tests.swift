import Foundation
import Testing
import WorkflowHTTP

/// RFC 1321, appendix A.5.
struct MD5Tests {
    @Test(arguments: [
        ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
        ("abc", "900150983cd24fb0d6963f7d28e17f72"), ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
        (
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "d174ab98d277d9f5a5611c2c9f419d9f"
        ),
        (
            "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
            "57edf4a22be3c955ac49da2e2107b67a"
        ),
    ])
    func `hashes the texts of the standard`(text: String, hash: String) {
        #expect(MD5.hex(of: Data(text.utf8)) == hash)
    }

    @Test func `hashes texts of every length around a block`() {
        // Of md5 itself: what `for n in 55 56 57 63 64 65; do head -c $n /dev/zero | md5sum; done` prints.
        let known = [
            55: "c9ea3314b91c9fd4e38f9432064fd1f2", 56: "e3c4dd21a9171fd39d208efa09bf7883",
            57: "ab9d8ef2ffa9145d6c325cefa41d5d4e", 63: "65cecfb980d72fde57d175d6ec1c3f64",
            64: "3b5d3c7d207e37dceeedd301e35e2e58", 65: "1ef5e829303a139ce967440e0cdca10c",
        ]
        for (count, hash) in known { #expect(MD5.hex(of: Data(repeating: 0, count: count)) == hash) }
    }
}

/// RFC 4231, section 4.
struct HMACTests {
    @Test(arguments: [
        (
            Data(repeating: 0x0b, count: 20), Data("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Data("Jefe".utf8), Data("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            Data(repeating: 0xaa, count: 20), Data(repeating: 0xdd, count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            Data(1...25), Data(repeating: 0xcd, count: 50),
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        ),
        (
            Data(repeating: 0xaa, count: 131), Data("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        (
            Data(repeating: 0xaa, count: 131),
            Data(
                "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm."
                    .utf8),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ])
    func `signs the messages of the standard`(key: Data, message: Data, code: String) {
        #expect(SHA256.authenticationCode(for: message, key: key).hex == code)
    }
}
