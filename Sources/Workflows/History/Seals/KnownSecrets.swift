import Synchronization

/// The secrets of a run and of its inner runs, and how they are concealed.
///
/// Data inside a run have the real texts. Secrets are concealed only where data leave the run, to be shown or stored.
/// Values with a secret type are drawn, and what a service or a program returned is searched.
package final class KnownSecrets: Sendable {
    private struct State {
        var search = SecretSearch()
        /// The unknowns of a plan by name: every workflow has the same ones.
        var unknowns: [String: Unknown] = [:]
        var tokens: Set<String> = []
        /// How many seals stand for unknowns.
        var seals = 0
    }

    let keys: SealKeys
    private let opensSeals: Bool
    private let state = Locked(State())
    /// Atomic, because it is read for each expression, which a lock would delay.
    private let inUse = Atomic(false)

    /// Creates the secrets of a run.
    /// - Parameters:
    ///   - store: The secrets of the run.
    ///   - source: What seals them in the run's journal.
    ///   - opensSeals: Whether what a journal conceals is opened; otherwise it is unknown, as in a plan.
    package init(_ store: SecretStore, sealedBy source: SealSource, opensSeals: Bool = true) {
        (keys, self.opensSeals) = (SealKeys(store, source), opensSeals)
    }

    /// Creates the secrets of a command outside a run, which has no journal.
    package convenience init() { self.init(.none, sealedBy: SealSource()) }

    /// Whether data of the run can contain secrets.
    package var areInUse: Bool { inUse.load(ordering: .acquiring) }

    /// Searches for a secret's texts and numbers from now on.
    package func add(_ secret: Value, of names: [String]) {
        state.withLock { $0.search.add(textsOf: secret, of: names) }
        inUse.store(true, ordering: .releasing)
    }

    /// Searches for an access token of Microsoft Graph from now on.
    package func add(_ token: AccessToken) { add(token: token.secret.revealed) }

    package func add(token text: String) {
        // Services issue no shorter tokens. Shorter texts are words, sent to a service that accepts any.
        guard text.utf8.count >= 16 else { return }
        guard state.withLock({ $0.tokens.insert(text).inserted }) else { return }
        add(.string(text), of: [Seal.token])
    }

    /// A credential as a secret value for the run's data.
    package func credential(_ text: String, of names: [String]) -> Value {
        inUse.store(true, ordering: .releasing)
        return .secret(.string(text), of: names)
    }

    package func unknown(_ path: String, _ shape: Unknown.Shape, of name: String) -> Value {
        .unknown(
            state.withLock { state in
                let unknown = state.unknowns[path] ?? Unknown(path, shape, from: .secret(name))
                state.unknowns[path] = unknown
                return unknown
            })
    }

    package func conceal(_ data: Value) -> Value {
        let search = state.withLock { $0.search }
        guard areInUse else { return data }
        var concealment = Concealment(search, isForPeople: true)
        return concealment.conceal(data)
    }

    package func conceal(_ text: String) -> String { conceal(.string(text)).string ?? text }

    /// The secrets in bytes, and the maximum length of a secret that begins in them.
    func findings(in bytes: [UInt8]) -> (all: [SecretSearch.Finding], longest: Int) {
        guard areInUse else { return ([], 0) }
        let search = state.withLock { $0.search }
        return (search.findings(in: bytes), search.longest)
    }

    /// The search for secrets in a text that was cut, including those that were sent.
    package func search(adding sent: Value) -> SecretSearch {
        var search = state.withLock { $0.search }
        search.add(sent: sent)
        return search
    }

    /// The error as others see it, without secrets; its cause is removed if it shows one.
    package func conceal(_ error: WorkflowError) -> WorkflowError {
        let search = state.withLock { $0.search }
        guard areInUse else { return error }
        var concealment = Concealment(
            search, isForPeople: true, keeping: error.hasKnownType ? [JSONPointer(["type"])] : [])
        let members = concealment.conceal(.object(error.members)).object ?? error.members
        let isClean =
            members == error.members
            && error.cause.map { cause in
                var dumped = ""
                dump(cause, to: &dumped)
                return search.parts(of: dumped) == nil && search.parts(of: "\(cause)") == nil
            } ?? true
        return WorkflowError(members, cause: isClean ? error.cause : nil)
    }

    /// The event as recorders get it, without secrets; nil if it cannot be shown.
    package func conceal(_ event: Event) -> SearchedEvent? {
        let search = state.withLock { $0.search }
        guard areInUse else { return SearchedEvent(searched: event) }
        return (try? event.shown(search)).map { SearchedEvent(searched: $0) }
    }

    /// Fails if secrets cannot be sealed, before a run with secrets begins.
    package func prepare() throws(JournalError) {
        if areInUse { try keys.prepare() }
    }

    /// The event as the journal keeps it: drawn, with its secrets sealed.
    package func seal(_ event: Event) throws -> SearchedEvent {
        let search = state.withLock { $0.search }
        return SearchedEvent(searched: areInUse ? try event.sealed(by: keys, search) : event)
    }

    /// The header as the journal keeps it: its input drawn, with its secrets sealed.
    package func seal(_ header: Journal.Header) throws -> Journal.Header {
        let search = state.withLock { $0.search }
        return areInUse ? try header.sealed(by: keys, search) : header
    }

    /// Data that a run keeps in addition to its events: drawn, with its secrets sealed.
    package func seal(_ data: Value, inside place: String, of run: String) throws -> Value {
        var concealment = Concealment(state.withLock { $0.search }, isForPeople: false)
        let drawn = areInUse ? concealment.conceal(data) : data
        guard !concealment.hasLost else {
            throw JournalError(.failed, "a secret is nested too deeply to be kept")
        }
        let seals = try concealment.findings.map { try keys.seal($0, inside: place, of: run) }
        return ["data": drawn, Seal.attribute: .string(Seal.text(seals))]
    }

    /// Data that ``seal(_:inside:of:)`` sealed, with the secrets in it.
    /// - Throws: ``WorkflowError`` if a secret is missing, and ``ChangedSecrets`` if one has changed.
    package func open(_ sealed: Value, inside place: String, of run: String) throws -> Value {
        guard let data = sealed["data"], let seals = sealed[Seal.attribute]?.string.flatMap({ Seal.read($0) }) else {
            throw JournalError(.damaged, "data that the run \(run) keeps cannot be read")
        }
        return try SealTree(seals).open(data) { try open($0, inside: place, of: run) }
    }

    /// The events of a journal with the secrets in them.
    /// - Throws: ``WorkflowError`` if a secret is missing, and ``ChangedSecrets`` if one has changed.
    package func open(_ events: [Event]) throws -> [Event] {
        try events.map { event in try event.opened { try open($0, inside: $1, of: event.run) } }
    }

    package func input(of header: Journal.Header) throws -> Value {
        try header.openedInput { try open($0, inside: $1, of: header.run) }
    }

    /// What a seal conceals, as an unknown; each is another one.
    private func unknown(for seal: Seal) -> Value {
        let names = seal.names.joined(separator: ", ")
        let number = state.withLock { state in
            state.seals += 1
            return state.seals
        }
        return unknown("\(names).\(number)", seal.place == .value ? .any : .text, of: names)
    }

    private func open(_ seal: Seal, inside place: String, of run: String) throws -> Value {
        guard opensSeals else { return unknown(for: seal) }
        let real = try keys.open(seal, inside: place, of: run)
        // What a service returned is plain data, and still concealed when it leaves the run.
        guard !seal.isFound else {
            // It is one of the encodings already.
            state.withLock { $0.search.add(exactly: real.string ?? real.json(), of: seal.names) }
            inUse.store(true, ordering: .releasing)
            return real
        }
        inUse.store(true, ordering: .releasing)
        return .secret(real, of: seal.names)
    }
}

extension SecretSearch {
    fileprivate mutating func add(textsOf secret: Value, of names: [String]) {
        switch secret {
        case .null, .bool, .marked: break
        case .integer, .double: add(secret.json(), of: names)
        case .string(let text): add(text, of: names)
        case .array(let elements): for element in elements { add(textsOf: element, of: names) }
        case .object(let members): for member in members { add(textsOf: member.value, of: names) }
        }
    }
}
