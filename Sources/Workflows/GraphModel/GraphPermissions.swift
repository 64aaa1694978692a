/// The least permissions of a request that Microsoft publishes.
package struct GraphPermissions: Sendable, Hashable {
    /// What one kind of sign-in needs.
    package enum Need: Sendable, Hashable {
        /// All of these; none is needed if it is empty.
        case names([String])
        case impossible
        case unknown
    }

    package var delegated: Need
    package var application: Need

    private static let names = RecordTable(
        text: GraphData.permissionNames, offsets: GraphData.permissionNameOffsets)
    private static let rows = RecordTable(text: GraphData.permissionRows, offsets: GraphData.permissionRowOffsets)

    private init(_ row: Substring) {
        let cells = row.split(separator: ",", omittingEmptySubsequences: false).map { cell -> Need in
            let names = Digits.values(of: cell.utf8).map { String(Self.names[$0]) }
            return names.isEmpty ? .impossible : .names(names)
        }
        (delegated, application) = (cells[0], cells[1])
    }

    private static let letters: [String: UInt8] = [
        "GET": UInt8(ascii: "G"), "POST": UInt8(ascii: "P"), "PATCH": UInt8(ascii: "A"), "PUT": UInt8(ascii: "U"),
        "DELETE": UInt8(ascii: "D"),
    ]

    /// The row of a method at a way through the tree of published paths; nil without one.
    private static func row(_ method: String, _ steps: some Collection<String>) -> GraphPermissions? {
        guard let letter = letters[method], let found = cells(steps) else { return nil }
        var cells = found[...]
        while let first = cells.first {
            let digits = cells.dropFirst().prefix(2)
            if first == letter { return GraphPermissions(rows[Digits.value(of: digits)]) }
            cells = cells.dropFirst(3)
        }
        return nil
    }

    /// The methods' letters and rows at the end of a way.
    ///
    /// A node is the length of what is below it, its name, its rows and `;`; what is below follows.
    private static func cells(_ steps: some Collection<String>) -> [UInt8]? {
        let text = GraphData.permissionTree
        var (position, end) = (0, text.utf8CodeUnitCount)
        var found: [UInt8]?
        for step in steps {
            found = nil
            while position < end {
                let below = text.number(at: position, width: 3)
                let record = text.record(at: position + 3, upTo: ";")
                let start = position + 3 + record.utf8.count + 1
                let parts = record.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
                if parts[0].elementsEqual(step.utf8) {
                    (found, position, end) = (Array(parts[1]), start, start + below)
                    break
                }
                position = start + below
            }
            guard found != nil else { return nil }
        }
        return found
    }

    static func isPublished(_ method: String, _ address: GraphAddress) -> Bool {
        ways(address.steps).contains { row(method, $0) != nil }
    }

    /// The permissions of a request to an address of v1.0; nil if none are published.
    package init?(_ method: String, _ address: GraphAddress) {
        guard let found = Self.find(method.uppercased(), address) else { return nil }
        self = found
    }

    private static func find(_ method: String, _ address: GraphAddress) -> GraphPermissions? {
        let steps = address.steps
        for way in ways(steps) + (shorter(steps).map(ways) ?? []) {
            guard var found = row(method, way) else { continue }
            // What is published for the signed-in user alone says nothing about an application.
            if way.first == "me", steps.first != "me", found.application == .impossible { found.application = .unknown }
            return found
        }
        guard let last = address.segments.last, let owner = address.owner else { return nil }
        switch last.role {
        case .reference: return find(method, owner) ?? (method == "PUT" ? find("POST", owner) : nil)
        case .value, .count, .cast, .path: return find(method, owner)
        case .member(let member) where member.kind == .property && method == "GET": return find(method, owner)
        default: return nil
        }
    }

    /// The way without the folders and calendars in which mails, events and contacts can be.
    private static func shorter(_ steps: [String]) -> [String]? {
        let folders = ["mailfolders", "childfolders", "calendars", "calendargroups", "contactfolders"]
        guard let index = steps.firstIndex(where: folders.contains), index + 2 < steps.count else { return nil }
        let rest = Array(steps[..<index] + steps[(index + 2)...])
        return shorter(rest) ?? rest
    }

    /// The ways by which the same things are published: those of the signed-in user and of others, and of each drive.
    private static func ways(_ steps: [String]) -> [[String]] {
        var ways = [steps]
        if steps.first == "me" { ways.append(["users", "*"] + steps.dropFirst()) }
        if steps.first == "users", steps.count > 1, steps[1] == "*" { ways.append(["me"] + steps.dropFirst(2)) }
        let drive = steps.firstIndex(of: "drive") ?? (steps.first == "drives" ? 1 : nil)
        if let drive, drive < steps.count {
            let rest = Array(steps[(drive + 1)...])
            let owners = [
                ["drives", "*"], ["me", "drive"], ["users", "*", "drive"], ["groups", "*", "drive"],
                ["sites", "*", "drive"], ["drive"],
            ]
            ways += owners.map { $0 + rest }
        }
        return ways.flatMap { way -> [[String]] in
            guard let root = way.firstIndex(of: "root"), way[..<root].contains(where: { $0.hasPrefix("drive") }) else {
                return [way]
            }
            return [way, way[..<root] + ["items", "*"] + way[(root + 1)...]]
        }
    }
}
