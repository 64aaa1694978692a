#if canImport(Glibc)
    import Dispatch
    import Glibc
    @testable import Promises
    import Testing

    /// What is over holds no memory: neither a promise, nor what only waited for one.
    struct ReleaseTests {
        struct Scenario: Sendable {
            let name: String
            let run: @Sendable () async -> Void
        }

        private static func isOver(_ promise: Promise<Int>) async { _ = try? await promise.value }

        @Sendable private static func pending(_ count: Int) -> [(promise: Promise<Int>, resolver: Resolver<Int>)] {
            (0..<count).map { _ in Promise<Int>.pending() }
        }

        static let scenarios = [
            Scenario(name: "handlers") {
                await isOver(
                    Promise.value(1).map { $0 }.then { Promise.value($0) }.get { _ in }.map(on: .global()) { $0 })
            },
            Scenario(name: "errors") {
                await isOver(
                    Promise<Int>(error: Failure()).map { $0 }.recover { Promise<Int>(error: $0) }.tap { _ in }
                        .recover(on: .global()) { _ in Promise.value(1) })
            },
            Scenario(name: "listeners") {
                let (promise, resolver) = Promise<Int>.pending()
                resolver.onCancel {}
                promise.pipe { _ in }
                promise.catch { _ in }
                resolver.fulfill(1)
                resolver.reject(Failure())
            },
            Scenario(name: "handlers at several places") {
                let (promise, resolver) = Promise<Int>.pending()
                let all = [promise.map { $0 }, promise.map(on: nil) { $0 }, promise.map(on: .global()) { $0 }]
                let next = all.map { $0.map { $0 }.map(on: nil) { $0 }.map(on: .global()) { $0 } }
                resolver.fulfill(1)
                _ = try? await when(fulfilled: next).value
            },
            Scenario(name: "a chain that is cancelled") {
                let (promise, resolver) = Promise<Int>.pending()
                let chain = promise.map { $0 }.then { Promise.value($0) }.ensure {}.recover { Promise<Int>(error: $0) }
                chain.cancel()
                resolver.fulfill(1)
                await isOver(chain)
            },
            Scenario(name: "handlers that are cancelled before their turn") {
                let (source, resolver) = Promise<Int>.pending()
                let slot = Trace.Slot<[Promise<Int>]>()
                let first = source.tap { _ in for promise in slot.value ?? [] { promise.cancel() } }
                let late = [
                    source.map { $0 }, source.then { Promise.value($0) }, source.tap { _ in }, source.ensure {},
                ]
                slot.value = late + late.map { $0.map { $0 } }
                resolver.fulfill(1)
                await isOver(first)
                for promise in late { await isOver(promise) }
                slot.value = nil
            },
            Scenario(name: "a ready handler that is cancelled") {
                let slot = Trace.Slot<Promise<Int>>()
                let first = Guarantee.value(()).then { () -> Guarantee<Void> in
                    slot.value = Promise.value(1).map { $0 }
                    slot.value?.cancel()
                    return .value(())
                }
                await first.value
                slot.value = nil
            },
            Scenario(name: "combinations") {
                let pairs = pending(3)
                let all = pairs.map(\.promise)
                let (every, first, outcomes) = (when(fulfilled: all), race(all), when(resolved: all))
                let some = when(fulfilled: all.makeIterator(), concurrently: 2)
                for pair in pairs { pair.resolver.fulfill(1) }
                _ = try? await every.value
                _ = await outcomes.value
                _ = try? await some.value
                await isOver(first)
            },
            Scenario(name: "combinations that two decide") {
                let (promise, resolver) = Promise<Int>.pending()
                let (first, all) = (race(promise, promise), when(fulfilled: [promise, promise]))
                resolver.reject(Failure())
                await isOver(first)
                _ = try? await all.value
            },
            Scenario(name: "combinations that are cancelled") {
                let pairs = pending(3)
                let all = pairs.map(\.promise)
                let (every, first) = (when(fulfilled: all), race(all))
                every.cancel()
                first.cancel()
                await isOver(first)
            },
            Scenario(name: "combinations of nothing") {
                _ = try? await when(fulfilled: [Promise<Int>]()).value
                _ = await when(resolved: [Promise<Int>]()).value
                _ = try? await race([Promise<Int>]()).value
                _ = race() as Guarantee<Int>
            },
            Scenario(name: "tasks that await, and are cancelled") {
                let (promise, resolver) = Promise<Int>.pending()
                let task = Task { try await promise.value }
                task.cancel()
                _ = try? await task.value
                resolver.fulfill(1)
            },
            Scenario(name: "a timeout") { await isOver(Promise.value(1).map { $0 }.timeout(.seconds(900))) },
            Scenario(name: "what is lost") {
                let (promise, _) = Promise<Int>.pending()
                let all = when(fulfilled: [promise.map { $0 }, promise])
                withExtendedLifetime(all) {}
            },
            Scenario(name: "an absence") {
                await isOver(
                    Promise.value(1).map { value in
                        let absence = Absence()
                        absence?.end()
                        return value
                    })
            },
        ]

        /// How much memory is allocated, by what the C library tells of itself.
        private static var allocatedBytes: Int {
            typealias Tell = @convention(c) (CInt, UnsafeMutablePointer<FILE>) -> CInt
            var (text, size): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
            guard let symbol = unsafe dlsym(nil, "malloc_info"), let file = unsafe open_memstream(&text, &size)
            else { return 0 }
            _ = unsafe unsafeBitCast(symbol, to: Tell.self)(0, file)
            unsafe fclose(file)
            guard let text = unsafe text else { return 0 }
            defer { unsafe free(text) }
            /// The sums are behind those of each heap.
            func last(_ name: String) -> Int {
                let line = unsafe String(cString: text).split(separator: "\n").last { $0.contains(name) } ?? ""
                let number = line.split(separator: "size=\"").last?.prefix { $0.isNumber } ?? ""
                return Int(number) ?? 0
            }
            return last("<system type=\"current\"") + last("<total type=\"mmap\"") - last("<total type=\"rest\"")
                - last("<total type=\"fast\"")
        }

        @Test(.timeLimit(.minutes(60)))
        func `a value that counts its references is there as long as a handler may need it`() async throws {
            for _ in 0..<100 {
                let released = Counter()
                let early = try await Promise.value(Token(released)).map { (token: Token) -> Int in
                    withExtendedLifetime(token) { released.count }
                }.value
                #expect(early == 0)
                while released.count == 0 { await settle() }
                #expect(released.count == 1)
            }
        }

        @Test(arguments: scenarios.indices)
        func `what is over holds no memory`(_ index: Int) async {
            // In a process of its own, which does nothing else.
            await #expect(processExitsWith: .success) { [index] in
                conf.logHandler = { _ in }
                let scenario = Self.scenarios[index]
                func use(_ rounds: Int) async -> Int {
                    for _ in 0..<rounds { await scenario.run() }
                    await settle()
                    return Self.allocatedBytes
                }
                // What is freed may count until its thread has as much again, on a busy machine for some tries; a leak
                // grows in each of them.
                var growth: [Int] = []
                var before = await use(1_000)
                for _ in 0..<20 where growth.last ?? .max >= 16 * 1_000 {
                    let after = await use(1_000)
                    growth.append(after - before)
                    before = after
                }
                let least = growth.min() ?? .max
                #expect(least < 16 * 1_000, "\(scenario.name): \(growth)")
            }
        }
    }
#endif
