/// Bytes on their way to a terminal or a file, in which secrets are concealed.
///
/// A secret can span two pieces, so the end of each piece is kept until the next one.
package struct ConcealedBytes {
    private let known: KnownSecrets
    private var kept: [UInt8] = []

    package init(_ known: KnownSecrets) { self.known = known }

    package static func conceal(_ text: String, _ known: KnownSecrets) -> String {
        known.areInUse ? String(decoding: conceal(Data(text.utf8), known), as: UTF8.self) : text
    }

    package static func conceal(_ bytes: Data, _ known: KnownSecrets) -> Data {
        guard known.areInUse else { return bytes }
        var concealed = ConcealedBytes(known)
        return concealed.add(bytes, isLast: true)
    }

    /// What can be written after the next piece.
    package mutating func add(_ piece: Data, isLast: Bool) -> Data {
        let bytes = kept + piece
        let (findings, longest) = known.findings(in: bytes)
        var end = isLast ? bytes.count : max(0, bytes.count - longest)
        var written = Data()
        var place = 0
        for finding in findings {
            guard finding.range.lowerBound < end else { break }
            written += bytes[place..<finding.range.lowerBound]
            written += Data(Drawing.of(Confidential(.null, of: finding.names)).utf8)
            place = finding.range.upperBound
            end = max(end, place)
        }
        written += bytes[place..<end]
        kept = Array(bytes[end...])
        return written
    }
}
