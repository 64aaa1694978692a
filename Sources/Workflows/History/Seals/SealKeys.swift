/// Encrypts what a journal must not show, by AES-256-GCM.
///
/// Each run has its own key, derived from the random key in a file that only its owner can read. So random nonces stay
/// unique, and the seals of one run open in no other. A seal is bound to its event, its place and the names of its
/// secrets, and identifies the values of the secrets.
final class SealKeys: Sendable {
    private static let keyOfProcess = Data.random(AES256GCM.keySize)
    /// Texts are padded to a multiple of this size: a journal does not show how long they are.
    private static let padding = 32
    private static let idSize = 8
    private static let fingerprintSize = 32

    private let store: SecretStore
    private let source: SealSource
    private let library: Result<CryptoLibrary, SystemError>
    private let former: FormerSeals?
    private let kept = Locked<Data?>(nil)

    init(
        _ store: SecretStore, _ source: SealSource,
        with library: Result<CryptoLibrary, SystemError> = CryptoLibrary.system
    ) {
        self.store = store
        self.source = source
        self.library = library
        former = source.former.map { FormerSeals(salt: $0) }
    }

    /// Fails if nothing can be sealed: libcrypto is missing, or the key cannot be created.
    func prepare() throws(JournalError) {
        try sealing { () throws(SystemError) in _ = try library.get() }
        if source.file != nil { _ = try keyToSeal() }
    }

    /// Encrypts a value for one place of one event of a run.
    func seal(_ finding: Concealment.Finding, inside event: String, of run: String) throws -> Seal {
        let secrets = try secrets(finding.names)
        var seal = Seal(
            pointer: finding.pointer, place: finding.place, names: finding.names, isFound: finding.isFound, box: Data())
        let key = finding.names.contains(Seal.token) ? Self.keyOfProcess : try keyToSeal()
        let text = Data(finding.real.json().utf8)
        var plain = Data(String(text.count).utf8) + [0x20] + text
        plain.append(contentsOf: repeatElement(0, count: (Self.padding - plain.count % Self.padding) % Self.padding))
        plain = Self.fingerprint(of: secrets, key) + plain
        seal.box = try sealing { () throws(SystemError) in
            let cipher = AES256GCM(key: Self.derive(from: key, for: "run \(run)"), try library.get())
            return Self.id(of: key) + (try cipher.seal(plain, label: Self.label(seal, event)))
        }
        return seal
    }

    /// Decrypts the value at one place of one event of a run.
    /// - Throws: ``WorkflowError`` if a secret is missing, ``ChangedSecrets`` if it has changed, and ``JournalError``
    ///   if the key is missing or the seal was changed.
    func open(_ seal: Seal, inside event: String, of run: String) throws -> Value {
        let secrets = try secrets(seal.names)
        let changed = ChangedSecrets(run: run, names: seal.names)
        guard !seal.isFormer else {
            guard !seal.names.contains(Seal.token), let value = former?.open(seal, inside: event, secrets) else {
                throw changed
            }
            return value
        }
        let isOfProcess = seal.names.contains(Seal.token)
        let key = isOfProcess ? Self.keyOfProcess : try keyToOpen(of: run)
        guard seal.box.prefix(Self.idSize) == Self.id(of: key) else {
            guard !isOfProcess else { throw changed }
            throw lost(run, "is a different one")
        }
        let plain = try sealing { () throws(SystemError) in
            let cipher = AES256GCM(key: Self.derive(from: key, for: "run \(run)"), try library.get())
            return try cipher.open(Data(seal.box.dropFirst(Self.idSize)), label: Self.label(seal, event))
        }
        guard let plain, let value = Self.value(in: plain.dropFirst(Self.fingerprintSize)) else {
            throw JournalError(.damaged, "a secret in the journal of the run \(run) was changed or moved")
        }
        guard plain.prefix(Self.fingerprintSize) == Self.fingerprint(of: secrets, key) else { throw changed }
        return value
    }

