import Dispatch
@testable import Promises
import Testing

/// Serialized, because there is one log handler.
@Suite(.serialized)
struct DiagnosticsTests {
    /// Collects what is reported for promises made in this file.
    func events(_ body: () async -> Void) async -> [String] {
        let trace = Trace()
        let former = conf.locatedLogHandler
        defer { conf.locatedLogHandler = former }
        conf.locatedLogHandler = { event, at in
            switch event {
            case .pendingPromiseDeallocated where at.fileID == #fileID: trace.add("pending \(at.line)")
            case .pendingGuaranteeDeallocated where at.fileID == #fileID: trace.add("guarantee \(at.line)")
            case .unhandledRejection(let error as Failure) where at.fileID == #fileID:
                trace.add("unhandled \(error.code) \(at.line)")
            case .cauterized(let error as Failure) where at.fileID == #fileID: trace.add("cauterized \(error.code)")
            case .cauterized where at.fileID == #fileID: trace.add("cauterized")
            case .waitOnMainThread where at.fileID == #fileID: trace.add("wait \(at.line)")
            default: break
            }
        }
        await body()
        await settle()
        return trace.entries
    }

    @Test func `a pending promise that is released is reported, not those behind it`() async {
        let entries = await events {
            _ = Promise<Int>.pending().promise.map { $0 }.map { $0 }
            _ = Guarantee<Int>.pending()
        }
        #expect(entries == ["pending \(#line - 3)", "guarantee \(#line - 2)"])
    }

    @Test func `a rejection that nobody asked for is reported where its promise was made`() async {
        let entries = await events {
            _ = Promise<Int>(error: Failure(code: 1))
            _ = Promise<Int>(error: Failure(code: 2))
                .map { $0 }
            Promise<Int>(error: Failure(code: 3)).catch { _ in }
            _ = try? await Promise<Int>(error: Failure(code: 4)).value
        }
        #expect(entries == ["unhandled 1 \(#line - 6)", "unhandled 2 \(#line - 4)"])
    }

    @Test func `a rejection that comes too late for a race or a when is reported`() async {
        let entries = await events {
            let (late, resolver) = Promise<Int>.pending()
            _ = try? await race(late, Promise.value(1)).value
            _ = try? await when(fulfilled: late, Promise<Int>(error: Failure(code: 1))).value
            resolver.reject(Failure(code: 2))
        }
        #expect(entries == ["unhandled 2 \(#line - 5)"])
    }

    @Test func `a rejection that only cancelled promises would have handled is not reported`() async {
        let entries = await events {
            let (promise, resolver) = Promise<Int>.pending()
            let failing = promise.recover { _ -> Promise<Int> in throw Failure(code: 1) }
            failing.map { $0 }.cancel()
            resolver.reject(Failure(code: 2))
        }
        #expect(entries.isEmpty)
    }

    @Test func `cauterize reports the error`() async {
        #expect(await events { Promise<Int>(error: Failure(code: 9)).cauterize() } == ["cauterized 9"])
    }

    @Test func `cauterize does not report a cancellation`() async {
        let entries = await events {
            Promise<Int>(error: PromiseError.cancelled).cauterize()
            Promise<Int>(error: CancellationError()).cauterize()
        }
        #expect(entries.isEmpty)
    }

    @Test func `a wait inside a handler is reported, and other handlers run meanwhile`() async {
        let entries = await events {
            let value = try? await Promise.value(1).map { value in
                try Promise.value(value).map { $0 + 1 }.wait()
            }.value
            #expect(value == 2)
        }
        #expect(entries == ["wait \(#line - 4)"])
    }

    @Test func `a wait on a thread of its own is not reported`() async {
        let entries = await events {
            await withCheckedContinuation { continuation in
                SystemThread.start {
                    #expect(throws: Never.self) { try after(.milliseconds(20)).asPromise().wait() }
                    continuation.resume()
                }
            }
        }
        #expect(entries == [])
    }

    @Test func `a place in a file is written as compilers write it`() {
        #expect(PromiseLocation(fileID: "Module/File.swift", line: 12).description == "Module/File.swift:12")
    }

    @Test(arguments: [0, 1, 2])
    func `a rejection is unhandled where only its cancellation is listened for`(_ listeners: Int) async {
        let entries = await events {
            let (promise, resolver) = Promise<Int>.pending()
            for _ in 0..<listeners { resolver.onCancel {} }
            resolver.reject(Failure(code: 7))
            for _ in 0..<listeners { resolver.onCancel {} }
            withExtendedLifetime(promise) {}
        }
        #expect(entries == ["unhandled 7 \(#line - 6)"])
    }

    @Test func `a rejection that passes a timeout is unhandled`() async {
        let entries = await events {
            let (promise, resolver) = Promise<Int>.pending()
            _ = promise.timeout(.seconds(60), clock: ManualClock())
            resolver.reject(Failure(code: 7))
        }
        #expect(entries == ["unhandled 7 \(#line - 3)"])
    }

    @Test func `by default, mistakes are reported on standard error`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            _ = Promise<Int>(error: Failure(code: 3), file: "Module/File.swift", line: 12)
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("Module/File.swift:12") && text.hasSuffix("\n"))
    }

    @Test func `a rejection is handled by one handler among listeners at other places`() async {
        let entries = await events {
            let (promise, resolver) = Promise<Int>.pending()
            resolver.onCancel {}
            promise.catch(on: .global()) { _ in }
            resolver.onCancel {}
            resolver.reject(Failure(code: 7))
        }
        #expect(entries == [])
    }
}
