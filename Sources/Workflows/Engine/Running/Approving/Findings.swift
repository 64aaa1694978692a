/// What a run of an approved plan has found out for the plan's unknowns.
struct Findings: Sendable {
    /// The rounds in which something was found out at a place, or those of them around both that place and another one.
    private struct Rounds: Hashable {
        let place: Int
        let occurrence: [Substring]
    }

    /// What was found out for one unknown.
    private struct Found {
        var all: [Approval.Finding] = []
        var places: Set<Int> = []
        /// The last finding, by its own rounds and by each part of them that it can have in common with another place.
        var last: [Rounds: Int] = [:]

        mutating func add(_ finding: Approval.Finding) {
            places.insert(finding.place)
            for count in 0...finding.occurrence.count {
                last[Rounds(place: finding.place, occurrence: common(finding.occurrence, count))] = all.count
            }
            all.append(finding)
        }

        /// The first parts of an occurrence, in all jumps, which data outlasts.
        func common(_ occurrence: [Substring], _ count: Int) -> [Substring] {
            occurrence.prefix(count).map { $0.hasPrefix("jump:") ? "jump:" : $0 }
        }
    }

    private var found: [Unknown: Found] = [:]

    mutating func add(_ finding: Approval.Finding, for unknown: Unknown) {
        found[unknown, default: Found()].add(finding)
    }

    mutating func add(_ other: Findings) {
        for (unknown, new) in other.found { for finding in new.all { add(finding, for: unknown) } }
    }

    /// The last finding in the same rounds of the loops around both places.
    func last(
        _ unknown: Unknown, at place: Int, _ occurrence: [Substring], _ places: PlannedPlaces
    ) -> Approval.Finding? {
        guard let found = found[unknown] else { return nil }
        let newest = found.places.compactMap { other -> Int? in
            let count = places.commonRounds(other, place)
            guard occurrence.count >= count else { return nil }
            return found.last[Rounds(place: other, occurrence: found.common(occurrence, count))]
        }.max()
        return newest.map { found.all[$0] }
    }
}
