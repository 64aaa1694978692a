/// A value that is not plain data: an unknown of a plan, a secret, or a text that contains one.
///
/// It is never made from text: a text that looks like a drawing is text. Functions written in Swift get plain values in
/// a run. Its JSON is its drawing, such as `‹upload.id›`, which never contains a secret's text.
public struct Marked: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        case unknown(Unknown)
        case secret(Confidential)
        /// Two or more parts, at least one of which is not plain.
        case text([TextPart])
    }

    package let content: Content

    fileprivate init(_ content: Content) { self.content = content }
}

package enum TextPart: Sendable, Hashable {
    case plain(String)
    case unknown(Unknown)
    case secret(Confidential)
}

/// A known text or number that is not shown, with the names of the secrets it was made of.
package final class Confidential: Sendable, Hashable {
    package let value: Value
    package let names: [String]

    /// - Parameters:
    ///   - value: A string or number.
    ///   - names: The names of the secrets, in any order.
    package init(_ value: Value, of names: some Sequence<String>) {
        self.value = value
        self.names = Set(names).sorted()
    }

    package static func == (one: Confidential, other: Confidential) -> Bool {
        one === other || one.names == other.names && one.value == other.value
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(names) }
}

extension Confidential: CustomReflectable, CustomStringConvertible {
    /// Only the names, never the text.
    package var description: String { Drawing.of(self) }

    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .class) }
}

extension Value {
    package static func unknown(_ unknown: Unknown) -> Value { .marked(Marked(.unknown(unknown))) }

    /// A secret text or number; empty texts and other data have nothing to conceal.
    package static func secret(_ value: Value, of names: some Sequence<String>) -> Value {
        switch value {
        case .string(""), .null, .bool, .array, .object: value
        case .string, .integer, .double: .marked(Marked(.secret(Confidential(value, of: names))))
        case .marked(let marked):
            switch marked.content {
            case .secret(let secret): .secret(secret.value, of: secret.names + Array(names))
            case .unknown, .text: value
            }
        }
    }

    package static func text(_ parts: some Sequence<TextPart>) -> Value {
        var merged: [TextPart] = []
        for part in parts {
            switch (part, merged.last) {
            case (.plain(""), _): break
            case (.plain(let text), .plain(let before)?): merged[merged.count - 1] = .plain(before + text)
            default: merged.append(part)
            }
        }
        guard merged.count < 2, let only = merged.first else {
            return merged.isEmpty ? "" : .marked(Marked(.text(merged)))
        }
        return switch only {
        case .plain(let text): .string(text)
        case .unknown(let unknown): .unknown(unknown)
        case .secret(let secret): .marked(Marked(.secret(secret)))
        }
    }

    /// A text's parts; nil for other data, and for an unknown that may be of another type.
    package var textParts: [TextPart]? {
        switch self {
        case .string(let text): [.plain(text)]
        case .marked(let marked):
            switch marked.content {
            case .text(let parts): parts
            case .secret(let secret): secret.value.string == nil ? nil : [.secret(secret)]
            case .unknown(let unknown): unknown.shape == .text ? [.unknown(unknown)] : nil
            }
        case .null, .bool, .integer, .double, .array, .object: nil
        }
    }

    /// Nil for anything but an unknown, even for a text that contains one.
    package var unknown: Unknown? {
        guard case .marked(let marked) = self, case .unknown(let unknown) = marked.content else { return nil }
        return unknown
    }

    /// Nil for anything but a secret, even for a text that contains one.
    package var secret: Confidential? {
        guard case .marked(let marked) = self, case .secret(let secret) = marked.content else { return nil }
        return secret
    }

    package var holdsUnknown: Bool { holds { if case .unknown = $0 { true } else { false } } }

    package var holdsSecret: Bool { holds { if case .secret = $0 { true } else { false } } }

    /// Whether it contains anything but plain data.
    package var holdsMark: Bool { holds { _ in true } }

