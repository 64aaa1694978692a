import Dispatch
import Promises
import Testing

/// Random graphs of promises, compared with a model that computes each result.
struct RandomGraphTests {
    struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    enum Place: CaseIterable { case standard, inline, queue }

    struct Node {
        let promise: Promise<Int>
        let expected: Result<Int, Failure>
    }

    static let queue = DispatchQueue(label: "random", attributes: .concurrent)

    static func grow(_ nodes: [Node], _ calls: Counter, using random: inout Generator) -> Node {
        let parent = nodes[Int.random(in: 0..<nodes.count, using: &random)]
        let other = nodes[Int.random(in: 0..<nodes.count, using: &random)]
        let number = Int.random(in: 0..<100, using: &random)
        let place = Place.allCases.randomElement(using: &random)
        let queue: DispatchQueue? = place == .queue ? Self.queue : place == .inline ? nil : conf.Q.map
        switch Int.random(in: 0..<9, using: &random) {
        case 0:
            return Node(
                promise: parent.promise.map(on: queue) { $0 &+ number }, expected: parent.expected.map { $0 &+ number })
        case 1:
            return Node(
                promise: parent.promise.map { _ in throw Failure(code: number) },
                expected: parent.expected.flatMap { _ in .failure(Failure(code: number)) })
        case 2:
            return Node(
                promise: parent.promise.then(on: queue) { _ in other.promise },
                expected: parent.expected.flatMap { _ in other.expected })
        case 3:
            return Node(
                promise: parent.promise.recover(on: queue) { _ in other.promise },
                expected: parent.expected.flatMapError { _ in other.expected })
        case 4:
            return Node(
                promise: parent.promise.recover(on: queue) { _ -> Promise<Int> in throw Failure(code: number) },
                expected: parent.expected.mapError { _ in Failure(code: number) })
        case 5:
            return Node(
                promise: parent.promise.ensure(on: queue) { calls.next() }, expected: parent.expected)
        case 6:
            let all = when(fulfilled: [parent.promise, other.promise]).map { $0[0] &+ $0[1] }.recover { _ in
                Promise.value(number)
            }
            let sum = parent.expected.flatMap { a in other.expected.map { a &+ $0 } }
            return Node(promise: all, expected: sum.flatMapError { _ in .success(number) })
        case 7:
            let count = when(resolved: [parent.promise, other.promise, parent.promise]).asPromise().map { outcomes in
                outcomes.filter { if case .success = $0 { true } else { false } }.count
            }
            let expected = [parent, other, parent].filter { if case .success = $0.expected { true } else { false } }
            return Node(promise: count, expected: .success(expected.count))
        default:
            return Node(
                promise: Promise { try await parent.promise.value }, expected: parent.expected)
        }
    }

    @Test(arguments: UInt64(1)...60)
    func `every promise of a random graph becomes what the model says`(_ seed: UInt64) async {
        var random = Generator(state: seed)
        let calls = Counter()
        let sources = (0..<4).map { index in
            (
                Promise<Int>.pending(),
                index % 2 == 0 ? Result<Int, Failure>.success(index) : .failure(Failure(code: index))
            )
        }
        var nodes = sources.map { Node(promise: $0.0.promise, expected: $0.1) }
        func grow(_ count: Int) { for _ in 0..<count { nodes.append(Self.grow(nodes, calls, using: &random)) } }
        grow(60)
        for ((_, resolver), outcome) in sources.shuffled(using: &random) {
            DispatchQueue.global().async { resolver.resolve(outcome.mapError { $0 as any Error }) }
            grow(20)
        }
        for (index, node) in nodes.enumerated() {
            let outcome = await Result.awaiting(node.promise)
            #expect(outcome == node.expected, "node \(index) of seed \(seed)")
        }
    }
}

extension Result where Success == Int, Failure == PromisesTests.Failure {
    static func awaiting(_ promise: Promise<Int>) async -> Self {
        do { return .success(try await promise.value) } catch {
            return .failure(error as? PromisesTests.Failure ?? .init(code: -1))
        }
    }
}
