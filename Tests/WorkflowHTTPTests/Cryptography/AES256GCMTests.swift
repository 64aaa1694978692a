import Foundation
import Testing

@testable import WorkflowHTTP

/// The test vectors that NIST publishes with the mode (McGrew and Viega, "The Galois/Counter Mode of Operation").
@Suite struct AES256GCMTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let name: String
        let key: String
        let nonce: String
        var plain = ""
        var label = ""
        var encrypted = ""
        let tag: String
        var testDescription: String { name }
    }

    private static let key = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"
    private static let text =
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525"
        + "b16aedf5aa0de657ba637b391aafd255"
    private static let encrypted =
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838"
        + "c5f61e6393ba7a0abcc9f662898015ad"
    static let vectors = [
        Vector(
            name: "case 13", key: String(repeating: "0", count: 64), nonce: String(repeating: "0", count: 24),
            tag: "530f8afbc74536b9a963b4f1c4cb738b"),
        Vector(
            name: "case 14", key: String(repeating: "0", count: 64), nonce: String(repeating: "0", count: 24),
            plain: String(repeating: "0", count: 32), encrypted: "cea7403d4d606b6e074ec5d3baf39d18",
            tag: "d0d1c8a799996bf0265b98b5d48ab919"),
        Vector(
            name: "case 15", key: key, nonce: "cafebabefacedbaddecaf888", plain: text, encrypted: encrypted,
            tag: "b094dac5d93471bdec1a502270e3cc6c"),
        Vector(
            name: "case 16", key: key, nonce: "cafebabefacedbaddecaf888", plain: String(text.prefix(120)),
            label: "feedfacedeadbeeffeedfacedeadbeefabaddad2", encrypted: String(encrypted.prefix(120)),
            tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
    ]

    private func cipher(_ key: Data) throws -> AES256GCM { AES256GCM(key: key, try CryptoLibrary.system.get()) }

    @Test(arguments: vectors) func `seals and opens as published`(vector: Vector) throws {
        let cipher = try cipher(Data(hex: vector.key))
        let box = try cipher.seal(
            Data(hex: vector.plain), label: Data(hex: vector.label), nonce: Data(hex: vector.nonce))
        #expect(box.hex == vector.nonce + vector.encrypted + vector.tag)
        #expect(try cipher.open(box, label: Data(hex: vector.label))?.hex == vector.plain)
    }

    @Test func `no bit of a box, and no byte of its label, can be changed`() throws {
        let cipher = try cipher(.random(AES256GCM.keySize))
        let box = try cipher.seal(Data("ä 🙂".utf8), label: Data("RUN-1".utf8))
        for index in box.indices {
            for bit in 0..<8 {
                var changed = box
                changed[index] ^= 1 << UInt8(bit)
                #expect(try cipher.open(changed, label: Data("RUN-1".utf8)) == nil)
            }
        }
        for label in ["", "RUN-2", "RUN-1 ", "run-1"] { #expect(try cipher.open(box, label: Data(label.utf8)) == nil) }
        for count in 0..<box.count { #expect(try cipher.open(box.prefix(count), label: Data("RUN-1".utf8)) == nil) }
        #expect(try self.cipher(.random(AES256GCM.keySize)).open(box, label: Data("RUN-1".utf8)) == nil)
    }

    @Test func `a nonce is never used twice`() throws {
        let cipher = try cipher(.random(AES256GCM.keySize))
        let nonces = try (0..<1_000).map { _ in try cipher.seal(Data(), label: Data()).prefix(12) }
        #expect(Set(nonces).count == 1_000)
    }

    @Test(arguments: [0, 1, 15, 16, 17, 10_000, 1 << 20]) func `opens what it sealed, of any length`(count: Int) throws
    {
        let cipher = try cipher(.random(AES256GCM.keySize))
        let (plain, label) = (Data.random(count), Data.random(count % 1_000))
        let box = try cipher.seal(plain, label: label)
        #expect(box.count == count + 28)
        #expect(try cipher.open(box, label: label) == plain)
    }

    @Test func `without libcrypto it is said what to install`() {
        let error = #expect(throws: SystemError.self) { try CryptoLibrary(["libnowhere.so.3", "libnowhere.so"]) }
        #expect(error?.description.contains("libcrypto") == true)
        #expect(error?.description.contains("libnowhere.so.3: cannot open shared object file") == true)
        #expect(error?.description.contains("libssl3") == true)
    }

    @Test func `a library without the functions is none`() {
        let error = #expect(throws: SystemError.self) { try CryptoLibrary(["libc.so.6"]) }
        #expect(error?.description.contains("libc.so.6 has no function ERR_get_error") == true)
    }
}

extension Data {
    /// The bytes that pairs of hexadecimal digits write.
    init(hex: String) {
        let digits = hex.compactMap(\.hexDigitValue)
        self.init(
            stride(from: 0, to: digits.count, by: 2).map { (first: Int) -> UInt8 in
                let (high, low) = (digits[first], digits[first + 1])
                return UInt8(high << 4 | low)
            })
    }
}
