/// Unicode's case folding (CaseFolding.txt, statuses C, S and F), made of the mappings between cases.
enum CaseFolding {
    /// The letters that have more than one other form, each with all its forms.
    private static let forms: [UInt32: [UInt32]] = {
        let groups =
            "KkK Ssſ µΜμ ÅåÅ Ǆǅǆ Ǉǈǉ Ǌǋǌ Ǳǲǳ \u{345}Ιι\u{1FBE} Ββϐ Εεϵ Θθϑϴ Κκϰ Ππϖ Ρρϱ Σςσ Φφϕ ΩωΩ Ввᲀ Ддᲁ Ооᲂ "
            + "Ссᲃ Ттᲄᲅ Ъъᲆ Ѣѣᲇ ᲈꙊꙋ Ṡṡẛ"
        var forms: [UInt32: [UInt32]] = [:]
        // Not by characters: the first one after a blank can be a combining mark.
        for group in groups.unicodeScalars.split(separator: " ") {
            let scalars = group.map(\.value)
            for scalar in scalars { forms[scalar] = scalars }
        }
        return forms
    }()

    /// The letters whose folding has several code points, such as `ß`, with it.
    static let several: [UInt32: [UInt32]] = {
        let letters =
            "ßİŉǰΐΰևẖẗẘẙẚẞὐὒὔὖᾀᾁᾂᾃᾄᾅᾆᾇᾈᾉᾊᾋᾌᾍᾎᾏᾐᾑᾒᾓᾔᾕᾖᾗᾘᾙᾚᾛᾜᾝᾞᾟᾠᾡᾢᾣᾤᾥᾦᾧᾨᾩᾪᾫᾬᾭᾮᾯᾲᾳᾴᾶᾷᾼῂῃῄῆῇῌῒ\u{1FD3}ῖῗῢ\u{1FE3}ῤῦῧῲῳῴῶῷῼﬀﬁﬂﬃﬄﬅﬆﬓﬔﬕﬖﬗ"
        var several: [UInt32: [UInt32]] = [:]
        for letter in letters.unicodeScalars {
            several[letter.value] = String(letter).lowercased().uppercased().lowercased().unicodeScalars
                .map(\.value)
        }
        return several
    }()

    /// The letters for which several code points stand, by these.
    static let single: [[UInt32]: [ClosedRange<UInt32>]] = several.reduce(into: [:]) {
        single, letter in
        single[letter.value, default: []].append(letter.key...letter.key)
    }

    /// The code point that represents a letter in each of its forms.
    static func folded(_ scalar: UInt32) -> UInt32 {
        if scalar < 128 { return (65...90).contains(scalar) ? scalar + 32 : scalar }
        // The small letter without a dot is another letter: only Turkish takes it for the form of a capital one.
        return scalar == 0x131 ? scalar : lower(upper(scalar))
    }

    /// The code points that differ from this one in nothing but their case.
    static func variants(of scalar: UInt32) -> [UInt32] {
        let folded = folded(scalar)
        return forms[folded] ?? [folded, upper(folded), scalar]
    }

    private static func lower(_ scalar: UInt32) -> UInt32 {
        only(Unicode.Scalar(scalar)?.properties.lowercaseMapping) ?? scalar
    }

    private static func upper(_ scalar: UInt32) -> UInt32 {
        if scalar < 128 { return (97...122).contains(scalar) ? scalar - 32 : scalar }
        return only(Unicode.Scalar(scalar)?.properties.uppercaseMapping) ?? scalar
    }

    private static func only(_ mapping: String?) -> UInt32? {
        guard let scalars = mapping?.unicodeScalars, scalars.count == 1 else { return nil }
        return scalars.first?.value
    }
}

extension RegularExpressionParser {
    /// One character of the expression: without case, `ß` is also `ss`.
    func letter(_ scalar: UInt32) -> Tree {
        guard options.ignoresCase else { return .scalar(scalar, ignoresCase: false) }
        guard dialect == .oniguruma, let several = CaseFolding.several[scalar] else {
            return .scalar(scalar, ignoresCase: true)
        }
        return .alternatives([.set(ScalarSet(CaseFolding.single[several] ?? [])), folded(several)])
    }

    /// Brackets: without case, the letters in them for which several characters stand are these as well.
    func letters(_ set: ScalarSet) -> Tree {
        let one = Tree.set(foldedSet(set))
        guard options.ignoresCase, dialect == .oniguruma, let written = set.written else { return one }
        let several = CaseFolding.single.filter {
            $0.value.contains { written.contains($0.lowerBound) }
        }
        guard !several.isEmpty else { return one }
        return .alternatives(
            [one] + several.keys.sorted { $0.lexicographicallyPrecedes($1) }.map(folded))
    }

    /// Characters in a row: without case, `ss` is also `ß`.
    ///
    /// As in Oniguruma, the longest row that one letter stands for is taken first, from the left.
    func joined(_ parts: [Tree]) -> [Tree] {
        guard dialect == .oniguruma else { return parts }
        var result: [Tree] = []
        var rest = parts[...]
        while let first = rest.first {
            let segment = [3, 2].lazy.compactMap { count -> (several: ArraySlice<Tree>, one: Tree)? in
                let several = rest.prefix(count)
                let scalars = several.compactMap(\.foldedScalar)
                guard scalars.count == count, let one = CaseFolding.single[scalars] else { return nil }
                return (several, .set(ScalarSet(one)))
            }.first
            if let segment {
                result.append(.alternatives([.sequence(Array(segment.several)), segment.one]))
            }
            if segment == nil { result.append(first) }
            rest = rest.dropFirst(segment?.several.count ?? 1)
        }
        return result
    }

    private func folded(_ scalars: [UInt32]) -> Tree {
        .sequence(scalars.map { .scalar($0, ignoresCase: true) })
    }
}

extension RegularExpressionParser.Tree {
    fileprivate var foldedScalar: UInt32? {
        guard case .scalar(let scalar, ignoresCase: true) = self else { return nil }
        return CaseFolding.folded(scalar)
    }
}
