// The forms of PromiseKit's cancellation, as its own tests use them.
import Dispatch
import Foundation
import PromiseKit

enum LocalError: CancellableError {
    case cancel, notCancel
    var isCancelled: Bool { self == .cancel }
}

class Fetcher: Cancellable {
    var finalizer: CancellableFinalizer?
    func cancel() { finalizer?.cancel() }
    var isCancelled: Bool { finalizer?.isCancelled ?? false }

    func fetch(_ block: @escaping (Int?, Error?) -> Void) {
        finalizer = after(.milliseconds(20)).cancellize().done { _ in
            block(1, nil)
        }.catch(policy: .allErrors) {
            block(nil, $0)
        }
    }
}

extension CancellablePromise {
    func silenceWarning() {}
}

struct Chain {
    let first: CancellablePromise<Int>
    let second: CancellablePromise<String>
    let context: CancelContext
}

func makingCancellable() {
    let fetcher = Fetcher()
    _ = CancellablePromise()
    _ = CancellablePromise<Int>(error: Failure.first)
    _ = CancellablePromise { seal in seal.fulfill(1) }
    _ = CancellablePromise(Promise.value(1))
    _ = CancellablePromise(cancellable: fetcher) { seal in fetcher.fetch(seal.resolve) }
    let (promise, resolver) = CancellablePromise<Int>.pending()
    print(promise.promise.isPending, promise.isCancelled, promise.cancelAttempted, promise.cancelledError as Any)
    _ = CancellablePromise(cancellable: fetcher, promise: promise, resolver: resolver)
    _ = Chain(first: promise, second: promise.map { "\($0)" }, context: promise.cancelContext)

    let task = DispatchWorkItem { resolver.fulfill(1) }
    // Real time: it is compiled, and its end is not awaited.
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.5, execute: task)
    _ = CancellablePromise(cancellable: task)
    let other = Promise<Int>(cancellable: task) { _ in }
    other.setCancellable(task, reject: resolver.reject)
    let guarantee = Guarantee<Void>(cancellable: task) { seal in seal(()) }
    guarantee.setCancellable(task)
    _ = Guarantee<Void> { seal in seal() }
    firstly { CancellablePromise(guarantee) }.done {}.catch(policy: .allErrors) { print($0) }.cancel()
}

func chainingCancellable() throws {
    let promise = Promise.value(1).cancellize()
    let context: CancelContext = promise.then { _ -> CancellablePromise<String> in
        cancellize(Promise.value("a"))
    }.then { text in
        Promise.value(text.count)
    }.map { $0 + 1 }.compactMap { $0 }.get { _ in }.tap { print($0) }.done { _ in
        promise.cancel()
    }.ensure {
    }.ensureThen {
        after(seconds: 0.01).cancellize()
    }.recover(policy: .allErrors) { error -> CancellablePromise<Void> in
        throw error
    }.recover(policy: .allErrors) { _ in
    }.catch(policy: .allErrors) { error in
        print(error.isCancelled)
    }.finally(on: .main, flags: .barrier) {
    }
    context.cancel()
    print(context.isCancelled, context.cancelAttempted, context.cancelledError as Any)

    let list = cancellable(Promise.value([1, 2, 3]))
    list.mapValues { $0 }.flatMapValues { [$0] }.compactMapValues { $0 }
        .thenMap(on: .global(qos: .background), flags: .barrier) { cancellable(Promise.value($0)) }
        .thenFlatMap { Promise.value([$0]) }.filterValues { _ in true }.sortedValues().firstValue { _ in true }
        .done { print($0) }.silenceWarning()
    _ = list.firstValue.isRejected || list.lastValue.isRejected
    let finalizer = list.asVoid().catch(only: LocalError.cancel) { _ in }.catch(only: Failure.self) { _ in }.cauterize()
    finalizer.cancel()
    print(finalizer.isCancelled, finalizer.cancelAttempted, finalizer.cancelledError as Any)
    list.recover(only: Failure.first) { _ in Promise.value([]) }.cauterize()
    list.asVoid().recover(only: Failure.self) { _ in }.cauterize()
    print(try hang(promise), try promise.wait(), promise.result as Any)
}

@available(*, deprecated)
func cancellingWithErrors(_ promise: CancellablePromise<Int>, _ finalizer: CancellableFinalizer) {
    promise.cancel(with: LocalError.notCancel)
    finalizer.cancel(with: LocalError.cancel)
    finalizer.cancelContext.cancel(with: LocalError.cancel)
}

func combiningCancellable() {
    let a = cancellize(after(.milliseconds(10)))
    let b = after(seconds: 1).cancellize().map { 2 }
    race(a.then { cancellize(Promise.value(1)) }, b).done { print($0) }.catch(policy: .allErrors) { _ in }.cancel()
    race([b, b]).cauterize()
    race(a, timeout(seconds: 0.01).cancellize()).catch {
        guard case PMKError.timedOut = $0 else { return }
    }
    when(fulfilled: [b, b]).done { print($0) }.catch(policy: .allErrors) { _ in }.cancel()
    when(fulfilled: a, b).done { _, number in print(number) }.catch(policy: .allErrors) { _ in }.cancel()
    when(fulfilled: a, a, a, a).done { print("all") }.catch(policy: .allErrors) { _ in }.cancel()
    when(resolved: [b, b]).done { print($0) }.catch(policy: .allErrors) { _ in }.cancel()
    when(resolved: a, CancellablePromise(after(seconds: 1)), a).done(on: nil) { _ in }.catch { _ in }.cancel()
    let generator = AnyIterator<CancellablePromise<Int>> { nil }
    when(fulfilled: generator, concurrently: 5).done { print($0) }.catch(policy: .allErrors) { _ in }.cancel()
    firstly { () -> CancellablePromise<Int> in throw Failure.first }.catch { print($0) }.cancel()
}

func inferring<T: Equatable>(_ value: T, _ use: @escaping (CancellablePromise<T>) -> Void) {
    func handle(_ error: Error) {}
    func end() {}
    let (promise, seal) = CancellablePromise<T>.pending()
    use(promise)
    seal.fulfill(value)
    CancellablePromise(error: Failure.first).recover { _ in }.done { _ in }.catch(policy: .allErrors, handle).cancel()
    CancellablePromise().recover { _ in }.done(end).catch(policy: .allErrors, handle).finally(end).cancel()
    CancellablePromise(error: Failure.first).recover(policy: .allErrors) { error in throw error }.cauterize()
    Promise(error: PMKError.emptySequence).cancellize().recover(policy: .allErrors) { _ in Promise.value(1) }
        .done { print($0 + 1) }.cauterize()
    let fetcher = Fetcher()
    CancellablePromise<Any>(cancellable: fetcher) { seal in fetcher.fetch(seal.resolve) }.cauterize()
    CancellablePromise(cancellable: fetcher) { seal in fetcher.fetch(seal.resolve) }.done { print($0) }.cauterize()
    var own: CancellablePromise<Void>?
    own = after(.milliseconds(1)).cancellize().then(on: nil) { _ -> CancellablePromise<Void> in own ?? Promise() }
    own?.catch { error in
        guard case PMKError.returnedSelf = error else { return }
    }
    when(fulfilled: Guarantee().cancellize(), promise.map { _ in true }, Promise.value(1)).catch(handle).cancel()
    when(fulfilled: Promise<Void>.value, Promise<Void>.value(()), Promise()).done(end).cauterize()
}
