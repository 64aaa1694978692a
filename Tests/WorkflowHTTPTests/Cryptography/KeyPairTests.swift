import Foundation
import Promises
import TestSupport
import Testing

@testable import WorkflowHTTP

/// Files with a certificate and its key, made by the program `openssl`.
@Suite(
    .enabled(
        if: ExternalProgram.find("openssl", ProcessInfo.processInfo.environment) != nil, "there is no openssl"))
struct KeyPairTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let word = "pä ss 🙂\"%‹›"
    private let folder: SignInFolder

    init() throws { folder = try SignInFolder() }

    private func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }

    private func openssl(_ arguments: String...) async throws { try await openssl(arguments) }

    private func openssl(_ arguments: [String]) async throws {
        let file = try #require(ExternalProgram.find("openssl", Self.environment))
        let outcome = try await ExternalProgram(file: file, environment: Self.environment).run(
            arguments, patience: .seconds(900), clock: .patient
        ).value
        try #require(outcome.status == 0, "\(outcome.error)")
    }

    /// Makes a key with a certificate that it signs itself: `NAME.key` and `NAME.pem`.
    private func make(_ name: String, _ kind: String...) async throws {
        try await openssl(
            ["req", "-x509"] + (kind.isEmpty ? ["-newkey", "rsa:2048"] : kind) + [
                "-nodes", "-keyout", path("\(name).key"), "-out", path("\(name).pem"), "-days", "1", "-subj",
                "/CN=\(name)",
            ])
    }

    private func data(_ names: String...) throws -> Data {
        try names.reduce(Data()) { try $0 + Data(contentsOf: URL(fileURLWithPath: path($1))) }
    }

    private func read(_ data: Data, _ password: String = "") throws -> KeyPair {
        try KeyPair(data, password: Secret(password), try CryptoLibrary.system.get())
    }

    private func der(_ name: String) throws -> Data {
        let lines = String(decoding: try data(name), as: UTF8.self).split(separator: "\n").dropFirst().dropLast()
        return try #require(Data(base64Encoded: lines.joined()))
    }

    /// Why a file is refused.
    private func refusal(_ data: Data, _ password: String = "") -> String {
        #expect(throws: SystemError.self) { try read(data, password) }?.description ?? ""
    }

    @Test func `a key is read from PEM and PKCS 12, encrypted or not, and signs the same`() async throws {
        defer { folder.remove() }
        try await make("own")
        try await openssl(
            "pkcs8", "-topk8", "-in", path("own.key"), "-out", path("encrypted.key"), "-passout", "pass:\(Self.word)")
        try await openssl("rsa", "-traditional", "-in", path("own.key"), "-out", path("pkcs1.key"))
        for (file, word) in [("plain.pfx", ""), ("locked.pfx", Self.word)] {
            try await openssl(
                "pkcs12", "-export", "-inkey", path("own.key"), "-in", path("own.pem"), "-out", path(file),
                "-passout", "pass:\(word)")
        }
        let files: [(Data, String)] = [
            (try data("own.pem", "own.key"), ""), (try data("own.key", "own.pem"), "unused"),
            (Data("Bag Attributes: ä\n".utf8) + (try data("own.pem", "pkcs1.key")), ""),
            (try data("encrypted.key", "own.pem"), Self.word), (try data("plain.pfx"), ""),
            (try data("locked.pfx"), Self.word),
        ]
        let expected = try read(files[0].0).key.signature(of: Data("text".utf8), .pkcs1)
        #expect(expected.count == 256)
        for (file, word) in files {
            let pair = try read(file, word)
            #expect(pair.certificates == [try der("own.pem")])
            #expect(pair.thumbprint == SHA256.hash(of: try der("own.pem")))
            #expect(try pair.key.signature(of: Data("text".utf8), .pkcs1) == expected)
            #expect(try pair.key.signature(of: Data("text".utf8), .pss) != expected)
        }
        for wrong in ["", "wrong"] {
            for file in ["locked.pfx", "encrypted.key"] {
                let data = try file == "locked.pfx" ? data(file) : data(file, "own.pem")
                #expect(refusal(data, wrong).contains("the password is wrong"))
                #expect(!refusal(data, wrong).contains("BEGIN"))
            }
        }
    }

    @Test func `the key's own certificate comes first, then each with its issuer`() async throws {
        defer { folder.remove() }
        try await make("root")
        try await make("other")
        for (name, issuer) in [("middle", "root"), ("leaf", "middle")] {
            try Data("basicConstraints=critical,CA:TRUE\n".utf8).write(to: URL(fileURLWithPath: path("ext")))
            try await openssl(
                "req", "-newkey", "rsa:2048", "-nodes", "-keyout", path("\(name).key"), "-out", path("\(name).csr"),
                "-subj", "/CN=\(name)")
            try await openssl(
                "x509", "-req", "-in", path("\(name).csr"), "-CA", path("\(issuer).pem"), "-CAkey",
                path("\(issuer).key"), "-CAcreateserial", "-out", path("\(name).pem"), "-days", "1", "-extfile",
                path("ext"))
        }
        let chain = try ["leaf.pem", "middle.pem", "root.pem"].map(der)
        let mixed = try read(try data("other.pem", "root.pem", "leaf.key", "middle.pem", "leaf.pem"))
        #expect(mixed.certificates == chain)
        try (try data("root.pem", "middle.pem")).write(to: URL(fileURLWithPath: path("others.pem")))
        try await openssl(
            "pkcs12", "-export", "-inkey", path("leaf.key"), "-in", path("leaf.pem"), "-certfile", path("others.pem"),
            "-out", path("all.pfx"), "-passout", "pass:x")
        #expect(try read(try data("all.pfx"), "x").certificates == chain)
    }

    @Test func `files that cannot sign are refused, and it is said why`() async throws {
        defer { folder.remove() }
        try await make("own")
        try await make("other")
        try await make("curve", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256")
        #expect(try refusal(data("own.pem")).contains("no private key"))
        #expect(try refusal(data("own.key")).contains("no certificate"))
        #expect(try refusal(data("own.key", "other.pem")).contains("not that of a certificate"))
        #expect(try refusal(data("curve.key", "curve.pem")).contains("no RSA key"))
        let whole = try data("own.key")
        let half = try whole.prefix(whole.count / 2) + data("own.pem")
        #expect(refusal(half).contains("cannot be read"))
        try await openssl(
            "pkcs12", "-export", "-nokeys", "-in", path("own.pem"), "-out", path("empty.pfx"), "-passout", "pass:x")
        #expect(try refusal(data("empty.pfx"), "x").contains("no private key"))
        for text in ["", "x", "-----BEGIN CERTIFICATE-----", "{\"a\": null}", String(repeating: "🙂ä\"", count: 10_000)]
        {
            #expect(!refusal(Data(text.utf8)).isEmpty)
        }
        let archive = try data("empty.pfx")
        for place in stride(from: 0, to: archive.count, by: 7) {
            var changed = archive
            changed[place] ^= 0x55
            #expect(throws: SystemError.self) { try read(changed, "x") }
            #expect(throws: SystemError.self) { try read(archive.prefix(place), "x") }
        }
    }

    @Test func `a key that is no key is refused`() throws {
        defer { folder.remove() }
        let library = try CryptoLibrary.system.get()
        for bytes in [Data(), Data("x".utf8), Data([0x30, 0x82, 0xFF, 0xFF])] {
            #expect(throws: SystemError.self) { try RSAKey(der: bytes, library) }
        }
    }
}
