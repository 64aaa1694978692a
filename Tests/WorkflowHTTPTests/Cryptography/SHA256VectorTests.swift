import Foundation
import Testing
import WorkflowHTTP

/// NIST's test vectors for hashing bytes, as the Secure Hash Algorithm Validation System publishes them.
@Suite struct SHA256VectorTests {
    private static func lines(_ name: String) throws -> [(name: String, value: String)] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "SHA256Vectors")
        let text = try String(contentsOf: folder.appending(path: "SHA256\(name).rsp"), encoding: .utf8)
        return text.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " = ")
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
    }

    private static func bytes(_ hexadecimal: String) -> Data {
        let digits = Array(hexadecimal.utf8)
        return Data(
            stride(from: 0, to: digits.count - 1, by: 2).map { place in
                UInt8(String(decoding: digits[place...place + 1], as: UTF8.self), radix: 16) ?? 0
            })
    }

    @Test(arguments: [("ShortMsg", 65), ("LongMsg", 64)])
    func `hashes every message`(file: String, count: Int) throws {
        var (length, message, checked) = (0, Data(), 0)
        for (name, value) in try Self.lines(file) {
            switch name {
            case "Len": length = try #require(Int(value))
            case "Msg": message = Self.bytes(value).prefix(length / 8)
            case "MD":
                #expect(SHA256.hex(of: message) == value)
                checked += 1
            default: break
            }
        }
        #expect(checked == count)
    }

    @Test func `passes the Monte Carlo test`() throws {
        let lines = try Self.lines("Monte")
        var seed = Self.bytes(try #require(lines.first { $0.name == "Seed" }?.value))
        let expected = lines.filter { $0.name == "MD" }.map(\.value)
        #expect(expected.count == 100)
        for value in expected {
            var last = [seed, seed, seed]
            for _ in 0..<1_000 { last = [last[1], last[2], Data(SHA256.hash(of: last[0] + last[1] + last[2]))] }
            seed = last[2]
            #expect([UInt8](seed).hex == value)
        }
    }
}
