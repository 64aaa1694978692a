/// Replaces secrets in data by drawings, and collects where they were.
///
/// Values with a secret type are drawn; plain texts, numbers and members' names are searched.
struct Concealment {
    /// Deeper data is concealed as a whole, because a thread's stack is limited.
    private static let deepest = 500
    private static let tooDeep = Drawing.named("a secret, nested too deeply to be told apart")

    struct Finding {
        var pointer: JSONPointer
        var place: Seal.Place
        /// The real text or number, or the data in which it is.
        var real: Value
        var names: [String]
        /// Whether it was found by the search, and is plain data inside the run.
        var isFound: Bool
    }

    /// Texts that are not searched: the type that identifies an error.
    var kept: Set<JSONPointer>
    private let search: SecretSearch
    /// Whether marks in plain texts are drawn as well: people must not confuse them with drawings.
    private let isForPeople: Bool
    private(set) var findings: [Finding] = []
    /// Whether something secret by its type is nested too deeply to be collected.
    private(set) var hasLost = false

    init(_ search: SecretSearch, isForPeople: Bool, keeping kept: Set<JSONPointer> = []) {
        self.kept = kept
        self.search = search
        self.isForPeople = isForPeople
    }

    mutating func conceal(_ data: Value, at pointer: JSONPointer = .root) -> Value {
        switch data {
        case .null, .bool: return data
        case .integer, .double:
            guard let names = search.parts(of: data.json())?.secretNames else { return data }
            return conceal(whole: data, of: names, isFound: true, at: pointer)
        case .string(let text):
            guard !kept.contains(pointer) else { return data }
            guard let found = search.parts(of: text) else { return .string(shown(text)) }
            return .string(draw(found.map { ($0, true) }, at: pointer))
        case .marked(let marked):
            if case .secret(let secret) = marked.content {
                return conceal(whole: secret.value, of: secret.names, isFound: false, at: pointer)
            }
            let parts = marked.parts.flatMap { part -> [(TextPart, Bool)] in
                guard case .plain(let text) = part, let found = search.parts(of: text) else { return [(part, false)] }
                return found.map { ($0, true) }
            }
            return .string(draw(parts, at: pointer))
        case .array(let elements):
            guard pointer.tokens.count < Self.deepest else { return concealDeep(data, at: pointer) }
            var concealed: [Value] = []
            concealed.reserveCapacity(elements.count)
            for (index, element) in elements.enumerated() {
                concealed.append(conceal(element, at: pointer.appending(index)))
            }
            return .array(concealed)
        case .object(let members):
            guard pointer.tokens.count < Self.deepest else { return concealDeep(data, at: pointer) }
            var concealed = Object()
            concealed.reserveCapacity(members.count)
            var drawings: Set<String> = []
            for (name, member) in members {
                let shown = conceal(name: name, of: members, &drawings, at: pointer)
                concealed[shown] = conceal(member, at: pointer.appending(shown))
            }
            return .object(concealed)
        }
    }

    private func shown(_ text: String) -> String { isForPeople ? Drawing.text(text) : text }

    private mutating func conceal(
        whole value: Value, of names: [String], isFound: Bool, at pointer: JSONPointer
    ) -> Value {
        findings.append(Finding(pointer: pointer, place: .value, real: value, names: names, isFound: isFound))
        return .string(Drawing.of(Confidential(value, of: names)))
    }

    private mutating func draw(_ parts: [(part: TextPart, isFound: Bool)], at pointer: JSONPointer) -> String {
        var text = ""
        for (part, isFound) in parts {
            switch part {
            case .plain(let plain): text += shown(plain)
            case .unknown(let unknown): text += Drawing.of(unknown)
            case .secret(let secret):
                let start = text.utf8.count
                text += Drawing.of(secret)
                findings.append(
                    Finding(
                        pointer: pointer, place: .range(start..<text.utf8.count), real: secret.value,
                        names: secret.names, isFound: isFound))
            }
        }
        return text
    }

    /// The drawing of a member's name as a whole, unique in the object.
    /// - Parameter drawings: The drawings among the object's names so far.
    private mutating func conceal(
        name: String, of members: Object, _ drawings: inout Set<String>, at pointer: JSONPointer
    ) -> String {
        guard let names = search.parts(of: name)?.secretNames else { return shown(name) }
        let drawing = Drawing.of(Confidential(.string(name), of: names))
        var unique = drawing
        var number = 2
        while members[unique] != nil || drawings.contains(unique) {
            unique = drawing + Drawing.named("\(number)")
            number += 1
        }
        drawings.insert(unique)
        findings.append(
            Finding(
                pointer: pointer.appending(unique), place: .name, real: .string(name), names: names, isFound: true))
        return unique
    }

    private mutating func concealDeep(_ data: Value, at pointer: JSONPointer) -> Value {
        if data.holdsMark {
            hasLost = true
            return .string(Self.tooDeep)
        }
        let json = data.json()
        guard let names = search.parts(of: json)?.secretNames else {
            return isForPeople && Drawing.text(json) != json ? .string(Drawing.text(json)) : data
        }
        findings.append(Finding(pointer: pointer, place: .value, real: data, names: names, isFound: true))
        return .string(Self.tooDeep)
    }
}

extension [TextPart] {
    var secretNames: [String] {
        let names = flatMap { part -> [String] in if case .secret(let secret) = part { secret.names } else { [] } }
        return Set(names).sorted()
    }
}
