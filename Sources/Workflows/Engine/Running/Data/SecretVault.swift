import Foundation
import Promises

/// The secrets of one run and their placeholders; data holds only placeholders.
///
/// A placeholder contains bits that only this run knows, so that data from outside cannot request a secret. They are
/// derived from the secret's name and a random key, and stay the same when the run is resumed. Placeholders are
/// replaced by secrets in data that leaves the run, and secrets by placeholders in data that comes back.
final class SecretVault: Sendable {
    /// Shorter texts are not concealed: they would be found everywhere.
    private static let shortest = 4

    private struct State {
        /// What expressions read as `$secrets`.
        var data = Object()
        /// From placeholders to secrets.
        var revealed = TextReplacements()
        /// From secrets to placeholders.
        var concealed = TextReplacements()
        /// From placeholders to nothing.
        var erased = TextReplacements()
        /// The remains of a placeholder that an expression has changed.
        var traces = TextReplacements()
        /// The placeholder of each text.
        var known: [String: String] = [:]
        /// The number of placeholders of each name.
        var counts: [String: Int] = [:]
    }

    private let state = Locked(State())
    private let names: [String]
    /// The names of the secrets that are not in the store.
    private let missing: [String]
    private let isPlanning: Bool
    /// The key of the placeholders.
    private let key: Data
    /// The vault of the outer run, whose placeholders can be a part of the input.
    private let outer: SecretVault?

    /// Takes the secrets that a workflow names from a store.
    /// - Parameters:
    ///   - isPlanning: Whether this is a dry run, in which nothing is revealed and secrets may be missing.
    ///   - key: The key of the placeholders, which a journal keeps; nil for a new one.
    ///   - outer: The vault of the outer run.
    ///   - run: The id of an inner run, whose key is derived from it and from the outer run's key.
    init(
        for workflow: Workflow, from store: SecretStore, isPlanning: Bool, key: Data? = nil,
        inside outer: SecretVault? = nil, as run: String? = nil
    ) {
        names = workflow.components.secrets
        // Two runs must not make the same placeholder for different texts.
        let inner = outer.flatMap { outer in
            run.map { Data(SHA256.authenticationCode(for: Data("run\u{0}\($0)".utf8), key: outer.key)) }
        }
        self.key = inner ?? key ?? Journal.Header.randomKey()
        self.isPlanning = isPlanning
        self.outer = outer
        missing = isPlanning ? [] : names.filter { store[$0] == nil }
        guard !names.isEmpty else { return }
        state.withLock { state in
            for name in names {
                guard let secret = store[name] else { continue }
                state.data[name] = placeholders(for: secret.revealed, at: "secrets.\(name)", &state)
            }
        }
        guard isPlanning else { return }
        let reads = SecretsValidator.uses(of: WorkflowOutline(workflow)).map(\.keys)
        state.withLock { state in
            for keys in reads { state.data.addSymbol(at: keys[...], as: "secrets") }
        }
    }

    /// What expressions read as `$secrets`.
    var data: Value { .object(state.withLock { $0.data }) }

    /// Fails if one of these secrets is missing.
    ///
    /// Specification: dsl.md, "Secret".
    func demand(_ wanted: some Sequence<String>, in task: JSONPointer?) throws(WorkflowError) {
        for name in wanted where names.contains(name) && state.withLock({ $0.data[name] }) == nil {
            throw WorkflowError(
                .authorization,
                detail:
                    "there is no secret '\(name)': set \(SecretStore.variable(for: name)), or give a file of secrets",
                instance: task)
        }
    }

    /// The placeholder of a secret from the run itself, such as a token, which is concealed from now on.
    func placeholder(for text: Secret, named name: String) -> String {
        state.withLock { state in state.known[text.revealed] ?? placeholder(for: text.revealed, at: name, &state) }
    }

