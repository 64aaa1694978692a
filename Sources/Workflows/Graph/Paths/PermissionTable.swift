/// The least-privileged permissions of requests, from Graph's reference.
///
/// Source: permissions.json of microsoftgraph/microsoft-graph-devx-content, and the pages of Graph's reference. The
/// tests' `permissions.tsv` quotes both, and this table is compared with it.
enum PermissionTable {
    private struct Row: Sendable {
        /// The segments before a gap of any length, or all of them; nil stands for any segment.
        let head: [String?]
        /// The segments after the gap; nil without a gap.
        let tail: [String?]?
        let permissions: Permissions

        init(_ path: Substring, _ permissions: Permissions) {
            let segments = path.lowercased().split(separator: "/").map { $0 == "*" ? nil : String($0) }
            let gap = segments.firstIndex(of: "**")
            head = Array(segments[..<(gap ?? segments.count)])
            tail = gap.map { Array(segments[($0 + 1)...]) }
            self.permissions = permissions
        }

        func matches(_ path: [String]) -> Bool {
            guard let tail else { return path.count == head.count && Self.agree(path, from: 0, with: head) }
            return path.count >= head.count + tail.count && Self.agree(path, from: 0, with: head)
                && Self.agree(path, from: path.count - tail.count, with: tail)
        }

        private static func agree(_ path: [String], from start: Int, with segments: [String?]) -> Bool {
            for (index, segment) in segments.enumerated() {
                if let segment, path[start + index] != segment { return false }
            }
            return true
        }
    }

    /// A request's permissions for the signed-in user's objects, or for objects without a user; nil without a row.
    /// - Parameter path: The segments after the service's base, in lower case.
    static func permissions(of method: String, _ path: [String]) -> Permissions? {
        path.first.flatMap { rows[method]?[$0] }?.first { $0.matches(path) }?.permissions
    }

    /// The rows of each method, by their first segment.
    ///
    /// Each line of `permissions.txt` has methods, a path in which `*` is any segment and `**` any number of them, the delegated
    /// permission and the application's; `-` for none.
    private static let rows: [String: [String: [Row]]] = {
        var rows: [String: [String: [Row]]] = [:]
        for line in String(decoding: PackageResources.permissions_txt, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            let names = words[2...].map { $0 == "-" ? [] : [String($0)] }
            let row = Row(words[1], Permissions(delegated: names[0], application: names[1]))
            for method in words[0].split(separator: ",") {
                rows[String(method), default: [:]][row.head.first.flatMap(\.self) ?? "", default: []].append(row)
            }
        }
        return rows
    }()
}
