indirect enum ScalarSet: Sendable {
    case range(ClosedRange<UInt32>)
    case ranges([ClosedRange<UInt32>])
    case property(Property)
    case union([ScalarSet])
    case inverted(ScalarSet)
    case ignoringCase(ScalarSet)

    enum Property: String, Sendable {
        case alnum, alpha, blank, cntrl, digit, graph, lower, print, punct, space, upper, xdigit, word, ascii
        case letter = "l"
        case uppercaseLetter = "lu"
        case lowercaseLetter = "ll"
        case titlecaseLetter = "lt"
        case modifierLetter = "lm"
        case otherLetter = "lo"
        case mark = "m"
        case nonspacingMark = "mn"
        case spacingMark = "mc"
        case enclosingMark = "me"
        case number = "n"
        case decimalNumber = "nd"
        case letterNumber = "nl"
        case otherNumber = "no"
        case punctuation = "p"
        case symbol = "s"
        case mathSymbol = "sm"
        case currencySymbol = "sc"
        case modifierSymbol = "sk"
        case otherSymbol = "so"
        case separator = "z"
        case spaceSeparator = "zs"
        case other = "c"
        case control = "cc"
        case format = "cf"
        case any

        /// Ignores case, spaces and hyphens.
        init?(name: String) {
            let folded = name.lowercased().filter { $0 != "_" && $0 != "-" && $0 != " " }
            let long = [
                "letter": "l", "uppercaseletter": "lu", "lowercaseletter": "ll", "titlecaseletter": "lt",
                "modifierletter": "lm", "otherletter": "lo", "mark": "m", "nonspacingmark": "mn", "number": "n",
                "decimalnumber": "nd", "letternumber": "nl", "othernumber": "no", "punctuation": "p", "punct": "p",
                "symbol": "s",
                "mathsymbol": "sm", "currencysymbol": "sc", "separator": "z", "spaceseparator": "zs", "other": "c",
                "control": "cc", "format": "cf", "alphabetic": "alpha", "uppercase": "upper", "lowercase": "lower",
                "whitespace": "space",
            ]
            self.init(rawValue: long[folded] ?? folded)
        }

        func contains(_ scalar: Unicode.Scalar) -> Bool {
            if scalar.isASCII { return containsASCII(UInt8(truncatingIfNeeded: scalar.value)) }
            let properties = scalar.properties
            let category = properties.generalCategory
            switch self {
            case .any: return true
            case .ascii, .xdigit: return false
            case .blank: return category == .spaceSeparator
            case .cntrl: return category == .control
            case .alpha: return properties.isAlphabetic
            case .alnum: return properties.isAlphabetic || category == .decimalNumber
            case .digit, .decimalNumber: return category == .decimalNumber
            case .word:
                return properties.isAlphabetic || Self.isMark(category) || category == .decimalNumber
                    || category == .connectorPunctuation
            case .lower: return properties.isLowercase
            case .upper: return properties.isUppercase
            case .space: return properties.isWhitespace
            case .graph: return !properties.isWhitespace && category != .control && category != .unassigned
            case .print: return category != .control && category != .unassigned
            case .punct: return Self.isPunctuation(category) || Self.isSymbol(category)
            case .punctuation: return Self.isPunctuation(category)
            case .letter: return Self.isLetter(category)
            case .uppercaseLetter: return category == .uppercaseLetter
            case .lowercaseLetter: return category == .lowercaseLetter
            case .titlecaseLetter: return category == .titlecaseLetter
            case .modifierLetter: return category == .modifierLetter
            case .otherLetter: return category == .otherLetter
            case .mark: return Self.isMark(category)
            case .nonspacingMark: return category == .nonspacingMark
            case .spacingMark: return category == .spacingMark
            case .enclosingMark: return category == .enclosingMark
            case .number: return category == .decimalNumber || category == .letterNumber || category == .otherNumber
            case .letterNumber: return category == .letterNumber
            case .otherNumber: return category == .otherNumber
            case .symbol: return Self.isSymbol(category)
            case .mathSymbol: return category == .mathSymbol
            case .currencySymbol: return category == .currencySymbol
            case .modifierSymbol: return category == .modifierSymbol
            case .otherSymbol: return category == .otherSymbol
            case .separator:
                return category == .spaceSeparator || category == .lineSeparator || category == .paragraphSeparator
            case .spaceSeparator: return category == .spaceSeparator
            case .other:
                return category == .control || category == .format || category == .unassigned
                    || category == .privateUse || category == .surrogate
            case .control: return category == .control
            case .format: return category == .format
            }
        }

        private func containsASCII(_ byte: UInt8) -> Bool {
            let isUpper = (65...90).contains(byte)
            let isLower = (97...122).contains(byte)
            let isDigit = (48...57).contains(byte)
            switch self {
            case .any, .ascii: return true
            case .alpha, .letter: return isUpper || isLower
            case .alnum: return isUpper || isLower || isDigit
            case .blank: return byte == 32 || byte == 9
            case .cntrl, .control, .other: return byte < 32 || byte == 127
            case .digit, .number, .decimalNumber: return isDigit
            case .graph: return byte > 32 && byte < 127
            case .lower, .lowercaseLetter: return isLower
            case .print: return byte >= 32 && byte < 127
            case .punct: return byte > 32 && byte < 127 && !isUpper && !isLower && !isDigit
            case .space: return byte == 32 || (9...13).contains(byte)
            case .upper, .uppercaseLetter: return isUpper
            case .xdigit: return isDigit || (65...70).contains(byte) || (97...102).contains(byte)
            case .word: return isUpper || isLower || isDigit || byte == 95
            case .punctuation: return Self.isPunctuation(Unicode.Scalar(byte).properties.generalCategory)
            case .symbol: return Self.isSymbol(Unicode.Scalar(byte).properties.generalCategory)
            case .mathSymbol: return Unicode.Scalar(byte).properties.generalCategory == .mathSymbol
            case .currencySymbol: return byte == 36
            case .modifierSymbol: return byte == 94 || byte == 96
            case .separator, .spaceSeparator: return byte == 32
            case .titlecaseLetter, .modifierLetter, .otherLetter, .mark, .nonspacingMark, .spacingMark,
                .enclosingMark, .letterNumber, .otherNumber, .otherSymbol, .format:
                return false
            }
        }

        private static func isLetter(_ category: Unicode.GeneralCategory) -> Bool {
            switch category {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
            default: false
            }
        }

        private static func isMark(_ category: Unicode.GeneralCategory) -> Bool {
            category == .nonspacingMark || category == .spacingMark || category == .enclosingMark
        }

        private static func isSymbol(_ category: Unicode.GeneralCategory) -> Bool {
            switch category {
            case .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol: true
            default: false
            }
        }

        private static func isPunctuation(_ category: Unicode.GeneralCategory) -> Bool {
            switch category {
            case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
                .finalPunctuation, .otherPunctuation:
                true
            default: false
            }
        }
    }

    init(_ ranges: [ClosedRange<UInt32>]) {
        var merged: [ClosedRange<UInt32>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound <= last.upperBound {
                merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        self = .ranges(merged)
    }

    private static func contains(_ scalar: UInt32, in ranges: [ClosedRange<UInt32>]) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < scalar { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].lowerBound <= scalar
    }

    /// The set closed under case: `[^a]` then contains neither `a` nor `A`.
    var withoutCase: ScalarSet {
        if case .inverted(let set) = self { .inverted(set.withoutCase) } else { .ignoringCase(self) }
    }

    /// The part that is written as characters and their ranges; nil if there is none.
    var written: ScalarSet? {
        switch self {
        case .range, .ranges: return self
        case .union(let sets):
            let written = sets.compactMap(\.written)
            return written.isEmpty ? nil : .union(written)
        case .property, .inverted, .ignoringCase: return nil
        }
    }

    func contains(_ scalar: UInt32) -> Bool {
        switch self {
        case .range(let range): range.contains(scalar)
        case .ranges(let ranges): Self.contains(scalar, in: ranges)
        case .property(let property): Unicode.Scalar(scalar).map(property.contains) ?? false
        case .union(let sets): sets.contains { $0.contains(scalar) }
        case .inverted(let set): !set.contains(scalar)
        case .ignoringCase(let set):
            set.contains(scalar) || CaseFolding.variants(of: scalar).contains(where: set.contains)
        }
    }
}
