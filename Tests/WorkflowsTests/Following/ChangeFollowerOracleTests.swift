import Foundation
import TestSupport
import Testing

@testable import MicrosoftGraph
@testable import WorkflowModel
@testable import Workflows

/// A follower against a service that is random and unkind, and an observer that compares states.
@Suite struct ChangeFollowerOracleTests {
    /// A service with a log of changes; a cursor is a position in it.
    private struct Service {
        var items: [String: Int] = [:]
        var log: [String] = []
        var random: SeededGenerator
        var isUnkind = true
        /// Cursors before it have expired.
        var oldest = 0

        mutating func change() {
            let id = "i\(Int.random(in: 0..<8, using: &random))"
            if items[id] != nil, Int.random(in: 0..<3, using: &random) == 0 {
                items[id] = nil
            } else {
                items[id] = log.count + 1
            }
            log.append(id)
        }

        mutating func answer(_ address: String?) -> Result<Value, GraphError> {
            func failure(_ status: Int) -> Result<Value, GraphError> {
                .failure(GraphError(GraphError.Code(status: status), status: status, message: ""))
            }
            let parts = (address ?? "0 0").split(separator: " ").compactMap { Int($0) }
            let (position, isRound) = (parts[0], parts[1] > 0)
            if isUnkind, Int.random(in: 0..<5, using: &random) == 0 { change() }
            if isUnkind, Int.random(in: 0..<12, using: &random) == 0 { return failure(503) }
            // A reading of all, whose links expired again and again, would never end.
            if isUnkind, isRound, Int.random(in: 0..<25, using: &random) == 0 { oldest = log.count }
            if isRound, position < oldest { return failure(Bool.random(using: &random) ? 410 : 400) }
            // The last change of each item, in order; a first round has no removed items.
            let size = Int.random(in: 0...3, using: &random)
            var (page, place) = ([Value](), position)
            while place < log.count, page.count < size {
                defer { place += 1 }
                let id = log[place]
                guard log[(place + 1)...].firstIndex(of: id) == nil else {
                    // Graph may list former versions as well.
                    if isUnkind, Int.random(in: 0..<4, using: &random) == 0 { page.append(.mail(id, place + 1)) }
                    continue
                }
                if let version = items[id] { page.append(.mail(id, version)) } else { page.append(.removed(id)) }
            }
            if isUnkind, Int.random(in: 0..<6, using: &random) == 0 { page += page }
            if isUnkind, Int.random(in: 0..<8, using: &random) == 0, let address {
                return .success(["value": .array(page), "@odata.nextLink": .string(address)])
            }
            let isOver = place >= log.count || isUnkind && !page.isEmpty && Int.random(in: 0..<6, using: &random) == 0
            let link = Value.string("\(place) \(isOver ? 1 : isRound ? 1 : 0)\(isOver ? "" : " n\(log.count)")")
            return .success(["value": .array(page), (isOver ? "@odata.deltaLink" : "@odata.nextLink"): link])
        }
    }

    @Test(arguments: 0..<150 as Range<UInt64>)
    func `what is reported adds up to what is there, without repetition`(seed: UInt64) throws {
        var service = Service(random: SeededGenerator(seed: seed))
        for _ in 0..<Int.random(in: 0..<10, using: &service.random) { service.change() }
        let pages = try FollowedPages(.testing())
        let first = try pages.round { service.answer($0) }
        #expect(first.changes == [] && first.stop == nil)
        // What the source may know; the first round may have seen a part of the changes meanwhile.
        var known: [String: Bool] = [:]
        for round in 0..<25 {
            for _ in 0..<Int.random(in: 0..<5, using: &service.random) { service.change() }
            if Int.random(in: 0..<4, using: &service.random) == 0 { try pages.restart() }
            service.isUnkind = round < 20
            let outcome = try pages.round { service.answer($0) }
            #expect(outcome.stop == nil)
            let ids = outcome.changes.map { $0.split(separator: " ")[1] }
            #expect(Set(ids).count == ids.count, "an item twice in a round")
            for change in outcome.changes {
                let parts = change.split(separator: " ").map(String.init)
                let isThere = parts[0] != "deleted"
                if let former = known[parts[1]] {
                    #expect(
                        (parts[0] == "created") == !former, "\(change), which was \(former ? "there" : "not there")")
                }
                known[parts[1]] = isThere
            }
            guard round >= 20 else { continue }
            // Without faults, what is known is what is there.
            for (id, isThere) in known { #expect((service.items[id] != nil) == isThere, "\(id)") }
            for (id, version) in service.items {
                let mark = ItemVersion("W/\"\(id) \(version)\"")
                #expect(pages.log.version(of: id) == mark)
            }
            #expect(pages.log.count == service.items.count)
            let quiet = try pages.round { service.answer($0) }
            #expect(quiet.changes == [])
        }
    }
}
