import Dispatch
import Promises
import Testing

/// What PromiseKit's `DefaultDispatchQueueTests` check; in a process each, because the default is the process's.
struct DefaultPlaceTests {
    @Test func `handlers run on the queues that conf names`() async {
        await #expect(processExitsWith: .success) {
            let key = DispatchSpecificKey<String>()
            let (middle, end) = (DispatchQueue(label: "middle"), DispatchQueue(label: "end"))
            middle.setSpecific(key: key, value: "middle")
            end.setSpecific(key: key, value: "end")
            conf.Q = (map: middle, return: end)
            let trace = Trace()
            let here: @Sendable (String) -> Void = { trace.add("\($0) \(DispatchQueue.getSpecific(key: key) ?? "")") }
            let (ended, tell) = Guarantee<Void>.pending()
            Promise.value(1).then { value -> Promise<Int> in
                here("then")
                return .value(value)
            }.map { here("map \($0)") }.recover { _ in here("not called") }.get { here("get") }.ensure {
                here("ensure")
            }.done { throw Failure() }.recover { error -> Promise<Void> in
                here("recover")
                throw error
            }.catch { _ in here("catch") }.finally {
                here("finally")
                tell(())
            }
            await ended.value
            let expected = [
                "then middle", "map 1 middle", "get end", "ensure end", "recover middle", "catch end", "finally end",
            ]
            #expect(trace.entries == expected)
        }
    }

    @Test func `one line at the start gives PromiseKit's default, the main queue`() async {
        await #expect(processExitsWith: .success) {
            conf.Q = (.main, .main)
            let key = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: key, value: true)
            let isMain = Promise.value(1).map { _ in DispatchQueue.getSpecific(key: key) == true }
            #expect(try await isMain.value)
            let seen = Trace()
            try await isMain.done { _ in seen.add("\(DispatchQueue.getSpecific(key: key) == true)") }.value
            #expect(seen.entries == ["true"])
            _ = await MainActor.run {
                #expect {
                    try isMain.map { $0 }.wait()
                } throws: {
                    if case .deadlock? = $0 as? PromiseError { true } else { false }
                }
            }
        }
    }

    @Test func `with the main queue as the default, no wait on the main thread lasts forever`() async {
        await #expect(processExitsWith: .success) {
            conf.Q = (.main, .main)
            conf.logHandler = { _ in }
            await MainActor.run {
                let soon = Promise<Int> { seal in DispatchQueue.global().async { seal.fulfill(1) } }
                let some = (1...3).map { number in soon.map { $0 + number } }
                let isDeadlock: (any Error) -> Bool = {
                    if case .deadlock? = $0 as? PromiseError { true } else { false }
                }
                #expect { try when(fulfilled: some).wait() } throws: { isDeadlock($0) }
                #expect { try race(some).wait() } throws: { isDeadlock($0) }
                #expect { try when(fulfilled: some.makeIterator(), concurrently: 2).wait() } throws: { isDeadlock($0) }
                let never = Promise<Int>.pending()
                #expect { try when(fulfilled: never.promise, some[0]).wait() } throws: { isDeadlock($0) }
                #expect { try when(fulfilled: some[0], never.promise).wait() } throws: { isDeadlock($0) }
                never.resolver.fulfill(0)
                #expect((try? soon.map(on: nil) { $0 + 1 }.wait()) == 2)
                #expect((try? soon.map(on: .global()) { $0 + 1 }.wait()) == 2)
            }
            // In a handler, others run meanwhile at the main place, but not on the main queue.
            let nested = Promise.value(1).map { _ in
                #expect((try? Promise.value(1).map { $0 + 1 }.wait()) == 2)
                return try Promise.value(1).map(on: .main) { $0 }.wait()
            }
            do {
                _ = try await nested.value
                Issue.record("no error")
            } catch PromiseError.deadlock {} catch { Issue.record(error) }
        }
    }
}
