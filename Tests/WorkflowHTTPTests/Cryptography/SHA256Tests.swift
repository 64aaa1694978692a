import Foundation
import Testing
import WorkflowHTTP

/// The vectors are those of FIPS 180-4's examples and of NIST's SHA test vectors for hashing bytes.
@Suite struct SHA256Tests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
    ])
    func `hashes the examples of FIPS 180-4`(text: String, hash: String) {
        #expect(SHA256.hex(of: Data(text.utf8)) == hash)
    }

    @Test func `hashes a message of one byte, 0xd3`() {
        #expect(
            SHA256.hex(of: Data([0xd3])) == "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1")
    }

    @Test func `hashes a million times the letter a`() {
        #expect(
            SHA256.hex(of: Data(repeating: UInt8(ascii: "a"), count: 1_000_000))
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    /// Only large pieces are hashed by libcrypto.
    @Test(arguments: [1, 63, 64, 4_096, 65_535, 65_536, 65_600, 200_000, 999_999])
    func `hashes a million times the letter a in pieces`(size: Int) {
        var hash = SHA256()
        var left = 1_000_000
        var isLarge = false
        while left > 0 {
            // One small piece after a large one.
            let count = min(left, isLarge ? 7 : size)
            hash.update(Data(repeating: UInt8(ascii: "a"), count: count))
            (left, isLarge) = (left - count, !isLarge && size > 60_000)
        }
        #expect(hash.finalize().hex == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test func `passes the first rounds of NIST's Monte Carlo test`() {
        var seed: [UInt8] = [
            0xf4, 0x1e, 0xce, 0x26, 0x13, 0xe4, 0x57, 0x39, 0x15, 0x69, 0x6b, 0x5a, 0xdc, 0xd5, 0x1c, 0xa3, 0x28, 0xbe,
            0x3b, 0xf5, 0x66, 0xa9, 0xca, 0x99, 0xc9, 0xce, 0xb0, 0x27, 0x9c, 0x1c, 0xb0, 0xa7,
        ]
        var results: [String] = []
        for _ in 0..<3 {
            var last = [seed, seed, seed]
            for _ in 0..<1000 {
                last.append(SHA256.hash(of: Data(last.joined())))
                last.removeFirst()
            }
            seed = last[2]
            results.append(seed.hex)
        }
        #expect(
            results == [
                "83d28614d49c3adc1d6fc05db5f48037c056f8d2a4ce44ec6457dea5dd797cd1",
                "99dbe3127ef2e93dd9322d6a07909eb33b63995e529b3f954b8581621bb74d39",
                "8d4be295bb64661ca3c7efd129a2f725b33072dbdde32385b9a87b9af88ea76f",
            ])
    }

    @Test func `hashes messages of every length around the size of a block`() {
        var all = SHA256()
        for length in 0...300 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 7 + length) }
            all.update(Data(SHA256.hash(of: Data(bytes))))
        }
        #expect(all.finalize().hex == "60d63ff40b5558727a9b786ac0be9300f7ca58fd9ddd3b2f3681b369018a87dc")
    }

    @Test(arguments: [1, 3, 63, 64, 65, 127, 128, 1000])
    func `gives the same hash whatever pieces the bytes come in`(size: Int) {
        let data = Data((0..<1000).map { UInt8(truncatingIfNeeded: $0 &* $0) })
        var hash = SHA256()
        for start in stride(from: 0, to: data.count, by: size) {
            hash.update(data[start..<min(start + size, data.count)])
        }
        #expect(hash.finalize() == SHA256.hash(of: data))
    }

    @Test func `can go on after a hash was taken`() {
        var hash = SHA256()
        hash.update(Data("ab".utf8))
        #expect(hash.finalize() == SHA256.hash(of: Data("ab".utf8)))
        hash.update(Data("c".utf8))
        #expect(hash.finalize() == SHA256.hash(of: Data("abc".utf8)))
    }
}
