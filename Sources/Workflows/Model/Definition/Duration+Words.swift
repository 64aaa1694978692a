extension Duration {
    /// The duration in words: `1 min 30 s`.
    package var words: String {
        var rest = Int(seconds.rounded(.down))
        let fraction = seconds - Double(rest)
        var parts: [String] = []
        for (unit, length) in [("d", 86_400), ("h", 3_600), ("min", 60)] where rest >= length {
            parts.append("\(rest / length) \(unit)")
            rest %= length
        }
        if rest > 0 || fraction > 0 || parts.isEmpty {
            let thousandths = Int(((Double(rest) + fraction) * 1_000).rounded())
            let decimals = String(1_000 + thousandths % 1_000).dropFirst()
            parts.append("\("\(thousandths / 1_000).\(decimals)".droppingZeros) s")
        }
        return parts.joined(separator: " ")
    }
}

extension String {
    fileprivate var droppingZeros: String {
        var text = Substring(self)
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return String(text)
    }
}