    /// Replaces placeholders by secrets in data that leaves the run.
    /// - Throws: An error if an expression has changed a placeholder.
    func reveal(_ data: Value, in task: JSONPointer? = nil) throws(WorkflowError) -> Value {
        let data = if let outer { try outer.reveal(data, in: task) } else { data }
        try demandRemembered(in: data, task)
        let (revealed, erased, traces) = state.withLock { ($0.revealed, $0.erased, $0.traces) }
        guard revealed.count > 0 else { return data }
        var isSpoilt = false
        let result = data.mapTexts(
            names: true,
            deep: { value in
                if revealed.apply(to: value.json()) != nil { isSpoilt = true }
                return value
            },
            { text in
                if traces.apply(to: erased.apply(to: text) ?? text) != nil { isSpoilt = true }
                return revealed.apply(to: text)
            })
        guard !isSpoilt else {
            throw WorkflowError(
                .expression,
                detail: "an expression has changed a secret, which can only be joined with other text; "
                    + "use 'authentication' for a user name and a password", instance: task)
        }
        return result
    }

    /// Fails if the data has the placeholder of a missing secret, which the run had before it was resumed.
    private func demandRemembered(in data: Value, _ task: JSONPointer?) throws(WorkflowError) {
        guard !missing.isEmpty else { return }
        var found: Set<String> = []
        func look(_ text: String) {
            for text in [text, text.removingPercentEncoding ?? text] {
                found.formUnion(missing.filter { isIn(text, $0) })
            }
        }
        _ = data.mapTexts(
            names: true,
            deep: {
                look($0.json())
                return $0
            },
            {
                look($0)
                return nil
            })
        try demand(found.sorted(), in: task)
    }

    /// Whether a text has a genuine placeholder of a secret or of a part of it.
    private func isIn(_ text: String, _ secret: String) -> Bool {
        let name = Self.shown("secrets.\(secret)")
        return text.matches(of: /‹([^‹›·]+)·([0-9a-f]{32})›/).contains { match in
            guard match.1.hasPrefix(name) else { return false }
            let path = "secrets.\(secret)" + match.1.dropFirst(name.count).replacing("@", with: "\u{0}")
            return nonce(of: path, 0) == match.2
        }
    }

    /// Replaces placeholders by secrets in a text that leaves the run.
    func reveal(_ text: String, in task: JSONPointer? = nil) throws(WorkflowError) -> String {
        try reveal(.string(text), in: task).string ?? text
    }

    /// Replaces secrets by placeholders in data, events and errors.
    func conceal(_ data: Value) -> Value {
        let data = outer?.conceal(data) ?? data
        let concealed = state.withLock { $0.concealed }
        guard concealed.count > 0 else { return data }
        return data.mapTexts(
            names: true,
            deep: { concealed.apply(to: $0.json()) == nil ? $0 : "‹a secret, nested too deeply to be told apart›" },
            concealed.apply(to:))
    }

    /// Replaces secrets by placeholders in a text.
    func conceal(_ text: String) -> String {
        let text = outer?.conceal(text) ?? text
        return state.withLock { $0.concealed }.apply(to: text) ?? text
    }

    /// The error without secrets; its cause is removed if it shows one.
    func conceal(_ error: WorkflowError) -> WorkflowError {
        let error = outer?.conceal(error) ?? error
        let concealed = state.withLock { $0.concealed }
        guard concealed.count > 0 else { return error }
        let members = conceal(.object(error.members)).object ?? error.members
        let isClean =
            error.cause.map { cause in
                var dumped = ""
                dump(cause, to: &dumped)
                return concealed.apply(to: dumped) == nil && concealed.apply(to: "\(cause)") == nil
            } ?? true
        return WorkflowError(members, cause: isClean ? error.cause : nil)
    }

    /// Whether there is anything to hide.
    var isEmpty: Bool { names.isEmpty && state.withLock { $0.concealed.count == 0 } }

