extension Int {
    /// A number of bytes for people: `300 bytes`, `5.2 MB`.
    package var byteText: String {
        if self < 1_000 { return "\(self) bytes" }
        let units = ["kB", "MB", "GB", "TB"]
        var (size, unit) = (Double(self) / 1_000, 0)
        while size >= 999.95, unit < units.count - 1 { (size, unit) = (size / 1_000, unit + 1) }
        return "\((size * 10).rounded() / 10) \(units[unit])"
    }
}
