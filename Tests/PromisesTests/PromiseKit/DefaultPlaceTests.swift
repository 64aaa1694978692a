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
}