    private func placeholders(for data: Value, at path: String, _ state: inout State) -> Value {
        switch data {
        case .string(let text):
            return .string(placeholder(for: text, at: path, &state))
        case .array(let elements):
            return .array(elements.enumerated().map { placeholders(for: $1, at: "\(path).\($0)", &state) })
        case .object(let members):
            var result = Object()
            for (name, member) in members { result[name] = placeholders(for: member, at: "\(path).\(name)", &state) }
            return .object(result)
        default: return data
        }
    }

    private func placeholder(for text: String, at path: String, _ state: inout State) -> String {
        let name = Self.shown(path)
        guard !isPlanning else { return "‹\(name)›" }
        guard !text.isEmpty else { return "" }
        let placeholder = add(
            text, as: name, of: path, isSearched: text.utf8.count >= Self.shortest, &state)
        state.known[text] = placeholder
        guard text.utf8.count >= 6 else { return placeholder }
        for (way, written) in text.waysOfWriting where written != text {
            _ = add(written, as: "\(name)@\(way)", of: "\(path)\u{0}\(way)", isSearched: true, &state)
        }
        return placeholder
    }

    private func add(
        _ text: String, as name: String, of path: String, isSearched: Bool, _ state: inout State
    ) -> String {
        // Each has its own nonce, so that a leaked placeholder reveals no other.
        let count = state.counts[path, default: 0]
        state.counts[path] = count + 1
        let nonce = nonce(of: path, count)
        let placeholder = "‹\(name)·\(nonce)›"
        for (from, to) in [(placeholder, text), (placeholder.percentEncoded(), text.percentEncoded())] {
            state.revealed.add(from, to: to)
            state.erased.add(from, to: "")
        }
        state.concealed.add(placeholder, to: placeholder)
        if isSearched { state.concealed.add(text, to: placeholder) }
        for trace in [nonce, nonce.uppercased()] + nonce.base64Traces { state.traces.add(trace, to: "") }
        return placeholder
    }

    /// Bits that only this run can compute, the same ones when it is resumed.
    private func nonce(of path: String, _ count: Int) -> String {
        SHA256.authenticationCode(for: Data("\(path)\u{0}\(count)".utf8), key: key).prefix(16).hex
    }

    /// The path in characters that are valid in any text.
    private static func shown(_ path: String) -> String {
        String(path.map { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) ? $0 : "_" })
    }
}

extension Object {
    /// Sets the unknown for a missing secret, at the path at which an expression reads it.
    fileprivate mutating func addSymbol(at keys: ArraySlice<String>, as path: String) {
        guard let name = keys.first else { return }
        let rest = keys.dropFirst()
        let symbol = "\(path).\(name)"
        switch (self[name], rest.isEmpty) {
        case (nil, true): self[name] = .string("‹\(symbol)›")
        case (nil, false), (.string, false):
            var inner = Object()
            inner.addSymbol(at: rest, as: symbol)
            self[name] = .object(inner)
        case (.object(var inner), false):
            inner.addSymbol(at: rest, as: symbol)
            self[name] = .object(inner)
        default: break
        }
    }
}

extension String {
    /// The encodings in which a service may return the text.
    fileprivate var waysOfWriting: [(way: String, text: String)] {
        let json = Value.string(self).json().dropFirst().dropLast()
        let base64 = String(Data(utf8).base64EncodedString().prefix { $0 != "=" })
        let encoded = percentEncoded()
        return [
            ("json", String(json)), ("uri", encoded),
            ("uri-lower", encoded.replacing(/%[0-9A-F]{2}/) { $0.output.lowercased() }),
            ("form", encoded.replacing("%20", with: "+")), ("html", htmlEscaped), ("base64", base64),
            ("base64url", Base64URL.encode(utf8)),
        ]
    }

    /// The parts of the text's base64 that do not depend on the surrounding text, for each possible offset.
    fileprivate var base64Traces: [String] {
        (0..<3).map { shift in
            let encoded = Data(repeatElement(0, count: shift) + Array(utf8)).base64EncodedString()
            return String(encoded.dropFirst(4).dropLast(4))
        }
    }
}
