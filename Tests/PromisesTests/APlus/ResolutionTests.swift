import Promises
import Testing

/// Promises/A+ 2.3: the promise resolution procedure.
struct ResolutionTests {
    @Test func `2.3.1 a promise that would wait for itself is rejected`() async {
        let (start, resolver) = Promise<Void>.pending()
        let slot = Trace.Slot<Promise<Int>>()
        let promise = start.then { () -> Promise<Int> in
            guard let own = slot.value else { throw Failure() }
            return own
        }
        slot.value = promise
        resolver.fulfill(())
        await #expect(throws: PromiseError.self) { try await promise.value }
        guard case .returnedSelf? = promise.error as? PromiseError else {
            Issue.record("\(String(describing: promise.error))")
            return
        }
    }

    @Test func `2.3.2.1 while the returned promise is pending, so is the one that adopts it`() async {
        let (inner, resolver) = Promise<Int>.pending()
        let outer = Promise.value(1).then { _ in inner }
        await settle()
        #expect(outer.isPending)
        resolver.fulfill(1)
        #expect((try? await outer.value) == 1)
    }

    @Test func `2.3.2.2 it is fulfilled with the same value`() async throws {
        let (inner, resolver) = Promise<String>.pending()
        let outer = Promise.value(1).then { _ in inner }
        resolver.fulfill("a long text that does not fit in sixteen bytes")
        #expect(try await outer.value == "a long text that does not fit in sixteen bytes")
    }

    @Test func `2.3.2.3 it is rejected with the same reason`() async {
        let (inner, resolver) = Promise<Int>.pending()
        let outer = Promise.value(1).then { _ in inner }
        resolver.reject(Failure(code: 5))
        await #expect(throws: Failure(code: 5)) { try await outer.value }
    }

    @Test func `2.3.3 a thenable of another kind is adopted, and its first call counts`() async throws {
        struct Other: Thenable {
            let result: Result<Int, any Error>? = nil
            func pipe(to body: @escaping @Sendable (Result<Int, any Error>) -> Void) {
                body(.success(1))
                body(.success(2))
                body(.failure(Failure()))
            }
        }
        #expect(try await Promise.value(0).then { _ in Other() }.value == 1)
        #expect(try await Promise(Other()).value == 1)
    }

    @Test func `2.3.4 a plain value fulfils`() async throws {
        #expect(try await Promise.value(1).then { $0 + 1 }.value == 2)
    }

    @Test func `a handler that returns promises a hundred thousand deep does not nest`() async throws {
        @Sendable func count(_ rest: Int) -> Promise<Int> {
            rest == 0 ? .value(0) : Promise.value(rest).then { count($0 - 1) }
        }
        #expect(try await count(100_000).value == 0)
    }
}
