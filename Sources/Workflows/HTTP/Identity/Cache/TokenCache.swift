/// The cache of tokens between runs, in MSAL's unified schema.
///
/// The file is readable by its owner only, is replaced atomically, and is changed under a lock that other programs with
/// MSAL's extensions also respect. On macOS, the keychain holds the content.
public final class TokenCache: Sendable {
    private enum Place: Sendable {
        case memory(Locked<TokenCacheDocument>)
        case file(PrivateFile)
        #if canImport(Security)
            case keychain(Keychain, PrivateFile)
        #endif

        var subject: String {
            switch self {
            case .memory: "The token cache"
            case .file(let file): "The file \(file.path), which holds tokens,"
            #if canImport(Security)
                case .keychain: "The keychain's item, which holds tokens,"
            #endif
            }
        }
    }

    private static let largest = 50_000_000

    /// The wait for other writers, which may be many on a slow machine, in seconds.
    private static let patienceToWrite = 30.0
    /// The wait for others that renew a token, in seconds; it includes the service's response time.
    private static let patienceToRefresh = 100.0

    private let place: Place
    private let said: @Sendable (String) -> Void

    private init(_ place: Place, _ said: @escaping @Sendable (String) -> Void) {
        self.place = place
        self.said = said
    }

    /// A cache in the memory of this process.
    public static func inMemory() -> TokenCache { TokenCache(.memory(Locked(TokenCacheDocument())), { _ in }) }

    /// A cache in a file.
    ///
    /// - Parameters:
    ///   - file: The file; its folder is created, for its owner only, if it does not exist.
    ///   - said: Receives messages for the user, such as that an unusable cache was set aside.
    public static func file(_ file: URL, said: @escaping @Sendable (String) -> Void = { _ in }) -> TokenCache {
        TokenCache(.file(PrivateFile(path: file.path)), said)
    }

    /// The current user's cache: in `GRAPHFLOW_HOME`, and in the keychain on macOS.
    public static func shared(
        environment: [String: String], said: @escaping @Sendable (String) -> Void = { _ in }
    ) -> TokenCache {
        let file = defaultFile(environment)
        #if canImport(Security)
            return TokenCache(.keychain(Keychain(account: file.path), PrivateFile(path: file.path)), said)
        #else
            return .file(file, said: said)
        #endif
    }

    package static func defaultFile(_ environment: [String: String]) -> URL {
        GraphflowHome.folder(environment).appendingPathComponent("identity/token-cache.json")
    }

    /// Every account, the most recently signed-in first.
    /// - Throws: ``CredentialError`` if the cache is not usable.
    package var accounts: [Account] { get throws(CredentialError) { try read().accounts } }

    package func forget(_ accounts: [Account]) -> Promise<Void> {
        update { document in for account in accounts { document.forget(account) } }
    }

    package func forgetAll() -> Promise<[Account]> {
        update { document in
            let accounts = document.accounts
            for kind in [TokenCacheDocument.Kind.accessToken, .refreshToken, .idToken, .account] {
                document.remove(kind) { _ in true }
            }
            return accounts
        }
    }

    package func lastClientID(of authority: Authority) -> String? {
        guard let document = try? read() else { return nil }
        let environments = Cloud.environments(of: authority.environment)
        guard let account = document.accounts.first(where: { environments.contains($0.environment) }) else {
            return nil
        }
        return document.refreshToken(of: account, client: nil)?.text("client_id")
    }

    /// - Throws: ``CredentialError`` if the cache is not usable.
    func read() throws(CredentialError) -> TokenCacheDocument {
        if case .memory(let kept) = place { return kept.withLock { $0 } }
        guard let data = try bytes() else { return TokenCacheDocument() }
        if let document = try? TokenCacheDocument(data) { return document }
        // MSAL's extensions write in place: unfinished content is complete once they release the lock.
        let complete = try afterWriters()
        do throws(TokenCacheDocument.Problem) {
            return try TokenCacheDocument(complete)
        } catch {
            throw CredentialError(
                .cacheUnusable,
                "The token cache \(name) \(error.words). No account is signed in. Sign in again: 'graphflow login' "
                    + "keeps this cache under another name")
        }
    }

    private func afterWriters() throws(CredentialError) -> Data {
        let lock: FileLock
        do throws(FileLock.Failure) {
            lock = try FileLock(creating: lockFile, patience: Self.patienceToWrite)
        } catch {
            throw Self.explanation(of: error, lockFile)
        }
        defer { lock.release() }
        return try bytes() ?? Data()
    }

