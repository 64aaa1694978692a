/// A plan's unknowns, and the texts that represent them while a function makes its requests.
///
/// A function works with plain texts. In a plan it gets a token for each unknown; the plan then searches its requests
/// and results for tokens. A token contains 128 random bits chosen per process, so no outside data contains one. It
/// consists of lowercase letters and digits, which no encoding of addresses, JSON or HTML changes.
package final class UnknownTokens: Sendable {
    private static let mark = "u" + (0..<2).map { _ in hexadecimal(UInt64.random(in: 0...UInt64.max), 16) }.joined()
    private static let markBytes = Data(mark.utf8)
    private static let length = mark.utf8.count + 8

    private struct State {
        var unknowns: [Unknown] = []
        var tokens: [Unknown: String] = [:]
        var counts: [String: Int] = [:]
        var collections: [Value: Unknown] = [:]
        var answers: [Unknown: Answer] = [:]
    }

    /// An answer that is only known at run time, with tokens for its members.
    package final class Answer: Sendable {
        package var name: String { root.name }
        private let root: Unknown
        private let tokens: UnknownTokens?
        fileprivate let isElement: Bool
        private let members = Locked<[String: Unknown]>([:])

        fileprivate init(_ name: String, isElement: Bool, _ tokens: UnknownTokens?) {
            root = Unknown(name)
            self.isElement = isElement
            self.tokens = tokens
        }

        /// The answer of a call that is not planned; its example is never read.
        package convenience init() { self.init("", isElement: false, nil) }

        /// The member's token, the same for each name; empty if the call is not planned.
        package func callAsFunction(_ member: String, _ shape: Unknown.Shape = .any) -> String {
            guard let tokens else { return "" }
            let unknown = members.withLock { members in
                if let known = members[member] { return known }
                let unknown = Unknown(isElement ? "\(name)[].\(member)" : "\(name).\(member)", shape)
                members[member] = unknown
                return unknown
            }
            return tokens.token(for: unknown, in: self)
        }

        package func whole() -> String { tokens?.token(for: root, in: self) ?? "" }
    }

    private let state = Locked(State())

    package init() {}

    /// A name that is unique in the plan: `upload`, then `upload#2`.
    package func unique(_ name: String) -> String {
        let name = Drawing.name(name)
        return state.withLock { state in
            let count = (state.counts[name] ?? 0) + 1
            state.counts[name] = count
            return count == 1 ? name : "\(name)#\(count)"
        }
    }

    package var names: [String: Int] {
        get { state.withLock { $0.counts } }
        set { state.withLock { $0.counts = newValue } }
    }

    package func unknown(
        _ name: String, _ shape: Unknown.Shape = .any, from origin: Unknown.Origin = .run
    ) -> Unknown { Unknown(unique(name), shape, from: origin) }

    /// An answer with a unique name.
    /// - Parameter isElement: Whether the answer is an array of unknown length, and the members are its elements'.
    package func answer(_ name: String, isElement: Bool = false) -> Answer {
        Answer(unique(name), isElement: isElement, self)
    }

    package func token(for unknown: Unknown) -> String { token(for: unknown, in: nil) }

    private func token(for unknown: Unknown, in answer: Answer?) -> String {
        state.withLock { state in
            if let known = state.tokens[unknown] { return known }
            let token = Self.mark + Self.hexadecimal(UInt64(state.unknowns.count), 8)
            state.unknowns.append(unknown)
            state.tokens[unknown] = token
            state.answers[unknown] = answer
            return token
        }
    }

    package func plain(_ data: Value) -> Value {
        data.mapMarks { marked in
            if case .unknown(let unknown) = marked.content {
                switch unknown.shape {
                case .object(let members):
                    if let example = plain(.object(members), of: unknown) { return example }
                case .array(let element):
                    if let example = plain([element], of: unknown) { return example }
                case .any, .text, .number, .boolean: break
                }
            }
            return .string(plain(marked.parts))
        }
    }

    /// An example for an unknown object or array, recognisable by its tokens; nil if it has none.
    private func plain(_ members: Value, of unknown: Unknown) -> Value? {
        guard members.holdsUnknown else { return nil }
        let example = plain(members)
        state.withLock { $0.collections[example] = unknown }
        return example
    }

    /// The unknown object or array that plain data represent.
    package func collection(_ data: Value) -> Unknown? {
        // Most plans have none, and the lookup hashes the whole value.
        state.withLock { $0.collections.isEmpty ? nil : $0.collections[data] }
    }

    private func plain(_ parts: [TextPart]) -> String {
        parts.map { part in
            switch part {
            case .plain(let text): text
            case .unknown(let unknown): token(for: unknown)
            case .secret(let secret): Drawing.of(secret)
            }
        }.joined()
    }

    package func marked(_ text: String) -> Value {
        guard Self.isIn(text) else { return .string(text) }
        return .text(parts(Data(text.utf8)))
    }

    /// The data with unknowns in place of tokens, including tokens in Base64.
    ///
    /// An object with a member that only the service knows may have other members, and an array of such objects may
    /// have any length.
    package func marked(_ data: Value) -> Value {
        switch data {
        case .null, .bool, .integer, .double, .marked: return data
        case .string(let text):
            if Self.isIn(text) { return marked(text) }
            return Self.inBase64(text).map { .unknown(base64($0)) } ?? data
        case .array(let elements):
            if let unknown = collection(data) { return .unknown(unknown) }
            let marked = elements.map { self.marked($0) }
            guard marked.count == 1, let element = marked.first, let answer = answer(of: element), answer.isElement
            else { return .array(marked) }
            return .unknown(Unknown(answer.name, .array(element)))
        case .object(let members):
            if let unknown = collection(data) { return .unknown(unknown) }
            var marked = Object()
            for (name, member) in members {
                let name = Self.isIn(name) ? Value.drawn(parts(Data(name.utf8))) : name
                marked[name] = self.marked(member)
            }
            guard let answer = answer(ofMembers: marked) else { return .object(marked) }
            return .unknown(Unknown(answer.isElement ? "\(answer.name)[]" : answer.name, .object(marked)))
        }
    }

    /// The unknown that bytes with tokens represent: an example's, or a text in Base64.
    private func base64(_ bytes: Data) -> Unknown {
        if let example = example(of: bytes) { return example }
        let input = Value.text(parts(bytes))
        return Unknown(
            "base64 of \(Drawing.name(input.drawn().string ?? ""))", .text,
            from: .computed(Derivation("@base64", input: input)))
    }

    /// The unknown at the end of example bytes; nil for any other bytes.
    package func example(of bytes: Data) -> Unknown? {
        guard bytes.count > Self.length, bytes[bytes.endIndex - Self.length - 1] == 0 else { return nil }
        return unknown(of: String(decoding: bytes.suffix(Self.length), as: UTF8.self))
    }

    /// Example bytes for content known only at run time: real content, so later steps work, followed by the token.
    package static func example(_ bytes: Data, token: String) -> Data { bytes + [0] + Data(token.utf8) }

    package func isMember(_ unknown: Unknown) -> Bool {
        state.withLock { state in state.answers[unknown].map { $0.name != unknown.name } ?? false }
    }

    private func answer(of element: Value) -> Answer? {
        guard let unknown = element.unknown else { return nil }
        guard case .object(let members) = unknown.shape else { return state.withLock { $0.answers[unknown] } }
        return answer(ofMembers: members)
    }

    private func answer(ofMembers members: Object) -> Answer? {
        let answers = state.withLock { $0.answers }
        guard !answers.isEmpty else { return nil }
        return members.lazy.compactMap { name, value -> Answer? in
            guard let unknown = value.unknown, let answer = answers[unknown], unknown.name.hasSuffix(".\(name)") else {
                return nil
            }
            return answer
        }.first
    }

    package func parts(_ bytes: Data) -> [TextPart] {
        var parts: [TextPart] = []
        var rest = bytes[...]
        func take(_ text: Data) { if !text.isEmpty { parts.append(.plain(String(decoding: text, as: UTF8.self))) } }
        while let found = Self.firstMark(in: rest) {
            let end = rest.index(found.lowerBound, offsetBy: Self.length, limitedBy: rest.endIndex) ?? rest.endIndex
            let digits = String(decoding: rest[found.upperBound..<end], as: UTF8.self)
            take(rest[..<found.lowerBound])
            let unknown = Int(digits, radix: 16).flatMap { number in
                state.withLock { $0.unknowns.indices.contains(number) ? $0.unknowns[number] : nil }
            }
            parts.append(
                unknown.map { .unknown($0) } ?? .plain(String(decoding: rest[found.lowerBound..<end], as: UTF8.self)))
            rest = rest[end...]
        }
        take(rest)
        return parts
    }

    package func unknown(of text: String) -> Unknown? {
        guard Self.isOne(text) else { return nil }
        return marked(text).unknown
    }

    package static func isOne(_ text: String) -> Bool { text.utf8.count == length && text.hasPrefix(mark) }

    package static func isIn(_ text: String) -> Bool {
        guard text.utf8.count >= length else { return false }
        var text = text
        return text.withUTF8 { unsafe firstMark(in: UnsafeRawBufferPointer($0)) != nil }
    }

    package static func isIn(_ bytes: Data) -> Bool {
        bytes.count >= length && firstMark(in: bytes) != nil
    }

    /// The first mark's range; every upload is searched, which the C library does much faster than `Data`.
    private static func firstMark(in bytes: Data) -> Range<Data.Index>? {
        let offset = unsafe bytes.withUnsafeBytes { unsafe firstMark(in: $0) }
        return offset.map { bytes.startIndex + $0..<bytes.startIndex + $0 + markBytes.count }
    }

    private static func firstMark(in bytes: UnsafeRawBufferPointer) -> Int? {
        unsafe markBytes.withUnsafeBytes { mark -> Int? in
            guard let text = bytes.baseAddress, let word = mark.baseAddress else { return nil }
            var start = 0
            while start + mark.count <= bytes.count,
                let found = unsafe memchr(text + start, Int32(mark[0]), bytes.count - mark.count - start + 1)
            {
                if unsafe memcmp(found, word, mark.count) == 0 { return unsafe UnsafeRawPointer(found) - text }
                unsafe start = UnsafeRawPointer(found) - text + 1
            }
            return nil
        }
    }

    /// The beginning of an address whose own beginning is unknown; it is not shown.
    package static let exampleOrigin = "https://unknown.example/"

    /// The parts of an address, without ``exampleOrigin``.
    package func parts(ofAddress text: String) -> [TextPart] {
        let isUnknown = text.hasPrefix(Self.exampleOrigin + Self.mark)
        return parts(Data((isUnknown ? String(text.dropFirst(Self.exampleOrigin.count)) : text).utf8))
    }

    private static func inBase64(_ text: String) -> Data? {
        guard text.utf8.count >= length, text.utf8.count.isMultiple(of: 4), let bytes = Data(base64Encoded: text),
            isIn(bytes)
        else { return nil }
        return bytes
    }

    private static func hexadecimal(_ number: UInt64, _ digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
