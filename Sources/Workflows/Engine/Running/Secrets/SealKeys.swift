import Essentials
import Promises

/// Encrypts what a journal must not show, with keys made of the secrets themselves.
///
/// Somebody who has the journal can try guesses of a secret, so making a key of one takes many rounds. A key is made once in
/// a process for each set of secrets.
final class SealKeys: Sendable {
    /// A secret that no store has, for credentials that the workflow file spells out: the journal's folder has a copy
    /// of the file, and the credential in it.
    static let credential = "authorization"
    /// The token of Microsoft Graph, whose seals open in the process that made them only: nothing that is kept has it.
    static let token = "access token"
    private static let keyOfToken = Journal.Header.randomKey()
    /// Enough to slow down guessing, and few enough for a process of a debug build to make some keys.
    private static let rounds = 1_000
    /// Texts are padded to a multiple of this size, so that a journal does not show how long they are.
    private static let padding = 32
    private static let nonceSize = 16
    private static let tagSize = 32

    private struct Key {
        var encryption: Data
        var authentication: Data
    }

    private let store: SecretStore
    private let salt: Data
    private let made = Locked<[[String]: Key]>([:])

    init(_ store: SecretStore, salt: Data) {
        self.store = store
        self.salt = salt
    }

    /// Encrypts a value for one place of one event of a run.
    func seal(_ finding: Concealment.Finding, inside event: String) throws -> Seal {
        let key = try key(of: finding.names)
        var seal = Seal(
            pointer: finding.pointer, place: finding.place, names: finding.names, isFound: finding.isFound, box: Data())
        var generator = SystemRandomNumberGenerator()
        let nonce = Data((0..<Self.nonceSize).map { _ in UInt8.random(in: 0...255, using: &generator) })
        let text = Data(finding.real.json().utf8)
        var plain = Data(Array(String(text.count).utf8)) + [0x20] + text
        plain.append(contentsOf: repeatElement(0, count: (Self.padding - plain.count % Self.padding) % Self.padding))
        let box = nonce + Self.encrypt(plain, key, nonce)
        seal.box = box + Self.tag(of: box, seal, event, key)
        return seal
    }

    /// Decrypts the value at one place of one event of a run.
    /// - Throws: ``WorkflowError`` if a secret is missing, and ``ChangedSecrets`` if it is not the same any more.
    func open(_ seal: Seal, inside event: String, of run: String) throws -> Value {
        let key = try key(of: seal.names)
        let changed = ChangedSecrets(run: run, names: seal.names)
        guard seal.box.count > Self.nonceSize + Self.tagSize else { throw changed }
        let box = Data(seal.box.dropLast(Self.tagSize))
        // Both are made of keys that the one who reads the answer does not have, so the time of the comparison says
        // nothing.
        guard Self.tag(of: box, seal, event, key) == Data(seal.box.suffix(Self.tagSize)) else { throw changed }
        let nonce = Data(box.prefix(Self.nonceSize))
        let plain = Self.encrypt(Data(box.dropFirst(Self.nonceSize)), key, nonce)
        guard let space = plain.firstIndex(of: 0x20),
            let count = Int(String(decoding: plain[..<space], as: UTF8.self)), plain.count - space - 1 >= count,
            let value = try? Value(json: Data(plain[(space + 1)...].prefix(count)))
        else { throw changed }
        return value
    }

    private func key(of names: [String]) throws(WorkflowError) -> Key {
        if let key = made.withLock({ $0[names] }) { return key }
        var secrets: [Value] = []
        for name in names {
            if name == Self.token {
                secrets.append(.string(Self.keyOfToken.base64EncodedString()))
                continue
            }
            let secret = store[name]?.revealed
            guard secret != nil || name == Self.credential else { throw WorkflowError(missing: name, in: .root) }
            secrets.append([.string(name), secret ?? .null])
        }
        let stretched = Self.stretch(Value.array(secrets).jsonData(sortedKeys: true), salt)
        func part(_ use: String) -> Data { Data(SHA256.authenticationCode(for: Data(use.utf8), key: stretched)) }
        let key = Key(encryption: part("encrypt"), authentication: part("authenticate"))
        made.withLock { $0[names] = key }
        return key
    }

    /// PBKDF2 of RFC 8018 with HMAC-SHA-256, for a key as long as one hash.
    private static func stretch(_ secret: Data, _ salt: Data) -> Data {
        // A long key of HMAC is hashed; doing it here saves doing it in every round.
        let secret = secret.count > 64 ? Data(SHA256.hash(of: secret)) : secret
        var last = SHA256.authenticationCode(for: salt + [0, 0, 0, 1], key: secret)
        var sum = last
        for _ in 1..<rounds {
            last = SHA256.authenticationCode(for: Data(last), key: secret)
            for index in sum.indices { sum[index] ^= last[index] }
        }
        return Data(sum)
    }

    /// The bytes combined with a stream that the key and the nonce make; decrypts as well.
    private static func encrypt(_ bytes: Data, _ key: Key, _ nonce: Data) -> Data {
        var result = Data()
        result.reserveCapacity(bytes.count)
        var counter: UInt64 = 0
        var rest = bytes[...]
        while !rest.isEmpty {
            let number = (0..<8).map { UInt8(truncatingIfNeeded: counter >> (56 - 8 * $0)) }
            let stream = SHA256.authenticationCode(for: nonce + number, key: key.encryption)
            result.append(contentsOf: zip(rest, stream).map { $0 ^ $1 })
            rest = rest.dropFirst(stream.count)
            counter += 1
        }
        return result
    }

    /// Authenticates the encrypted text together with its place.
    private static func tag(of box: Data, _ seal: Seal, _ event: String, _ key: Key) -> Data {
        let label = Value.array([.string(event), seal.label]).jsonData()
        return Data(SHA256.authenticationCode(for: label + [0] + box, key: key.authentication))
    }
}

/// The error of a run that cannot be resumed because its secrets are not those with which it began.
public struct ChangedSecrets: Error, Sendable, Hashable, CustomStringConvertible {
    /// The run's id.
    public let run: String
    /// The names of the secrets, at least one of which has changed.
    public let names: [String]

    /// What is wrong, in one sentence without a full stop.
    public var description: String {
        let list = names.map { "'\($0)'" }.joined(separator: ", ")
        let subject =
            names.count == 1
            ? "the secret \(list) is not the one" : "one of the secrets \(list) is not the one"
        return "\(subject) with which the run began: its journal has data that only that secret opens"
    }
}
