import Dispatch
import Promises
import Testing

/// What PromiseKit's `ThenableTests` and `GuaranteeTests` check.
struct ThenableTests {
    private struct Person: Equatable {
        var name = ""
        var age: Int?
        var isStudent = false
    }

    private static let people = [
        Person(name: "Ada"), Person(name: "Alan", age: 41), Person(name: "Grace", age: 23, isStudent: true),
    ]

    @Test func `get sees the value, and passes it on`() async throws {
        let trace = Trace()
        #expect(try await Promise.value(1).get { trace.add("\($0)") }.value == 1)
        #expect(await Guarantee.value(2).get { trace.add("\($0)") }.value == 2)
        #expect(trace.entries == ["1", "2"])
    }

    @Test func `a value is mapped by a closure or a key path`() async throws {
        #expect(try await Promise.value(1).map { $0 * 2 }.value == 2)
        #expect(try await Promise.value(Self.people[0]).map(\.name).value == "Ada")
        let guarantee: Guarantee<String> = Guarantee.value(Self.people[0]).map(\.name)
        #expect(await guarantee.value == "Ada")
        #expect(await Guarantee.value(1).map { $0 * 2 }.value == 2)
    }

    @Test func `compactMap rejects nil, and passes errors on`() async throws {
        #expect(try await Promise.value("1").compactMap { Int($0) }.value == 1)
        #expect(try await Promise.value(Self.people[1]).compactMap(\.age).value == 41)
        guard
            case .failure(PromiseError.compactMap(let value, _)) =
                await when(resolved: Promise.value("a").compactMap { Int($0) }).value[0]
        else {
            Issue.record("no error")
            return
        }
        #expect(value as? String == "a")
        await #expect(throws: Failure()) {
            try await Promise.value("1").compactMap { _ -> Int? in throw Failure() }.value
        }
        await #expect(throws: Failure()) { try await Promise<String>(error: Failure()).compactMap { Int($0) }.value }
    }

    @Test func `the values of a sequence are mapped by key paths`() async throws {
        let people = Promise.value(Self.people)
        #expect(try await people.mapValues(\.name).value == ["Ada", "Alan", "Grace"])
        #expect(try await people.compactMapValues(\.age).value == [41, 23])
        #expect(try await people.filterValues(\.isStudent).value == [Self.people[2]])
    }

    @Test func `a guarantee's values are mapped, filtered and sorted without an error to handle`() async {
        let numbers: Guarantee<[Int]> = Guarantee.value([3, 1, 2])
        let mapped: Guarantee<[Int]> = numbers.mapValues { $0 * 2 }
        #expect(await mapped.value == [6, 2, 4])
        let flat: Guarantee<[Int]> = numbers.flatMapValues { [$0, $0] }
        #expect(await flat.value == [3, 3, 1, 1, 2, 2])
        let compact: Guarantee<[Int]> = Guarantee.value(["1", "a"]).compactMapValues { Int($0) }
        #expect(await compact.value == [1])
        let then: Guarantee<[Int]> = numbers.thenMap { .value($0 * 2) }
        #expect(await then.value == [6, 2, 4])
        let thenFlat: Guarantee<[Int]> = numbers.thenFlatMap { .value([$0, $0]) }
        #expect(await thenFlat.value == [3, 3, 1, 1, 2, 2])
        let filtered: Guarantee<[Int]> = numbers.filterValues { $0 > 1 }
        #expect(await filtered.value == [3, 2])
        let sorted: Guarantee<[Int]> = numbers.sortedValues()
        #expect(await sorted.value == [1, 2, 3])
    }

    @Test func `a guarantee's values are mapped and filtered by key paths`() async {
        let people = Guarantee.value(Self.people)
        let names: Guarantee<[String]> = people.mapValues(\.name)
        #expect(await names.value == ["Ada", "Alan", "Grace"])
        let ages: Guarantee<[Int]> = people.compactMapValues(\.age)
        #expect(await ages.value == [41, 23])
        let students: Guarantee<[Person]> = people.filterValues(\.isStudent)
        #expect(await students.value == [Self.people[2]])
    }

    @Test func `an empty sequence has neither a first nor a last value`() {
        let empty = Promise.value([Int]())
        #expect(empty.firstValue.isRejected && empty.lastValue.isRejected)
    }

    @Test func `then is not called after an error`() async {
        await #expect(throws: Failure()) {
            try await Promise<Int>(error: Failure()).then { value -> Promise<Int> in
                Issue.record("called")
                return .value(value)
            }.value
        }
    }

    @Test(arguments: [true, false])
    func `a handler is sent to its queue with its flags`(inheritsQoS: Bool) async throws {
        let queue = DispatchQueue(label: "handlers", attributes: .concurrent)
        let flags: DispatchWorkItemFlags = inheritsQoS ? [.barrier, .inheritQoS] : .barrier
        try await Promise.value(1).done(on: queue, flags: flags) { _ in
            // Under the thread sanitizer, Dispatch does not know a barrier that has other flags as well.
            dispatchPrecondition(condition: inheritsQoS ? .onQueue(queue) : .onQueueAsBarrier(queue))
        }.value
    }

    @Test func `a guarantee is resolved by a closure with and without an argument`() async {
        #expect(await Guarantee { $0(1) }.value == 1)
        await Guarantee<Void> { resolve in resolve(()) }.value
        await Guarantee<Void> { resolve in resolve() }.value
    }
}
