import Promises
import Testing

/// What PromiseKit's `ResolverTests` check: callbacks of every shape become promises.
struct ResolverTests {
    private func call(_ block: @escaping @Sendable (Int?, (any Error)?) -> Void, _ value: Int?, _ error: Failure?) {
        after(.milliseconds(1)).done { block(value, error) }
    }

    private func outcome<T>(_ promise: Promise<T>) async -> String {
        switch await when(resolved: promise).value[0] {
        case .success(let value): "\(value)"
        case .failure(let error): "\(error)"
        }
    }

    @Test(
        arguments: [(1, nil, "1"), (nil, Failure(), "Failure(code: 1)"), (1, Failure(), "Failure(code: 1)")]
            as [(Int?, Failure?, String)])
    func `a callback gives a value or an error, in either order`(
        _ value: Int?, _ error: Failure?, expected: String
    ) async {
        #expect(await outcome(Promise<Int> { call($0.resolve, value, error) }) == expected)
        #expect(
            await outcome(Promise<Int> { seal in call({ seal.resolve($1, $0) }, value, error) }) == expected)
        #expect(
            await outcome(Promise<Int> { seal in call({ seal.resolve($0 ?? -1, $1) }, value, error) }) == expected)
    }

    @Test(arguments: [true, false])
    func `a callback that gives neither a value nor an error rejects`(errorFirst: Bool) async {
        let promise = Promise<Int> { seal in
            errorFirst ? seal.resolve(nil as (any Error)?, nil as Int?) : call(seal.resolve, nil, nil)
        }
        #expect(await outcome(promise) == PromiseError.invalidCallingConvention.description)
    }

    @Test(arguments: [(nil, "()"), (Failure(), "Failure(code: 1)")] as [(Failure?, String)])
    func `a callback gives an error or nothing`(_ error: Failure?, expected: String) async {
        #expect(await outcome(Promise<Void> { $0.resolve(error) }) == expected)
    }

    @Test(
        arguments: [(.success(1), "1"), (.failure(Failure()), "Failure(code: 1)")] as [(Result<Int, Failure>, String)])
    func `a callback gives a result, with or without a type of error`(
        _ result: Result<Int, Failure>, expected: String
    ) async {
        #expect(await outcome(Promise<Int> { $0.resolve(result) }) == expected)
        #expect(await outcome(Promise<Int> { $0.resolve(result.mapError { $0 as any Error }) }) == expected)
    }

    @Test func `a resolver's methods are the closures that callbacks take`() async throws {
        func succeed(_ success: @escaping () -> Void, _ failure: @escaping (any Error) -> Void) { success() }
        try await Promise<Void> { succeed($0.fulfill_, $0.reject) }.value
        try await Promise<Void> { (seal: Resolver<Void>) in succeed(seal.fulfill, seal.reject) }.value
    }

    @Test func `a resolver settles its promise like another one`() async throws {
        #expect(try await Promise<Int> { $0.resolve(Guarantee.value(1)) }.value == 1)
        await #expect(throws: Failure()) { try await Promise<Int> { $0.resolve(Promise(error: Failure())) }.value }
    }
}
