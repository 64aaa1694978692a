/// The sources of a plan's unknowns in a script, and their variables; a saved plan has no unknowns.
final class CurlUnknowns {
    enum Source {
        /// A jq path in the answer to the request at that position.
        case answer(Int, path: String)
        case bytes(Int)
        case text(Int)
        case contentType(Int)
        case size(Int)
        /// An expression over other data.
        case derived(Derivation)
        /// A variable that the user of the script sets.
        case environment
    }

    private var sources: [Unknown: Source] = [:]
    private var names: [Unknown: String] = [:]
    private var credentials: [String: Unknown] = [:]
    private var taken: Set<String> = ["TOKEN", "folder", "graph", "PATH", "HOME", "IFS"]
    private let expected: Set<Unknown>
    /// The unknowns with a value at this point of the script.
    var defined: Set<Unknown> = []

    init(_ plan: Plan?) {
        expected = plan?.expected ?? []
        for (position, request) in (plan?.requests ?? []).enumerated() { note(request, at: position) }
    }

    /// The unknown that this one is expected to equal; the unknown itself if there is none.
    func expected(of unknown: Unknown) -> Unknown {
        guard expected.contains(unknown), case .oneOf(let alternatives) = unknown.origin,
            let first = alternatives.first?.unknown
        else { return unknown }
        return expected(of: first)
    }

    func source(of unknown: Unknown) -> Source {
        let unknown = expected(of: unknown)
        if let source = sources[unknown] { return source }
        switch unknown.origin {
        // A script has no files of the workflow, so its user provides them.
        case .computed(let derivation)
        where Derivation.ofRun.contains(derivation.expression):
            return .environment
        case .computed(let derivation): return .derived(derivation)
        case .oneOf(let alternatives):
            guard expected.contains(unknown), let first = alternatives.first else { return .environment }
            return .derived(Derivation(".", input: first))
        case .run, .secret, .element, .pending: return .environment
        }
    }

    func variable(_ unknown: Unknown) -> String {
        let unknown = expected(of: unknown)
        if let name = names[unknown] { return name }
        let word = unknown.name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
        let start = word.first.map { $0.isNumber || $0 == "_" } ?? true ? "value_" : ""
        var name = start + String(word)
        while !taken.insert(name).inserted { name += "_" }
        names[unknown] = name
        return name
    }

    /// A credential for a host, which the user of the script sets.
    func credential(_ name: String, for host: String) -> Unknown {
        let name = "\(name.lowercased()) for \(host)"
        let unknown = credentials[name] ?? Unknown(name, .text)
        credentials[name] = unknown
        return unknown
    }

    /// Whether a value is a secret or a credential, or is made from one.
    func isSecret(_ unknown: Unknown) -> Bool {
        closure([unknown]).contains { unknown in
            if case .secret = unknown.origin { return true }
            return credentials.values.contains(unknown)
        }
    }

    func areSecret(_ parts: [TextPart]) -> Bool { parts.unknowns.contains(where: isSecret) }

    /// These unknowns, and all unknowns from which they are derived.
    func closure(_ unknowns: some Sequence<Unknown>) -> Set<Unknown> {
        var open = Array(unknowns)
        var all: Set<Unknown> = []
        while let next = open.popLast() {
            let unknown = expected(of: next)
            guard all.insert(unknown).inserted, case .derived(let derivation) = source(of: unknown) else { continue }
            open += derivation.unknowns
        }
        return all
    }

    /// The unknowns whose values come from the answer to that request.
    func answered(by position: Int, of unknowns: Set<Unknown>) -> [Unknown] {
        unknowns.filter { unknown in
            switch source(of: unknown) {
            case .answer(position, _), .bytes(position), .text(position), .contentType(position), .size(position): true
            default: false
            }
        }.sorted { $0.name < $1.name }
    }

    private func note(_ request: PlannedRequest, at position: Int) {
        if let bytes = request.answerBytes {
            note(bytes, .bytes(position))
            note(bytes.member("contentType", .text, from: .run), .contentType(position))
            note(bytes.member("size", .number, from: .run), .size(position))
        } else if request.hasTextAnswer, let unknown = request.answer?.unknown {
            note(unknown, .text(position))
        } else if let answer = request.answer {
            note(answer, at: position, path: "")
        }
    }

    private func note(_ value: Value, at position: Int, path: String) {
        switch value {
        case .array(let elements):
            for (index, element) in elements.enumerated() { note(element, at: position, path: "\(path)[\(index)]") }
        case .object(let members):
            for (name, member) in members {
                let isPlain = name.utf8.allSatisfy { $0 == 0x5F || Character(Unicode.Scalar($0)).isLetter }
                let step =
                    isPlain && !name.isEmpty ? ".\(name)" : "\(path.isEmpty ? "." : "")[\(Value.string(name).json())]"
                note(member, at: position, path: path + step)
            }
        case .marked(let marked):
            // In a plan, the address of an upload session begins with an example.
            guard let unknown = value.unknown ?? [TextPart](marked.parts).unknowns.first else { return }
            note(unknown, .answer(position, path: path.isEmpty ? "." : path))
            switch unknown.shape {
            case .object(let members): note(.object(members), at: position, path: path)
            case .array(let element): note(element, at: position, path: "\(path)[0]")
            case .any, .text, .number, .boolean: break
            }
        case .null, .bool, .integer, .double, .string: break
        }
    }

    private func note(_ unknown: Unknown, _ source: Source) {
        // The first answer counts; others answer variants of the same request.
        if sources[unknown] == nil { sources[unknown] = source }
    }
}

extension Derivation {
    /// The unknowns in the data from which it is computed.
    var unknowns: [Unknown] { input.unknowns + variables.values.flatMap(\.unknowns) }
}
