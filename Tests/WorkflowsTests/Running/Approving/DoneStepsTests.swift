import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// What can be next in an approved plan, beside the definition of it, which looks at all that was done.
@Suite struct DoneStepsTests {
    @Test(arguments: 0..<Extent.of(400, or: 20) as Range<UInt64>)
    func `what can be next is what the order of the plan says`(seed: UInt64) async throws {
        var generator = WorkflowGenerator(seed: seed)
        let workflow = try Workflow(text: generator.workflow(), folder: SampleWorkflow.folder)
        guard let plan = try? await Runner.testing().plan(workflow, input: generator.input()).value else { return }
        let places = PlannedPlaces(plan.tasks)
        let doing = places.all.indices.filter { !places.all[$0].task.steps.isEmpty }
        guard !doing.isEmpty else { return }
        var (done, random) = (DoneSteps(places), SeededGenerator(seed: seed))
        var allowed = 0
        for turn in 0..<80 {
            let place = doing.randomElement(using: &random) ?? 0
            let step = places.all[place].task.steps.indices.randomElement(using: &random) ?? 0
            let occurrence = places.all[place].occurrence.map { part -> Substring in
                guard part.hasSuffix("*") || part.hasPrefix("jump:") else { return part }
                return "\(part.prefix { $0 != ":" }):\(Int.random(in: 0...2, using: &random))"
            }
            let position = PlannedPlaces.Position(
                path: places.all[place].path + [.position(0), .position(step)], occurrence: occurrence)
            let expected = Self.isInOrder(position, place, done.all, places)
            #expect(done.isInOrder(position) == expected, "\(places.all[place].task.reference) \(occurrence)")
            if expected { allowed += 1 }
            // Mostly what a run does, and sometimes what it must not.
            guard expected || turn > 40 && Int.random(in: 0..<10, using: &random) == 0 else { continue }
            done.append(
                Approval.Done(place: place, step: step, position: position, attempts: 1, hasSucceeded: true))
        }
        #expect(allowed > 0)
    }

    private static func isInOrder(
        _ position: PlannedPlaces.Position, _ place: Int, _ done: [Approval.Done], _ places: PlannedPlaces
    ) -> Bool {
        guard !done.contains(where: { isBefore(position, $0.position) == true }) else { return false }
        return places.all.enumerated().allSatisfy { earlier, planned in
            let before = PlannedPlaces.Position(
                path: planned.path + [.position(0), .position(0)], occurrence: position.occurrence)
            guard earlier != place, planned.forks.allSatisfy({ position.path.starts(with: planned.path.prefix($0)) }),
                isBefore(before, position) == true
            else { return true }
            let common = places.commonRounds(earlier, place)
            return planned.task.steps.indices.filter { planned.task.steps[$0].isCertain }.allSatisfy { step in
                done.contains { other in
                    other.place == earlier && other.step == step
                        && PlannedPlaces.isSame(other.position.occurrence, position.occurrence, upTo: common)
                }
            }
        }
    }

    /// Whether one position is before another one; nil if both can be at the same time.
    private static func isBefore(_ one: PlannedPlaces.Position, _ other: PlannedPlaces.Position) -> Bool? {
        for (step, another) in zip(one.path, other.path) {
            switch (step, another) {
            case (.position(let left), .position(let right)) where left != right: return left < right
            case (.way(let left), .way(let right)) where left != right: return left < right
            case (.round(let index), .round):
                let numbers = [one, other].map { PlannedPlaces.number(index, of: $0) }
                if numbers[0] != numbers[1] { return numbers[0] < numbers[1] }
            case (.item(let index), .item):
                if PlannedPlaces.number(index, of: one) != PlannedPlaces.number(index, of: other) { return nil }
            default: if step != another { return nil }
            }
        }
        return one.path.count < other.path.count
    }
}

extension PlannedPlaces {
    /// Whether two occurrences are the same in their first parts, but for jumps, which data outlasts.
    fileprivate static func isSame(_ one: [Substring], _ other: [Substring], upTo count: Int) -> Bool {
        one.count >= count && other.count >= count
            && zip(one, other).prefix(count).allSatisfy { left, right in
                left == right || left.hasPrefix("jump:") && right.hasPrefix("jump:")
            }
    }

    /// How many parts of their occurrences two places have in common.
    fileprivate func commonRounds(_ one: Int, _ other: Int) -> Int {
        let common = zip(all[one].path, all[other].path).prefix { $0 == $1 }.map(\.0)
        return common.compactMap { step in
            switch step {
            case .round(let index), .item(let index): index + 1
            case .position, .side, .way: nil
            }
        }.max() ?? 0
    }
}