    /// Changes the content under the lock; unusable content is set aside first.
    func update<Result: Sendable>(
        _ body: @escaping @Sendable (inout TokenCacheDocument) -> Result
    ) -> Promise<Result> {
        if case .memory(let kept) = place { return .value(kept.withLock { body(&$0) }) }
        do throws(CredentialError) {
            try prepare()
        } catch {
            return Promise(error: error)
        }
        let lock = FileLock.acquire(lockFile, patience: Self.patienceToWrite, isSharedWithMSAL: true)
        return whileHolding(lock, of: lockFile) { [self] in
            Promise { resolver in
                var document = try readOrSetAside()
                let result = body(&document)
                try write(document.data)
                resolver.fulfill(result)
            }
        }
    }

    /// Runs work exclusively among all processes that renew the same account's tokens.
    func whileRefreshing<Result: Sendable>(
        _ account: Account, _ work: @escaping @Sendable () -> Promise<Result>
    ) -> Promise<Result> {
        if case .memory = place { return work() }
        do throws(CredentialError) {
            try prepare()
        } catch {
            return Promise(error: error)
        }
        let id = SHA256.hex(of: Data("\(account.environment) \(account.homeAccountID)".utf8)).prefix(16)
        let path = "\(path).\(id).lockfile"
        return whileHolding(FileLock.acquire(path, patience: Self.patienceToRefresh), of: path, work)
    }

    private func whileHolding<Result: Sendable>(
        _ lock: Promise<FileLock>, of path: String, _ work: @escaping @Sendable () -> Promise<Result>
    ) -> Promise<Result> {
        lock.recover(on: nil) { error -> Promise<FileLock> in
            guard let failure = error as? FileLock.Failure else { throw error }
            throw Self.explanation(of: failure, path)
        }.then(on: nil) { lock in
            work().ensure(on: nil) { lock.release() }
        }
    }

    private static func explanation(of failure: FileLock.Failure, _ path: String) -> CredentialError {
        switch failure {
        case .held(let holder):
            CredentialError(
                .cacheUnusable,
                "Another program holds the token cache (\(path), held by '\(holder)'). Try again; if that process does "
                    + "not use it, delete the file.")
        case .system(let error):
            CredentialError(.cacheUnusable, "The lock \(path) cannot be acquired: \(error).")
        }
    }

    private var file: PrivateFile? {
        switch place {
        case .memory: nil
        case .file(let file): file
        #if canImport(Security)
            case .keychain(_, let file): file
        #endif
        }
    }

    private var path: String { file?.path ?? "" }
    private var lockFile: String { "\(path).lockfile" }

    private var name: String {
        #if canImport(Security)
            if case .keychain = place { return "in the keychain" }
        #endif
        return path
    }

    private func prepare() throws(CredentialError) {
        guard let folder = file?.folder else { return }
        try Self.explain("The folder \(folder.path) cannot be used") { () throws(SystemError) in
            try folder.makeWithParents()
        }
    }

    private func bytes() throws(CredentialError) -> Data? {
        try Self.explain("\(place.subject) cannot be read") { () throws(SystemError) in
            #if canImport(Security)
                if case .keychain(let keychain, _) = place { return try keychain.read() }
            #endif
            return try file?.read(limit: Self.largest)
        }
    }

    private func write(_ data: Data) throws(CredentialError) {
        try Self.explain("\(place.subject) cannot be written") { () throws(SystemError) in
            #if canImport(Security)
                if case .keychain(let keychain, _) = place { return try keychain.write(data) }
            #endif
            try file?.write(data)
        }
    }

    private func readOrSetAside() throws(CredentialError) -> TokenCacheDocument {
        guard let data = try bytes() else { return TokenCacheDocument() }
        do throws(TokenCacheDocument.Problem) {
            return try TokenCacheDocument(data)
        } catch let problem {
            let other = try Self.explain("\(place.subject) is unusable and cannot be set aside") {
                () throws(SystemError) in
                #if canImport(Security)
                    if case .keychain(_, let file) = place {
                        // The keychain's item is about to be replaced, so its content is saved to a file next to the
                        // locks.
                        let copy = PrivateFile(path: "\(file.path).unusable-\(Int(Date().timeIntervalSince1970))")
                        try copy.write(data)
                        return copy.path
                    }
                #endif
                return try file?.setAside() ?? ""
            }
            said("The token cache \(name) \(problem.words). It was kept as \(other), and a new one was started.")
            return TokenCacheDocument()
        }
    }

    private static func explain<Result>(
        _ what: String, _ body: () throws(SystemError) -> Result
    ) throws(CredentialError) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            // Others had access, so the tokens may no longer be secret.
            let advice = error.code == nil ? "; fix this, then sign out and in again: \(error)" : ": \(error)."
            throw CredentialError(.cacheUnusable, what + advice)
        }
    }
}