    /// Reads a text with its length before it and padding after it.
    static func value(in padded: Data) -> Value? {
        guard let space = padded.firstIndex(of: 0x20),
            let count = Int(String(decoding: padded[..<space], as: UTF8.self)), count >= 0,
            padded.endIndex - space - 1 >= count
        else { return nil }
        return try? Value(json: Data(padded[(space + 1)...].prefix(count)))
    }

    private func secrets(_ names: [String]) throws(WorkflowError) -> Data {
        var secrets: [Value] = []
        for name in names where name != Seal.token {
            let secret = store[name]?.revealed
            guard secret != nil || name == Seal.credential else { throw WorkflowError(missing: name, in: .root) }
            secrets.append([.string(name), secret ?? .null])
        }
        return Value.array(secrets).jsonData(sortedKeys: true)
    }

    /// The key for new seals, which is created if there is none yet.
    private func keyToSeal() throws(JournalError) -> Data {
        guard let file = source.file else { return Self.keyOfProcess }
        return try key(in: file) { (file) throws(SystemError) in try file.readOrMake() } ?? Self.keyOfProcess
    }

    private func keyToOpen(of run: String) throws(JournalError) -> Data {
        guard let file = source.file else { return Self.keyOfProcess }
        guard let key = try key(in: file, { (file) throws(SystemError) in try file.read() }) else {
            throw lost(run, "is missing")
        }
        return key
    }

    private func key(
        in file: KeyFile, _ read: (KeyFile) throws(SystemError) -> Data?
    ) throws(JournalError) -> Data? {
        if let key = kept.withLock({ $0 }) { return key }
        do throws(SystemError) {
            guard let key = try read(file) else { return nil }
            kept.withLock { $0 = key }
            return key
        } catch {
            throw JournalError(error, "the key of secrets in \(file.path) cannot be used")
        }
    }

    /// The error if the key is not the one with which the run began.
    private func lost(_ run: String, _ what: String) -> JournalError {
        JournalError(
            .refused,
            "the secrets of the run \(run) can only be opened with the key that sealed them, and the key in "
                + "\(source.file?.path ?? "") \(what)",
            hint: "restore that file, or run the workflow again with 'graphflow run'")
    }

    private func sealing<Result>(_ body: () throws(SystemError) -> Result) throws(JournalError) -> Result {
        do throws(SystemError) { return try body() } catch {
            throw JournalError(error, "the secrets of a run cannot be sealed or opened")
        }
    }

    /// A key for one use: HKDF-Expand of RFC 5869 over SHA-256, for a key as long as one hash.
    private static func derive(from key: Data, for use: String) -> Data {
        Data(SHA256.authenticationCode(for: Data("graphflow \(use)".utf8) + [1], key: key))
    }

    /// Identifies a key without revealing it.
    private static func id(of key: Data) -> Data { derive(from: key, for: "id").prefix(idSize) }

    /// Shows whether secrets have changed since something was sealed; it is encrypted as well.
    private static func fingerprint(of secrets: Data, _ key: Data) -> Data {
        Data(SHA256.authenticationCode(for: secrets, key: derive(from: key, for: "secrets")))
    }

    /// What a seal is bound to.
    private static func label(_ seal: Seal, _ event: String) -> Data {
        Value.array([.string(event), seal.label]).jsonData()
    }
}

/// The error of a run that cannot be resumed because its secrets have changed since it began.
public struct ChangedSecrets: Error, Sendable, Hashable, CustomStringConvertible {
    /// The run's id.
    public let run: String
    /// The names of the secrets, at least one of which has changed.
    public let names: [String]

    /// The problem, in one sentence without a full stop.
    public var description: String {
        let list = names.map { "'\($0)'" }.joined(separator: ", ")
        let subject =
            names.count == 1
            ? "the secret \(list) is not the one" : "one of the secrets \(list) is not the one"
        return "\(subject) with which the run began: its journal has data made with that secret"
    }
}
