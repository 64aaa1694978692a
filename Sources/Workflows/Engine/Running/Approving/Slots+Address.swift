/// The parts of an address or a form between its separators.
private struct Structure {
    /// A segment of the path, or an item of a query or a form, with the separator before it.
    struct Part {
        var separator: Character?
        var parts: [TextPart] = []

        /// The name before `=` if all of the value after it is a slot.
        var slotName: String? {
            guard parts.count == 2, case .plain(let text) = parts[0], text.hasSuffix("="), parts[1].isUnknown,
                !text.dropLast().contains("=")
            else { return nil }
            return String(text.dropLast())
        }

        /// Whether the path of a file in a drive begins or ends with it.
        var endsInColon: Bool {
            if case .plain(let text)? = parts.last { text.hasSuffix(":") && !endsInScheme } else { false }
        }
        var endsInScheme: Bool { parts == [.plain("https:")] || parts == [.plain("http:")] }
        var isSlot: Bool { parts.count == 1 && parts[0].isUnknown }
        var hasSlot: Bool { parts.contains(where: \.isUnknown) }
    }

    var segments: [Part] = []
    var items: [Part] = []
    /// Whether an address ends in `?`.
    var hasEmptyQuery = false

    /// Whether a name or a password precedes the host of an address.
    var hasUserInformation: Bool {
        segments.count > 2 && segments[0].endsInScheme
            && segments[2].parts.contains { if case .plain(let text) = $0 { text.contains("@") } else { false } }
    }

    init(_ planned: [TextPart], isForm: Bool) {
        var all = [Part(separator: nil)]
        var isQuery = isForm
        for part in planned {
            guard case .plain(let text) = part else {
                all[all.count - 1].parts.append(part)
                continue
            }
            var plain = ""
            func end() { if !plain.isEmpty { all[all.count - 1].parts.append(.plain(plain)) } }
            for character in text {
                let isSeparator = isQuery ? character == "&" : character == "/" || character == "?"
                guard isSeparator else {
                    plain.append(character)
                    continue
                }
                end()
                plain = ""
                isQuery = isQuery || character == "?"
                all.append(Part(separator: character))
            }
            end()
        }
        let first = all.firstIndex { isForm || $0.separator == "?" } ?? all.count
        segments = Array(all[..<first])
        items = Array(all[first...])
        // An address can end in '?', and a form can be empty.
        if items.count == 1, items[0].parts.isEmpty { (items, hasEmptyQuery) = ([], !isForm) }
    }
}

extension Slots {
    /// Whether an address matches the plan's.
    ///
    /// If `repeatsItems`, an item of the query is left out for null, and repeated for each element of a list.
    static func fit(address planned: [TextPart], _ real: String, repeatsItems: Bool) -> Bool {
        var parts = planned
        // A planned address of an upload session begins like an example.
        if parts.count > 1, parts[0] == .plain(UploadSession.example) { parts.removeFirst() }
        let (mine, theirs) = (Structure(parts, isForm: false), Structure([.plain(real)], isForm: false))
        // No value may become a fragment, which is not sent, or come before the host.
        guard !real.contains("#"), !theirs.hasUserInformation || mine.hasUserInformation else { return false }
        if let first = mine.segments.first?.parts.first, first.isUnknown {
            return fit(mine, afterUnknown: theirs, repeatsItems: repeatsItems)
        }
        // A value that ends in `?` would lose it.
        guard !theirs.hasEmptyQuery || mine.hasEmptyQuery || !mine.items.isEmpty else { return false }
        return fit(segments: mine.segments[...], theirs.segments[...])
            && fit(items: mine.items[...], theirs.items[...], repeatsItems: repeatsItems)
    }

    static func fit(form planned: [TextPart], _ real: String, repeatsItems: Bool) -> Bool {
        // A form that is one unknown as a whole has no parts.
        guard planned.count > 1 else { return fit(planned, real) }
        let (mine, theirs) = (Structure(planned, isForm: true), Structure([.plain(real)], isForm: true))
        return fit(items: mine.items[...], theirs.items[...], repeatsItems: repeatsItems)
    }

    /// Whether an address with an unknown start ends as the plan says, without dot segments.
    private static func fit(_ planned: Structure, afterUnknown real: Structure, repeatsItems: Bool) -> Bool {
        let whole = real.segments.map(\.text)
        guard ["http:", "https:"].contains(whole.first ?? ""), !whole.dropFirst(3).contains(where: \.isDotSegment)
        else { return false }
        let tail = planned.segments.dropFirst()
        guard real.segments.count > tail.count, fit(segments: tail, real.segments.suffix(tail.count)) else {
            return false
        }
        let head = real.segments[real.segments.count - tail.count - 1].text
        guard fit(planned.segments[0].parts, head) else { return false }
        // The unknown start may have its own query, which a slot at the end includes.
        if planned.items.isEmpty {
            return planned.segments.count == 1 && planned.segments[0].isSlot
                || real.items.isEmpty && (!real.hasEmptyQuery || planned.hasEmptyQuery)
        }
        return (0...real.items.count).contains { start in
            fit(items: planned.items[...], real.items[start...], repeatsItems: repeatsItems)
        }
    }

    /// Whether the segments of a path match the plan's; in a drive's file path, a slot may be several segments.
    private static func fit(
        segments planned: ArraySlice<Structure.Part>, _ real: ArraySlice<Structure.Part>, isInFilePath: Bool = false
    ) -> Bool {
        guard let mine = planned.first else { return real.isEmpty }
        var text = ""
        var rest = real
        while let next = rest.popFirst() {
            guard !mine.hasSlot || !next.text.isDotSegment && !next.text.isNameless else { return false }
            text += rest.count + 1 == real.count ? next.text : "/" + next.text
            let isInside = isInFilePath != mine.endsInColon
            if fit(mine.parts, text), fit(segments: planned.dropFirst(), rest, isInFilePath: isInside) { return true }
            guard mine.hasSlot, isInFilePath else { return false }
        }
        return false
    }

    private static func fit(
        items planned: ArraySlice<Structure.Part>, _ real: ArraySlice<Structure.Part>, repeatsItems: Bool
    ) -> Bool {
        guard let mine = planned.first else { return real.isEmpty }
        if repeatsItems, mine.isSlot || mine.slotName != nil {
            // None for null, and one for each element of a list.
            let count = real.prefix { item in mine.isSlot || item.text.hasPrefix("\(mine.slotName ?? "")=") }.count
            return (0...count).contains { fit(items: planned.dropFirst(), real.dropFirst($0), repeatsItems: true) }
        }
        guard let theirs = real.first, fit(mine.parts, theirs.text) else { return false }
        return fit(items: planned.dropFirst(), real.dropFirst(), repeatsItems: repeatsItems)
    }
}

extension Structure.Part {
    fileprivate var text: String { if case .plain(let text)? = parts.first { text } else { "" } }
}

extension String {
    /// Whether nothing is named in a segment: an empty value makes the path one of something else.
    fileprivate var isNameless: Bool { isEmpty || self == ":" || hasSuffix("('')") || hasSuffix("()") }
}
