import Dispatch
import Promises
import Testing

/// What PromiseKit's `DispatchWrapperTests` and `DispatcherTests` check of queues.
struct QueueTests {
    private let queue = DispatchQueue(label: "handlers", attributes: .concurrent)

    @Test func `every operator for values runs on the queue that it is given, with its flags`() async throws {
        let here: @Sendable () -> Void = { [queue] in dispatchPrecondition(condition: .onQueueAsBarrier(queue)) }
        let calls = Counter()
        let called: @Sendable () -> Void = {
            here()
            calls.next()
        }
        let end = Promise.value([42, 52]).then(on: queue, flags: .barrier) { values in
            called()
            return Promise.value(values)
        }.map(on: queue, flags: .barrier) { values in
            called()
            return values
        }.compactMap(on: queue, flags: .barrier) { values -> [Int]? in
            called()
            return values
        }.get(on: queue, flags: .barrier) { _ in called() }.tap(on: queue, flags: .barrier) { _ in called() }
            .mapValues(on: queue, flags: .barrier) { value in
                called()
                return value + 10
            }.flatMapValues(on: queue, flags: .barrier) { value in
                called()
                return [value + 10]
            }.compactMapValues(on: queue, flags: .barrier) { value -> Int? in
                called()
                return value + 10
            }.thenMap(on: queue, flags: .barrier) { value in
                called()
                return Promise.value(value + 10)
            }.thenFlatMap(on: queue, flags: .barrier) { value in
                called()
                return Promise.value([value + 10])
            }.filterValues(on: queue, flags: .barrier) { _ in
                called()
                return true
            }.sortedValues(on: queue, flags: .barrier).firstValue(on: queue, flags: .barrier) { _ in
                called()
                return true
            }.done(on: queue, flags: .barrier) { value in
                called()
                #expect(value == 92)
            }
        try await end.value
        #expect(calls.count == 5 + 6 * 2 + 2)
    }

    @Test func `every operator for errors runs on the queue that it is given, with its flags`() async throws {
        let calls = Counter()
        let called: @Sendable () -> Void = { [queue] in
            dispatchPrecondition(condition: .onQueueAsBarrier(queue))
            calls.next()
        }
        let (ended, end) = Guarantee<Void>.pending()
        let failed = Promise<Int>(error: Failure()).ensure(on: queue, flags: .barrier, called)
            .ensureThen(on: queue, flags: .barrier) {
                called()
                return Guarantee()
            }.recover(on: queue, flags: .barrier) { error -> Promise<Int> in
                called()
                throw error
            }
        failed.catch(only: Failure.self, on: queue, flags: .barrier) { _ in called() }.cauterize()
        failed.asVoid().recover(on: queue, flags: .barrier) { _ in called() }.done(on: queue, flags: .barrier, called)
        failed.catch(on: queue, flags: .barrier) { _ in called() }.finally(on: queue, flags: .barrier) {
            called()
            end(())
        }
        await ended.value
        let number = await failed.recover(on: queue, flags: .barrier) { _ -> Guarantee<Int> in
            called()
            return .value(1)
        }.map(on: queue, flags: .barrier) { value in
            called()
            return value + 1
        }.get(on: queue, flags: .barrier) { _ in called() }.then(on: queue, flags: .barrier) { value in
            called()
            return Guarantee.value(value + 1)
        }.value
        #expect(number == 3)
        let all = failed.catch(only: Failure(), on: queue, flags: .barrier) { _ in called() }
        try await all.value
        #expect(calls.count == 13)
    }
}