    /// Data may be nested deeper than a thread's stack allows, so nested collections wait in a list.
    private func holds(_ isWanted: (TextPart) -> Bool) -> Bool {
        var waiting: [Value] = []
        var next: Value? = self
        while let value = next {
            switch value {
            case .null, .bool, .integer, .double, .string: break
            case .array(let elements):
                for element in elements where element.mayHoldMarks { waiting.append(element) }
            case .object(let members):
                for member in members where member.value.mayHoldMarks { waiting.append(member.value) }
            case .marked(let marked):
                for part in marked.parts {
                    if case .plain = part { continue }
                    if isWanted(part) { return true }
                }
            }
            next = waiting.popLast()
        }
        return false
    }

    private var mayHoldMarks: Bool {
        switch self {
        case .null, .bool, .integer, .double, .string: false
        case .array, .object, .marked: true
        }
    }

    /// The data with plain texts and numbers for secrets; unknowns remain.
    package var revealed: Value {
        guard holdsSecret else { return self }
        return mapMarks { marked in
            switch marked.content {
            case .unknown: .marked(marked)
            case .secret(let secret): secret.value
            case .text(let parts):
                .text(
                    parts.map { part in
                        if case .secret(let secret) = part { .plain(secret.value.string ?? "") } else { part }
                    })
            }
        }
    }

    /// Every unknown in it, in order, each once, including those in the members and elements of unknowns.
    package var unknowns: [Unknown] {
        guard holdsUnknown else { return [] }
        var seen: Set<Unknown> = []
        var all: [Unknown] = []
        collectUnknowns { if seen.insert($0).inserted { all.append($0) } }
        return all
    }

    private func collectUnknowns(_ take: (Unknown) -> Void) {
        switch self {
        case .null, .bool, .integer, .double, .string: break
        case .array(let elements): for element in elements { element.collectUnknowns(take) }
        case .object(let members): for member in members { member.value.collectUnknowns(take) }
        case .marked(let marked):
            for case .unknown(let unknown) in marked.parts {
                take(unknown)
                switch unknown.shape {
                case .object(let members): Value.object(members).collectUnknowns(take)
                case .array(let element): element.collectUnknowns(take)
                case .any, .text, .number, .boolean: break
                }
            }
        }
    }

    /// Replaces marked values, except inside unknowns; data without marks may be too deep for a thread's stack to
    /// visit.
    package func mapMarks<Failure: Error>(_ change: (Marked) throws(Failure) -> Value) throws(Failure) -> Value {
        switch self {
        case .null, .bool, .integer, .double, .string: return self
        case .marked(let marked): return try change(marked)
        case .array, .object: guard holdsMark else { return self }
        }
        switch self {
        case .null, .bool, .integer, .double, .string, .marked: return self
        case .array(let elements):
            var changed: [Value] = []
            changed.reserveCapacity(elements.count)
            for element in elements { changed.append(try element.mapMarks(change)) }
            return .array(changed)
        case .object(let members):
            var changed = Object()
            changed.reserveCapacity(members.count)
            for (name, member) in members { changed[name] = try member.mapMarks(change) }
            return .object(changed)
        }
    }
}

extension Marked {
    package var typeName: String {
        switch content {
        case .text: "string"
        case .secret(let secret): secret.value.typeName
        case .unknown(let unknown):
            switch unknown.shape {
            case .any: "unknown"
            case .text: "string"
            case .number: "number"
            case .boolean: "boolean"
            case .object: "object"
            case .array: "array"
            }
        }
    }

    package var parts: [TextPart] {
        switch content {
        case .unknown(let unknown): [.unknown(unknown)]
        case .secret(let secret): [.secret(secret)]
        case .text(let parts): parts
        }
    }
}

extension Value {
    package var secrets: [Confidential] {
        var all: [Confidential] = []
        _ = mapMarks { marked in
            for case .secret(let secret) in marked.parts { all.append(secret) }
            return .marked(marked)
        }
        return all
    }
}
