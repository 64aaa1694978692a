import Foundation

/// Where the ranges of a file go: an address that needs no token, since knowing it is the permission.
struct UploadSession: Sendable {
    /// The address; it must not be shown.
    let url: URL
    /// The first byte that is expected.
    let start: Int
    /// When it was made, by the service's clock; nil where the service did not say.
    let madeAt: Date?

    /// Reads Graph's answer, and refuses an address where the file must not go.
    init(_ answer: Value, madeAt: Date?, base: URL) throws(GraphError) {
        guard let text = answer["uploadUrl"]?.string ?? answer["UploadUrl"]?.string else {
            throw GraphError(.badAnswer, message: "The answer describes no upload session: it has no 'uploadUrl'.")
        }
        guard let url = URL(string: text), let origin = Origin(url), url.user() == nil, url.password() == nil,
            origin.isPrivate, !origin.isLoopback || Origin(base)?.isLoopback == true
        else {
            // The address itself would let others write.
            let place = URL(string: text).flatMap { Origin($0)?.description } ?? "an address that is none"
            throw GraphError(.badAnswer, message: "The upload session is at \(place), where the file must not go.")
        }
        self.url = url
        self.madeAt = madeAt
        start = Self.nextByte(answer) ?? 0
    }

    /// What a dry run has as the address of a session; what only the service knows is symbolic.
    static func exampleAddress(_ operation: String) -> String {
        "https://upload.example/%E2%80%B9\(operation).uploadUrl%E2%80%BA"
    }

    /// The first byte that is expected next: of `["26-"]`, `["12345-55232", "77829-"]` or `["2097152"]`.
    ///
    /// - Returns: nil where the answer names none.
    static func nextByte(_ answer: Value) -> Int? {
        let ranges = answer["nextExpectedRanges"] ?? answer["NextExpectedRanges"]
        return (ranges?.array ?? []).compactMap { range in
            range.integer ?? (range.string?.prefix { $0 != "-" }).flatMap { Int($0) }
        }.filter { $0 >= 0 }.min()
    }
}
