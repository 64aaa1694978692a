// A program written for PromiseKit 8 in Swift 5 mode; only the meaning of `import PromiseKit` differs.
import Dispatch
import Foundation
import PromiseKit

enum Failure: Error, Equatable { case first, second }

class Counter {
    var count = 0
    let name = "counter"
    let letters = ["a", "b"]
    let nothing: String? = nil
}

func callback(_ body: @escaping (Int?, Error?) -> Void) { body(1, nil) }
func callbackWithErrorFirst(_ body: @escaping (Error?, Int?) -> Void) { body(nil, 2) }
func callbackWithError(_ body: @escaping (Error?) -> Void) { body(nil) }

func making() {
    let counter = Counter()
    _ = Promise<Int> { seal in seal.fulfill(1) }
    _ = Promise<Int> { seal in seal.reject(Failure.first) }
    _ = Promise<Int> { callback($0.resolve) }
    _ = Promise<Int> { callbackWithErrorFirst($0.resolve) }
    _ = Promise<Void> { callbackWithError($0.resolve) }
    _ = Promise<Void> { $0.fulfill_() }
    _ = Promise<Int> { seal in seal.resolve(Result<Int, Error>.success(1)) }
    _ = Promise<Int> { fulfill, reject in counter.count == 0 ? fulfill(1) : reject(Failure.first) }
    _ = Promise.value(1)
    _ = Promise<Int>(error: Failure.first)
    _ = Promise()
    _ = Guarantee()
    _ = Guarantee<Int> { seal in seal(1) }
    _ = Guarantee.value(1)
    let (promise, seal) = Promise<Int>.pending()
    seal.fulfill(1)
    if let result = promise.result, case .success(let value) = result { print(value) }
    print(promise.isPending, promise.isResolved, promise.isFulfilled, promise.isRejected, promise.error as Any)
    let (guarantee, resolve) = Guarantee<Int>.pending()
    resolve(1)
    _ = Promise(guarantee)
    _ = guarantee.asVoid()
    _ = promise.asVoid()
}

func chaining() {
    let counter = Counter()
    firstly {
        Promise.value(1)
    }.then { value -> Promise<Int> in
        counter.count += value
        return .value(value + 1)
    }.map { value in
        "\(value)"
    }.map(on: .global()) { text in
        text.count
    }.compactMap { length -> Int? in
        length > 0 ? length : nil
    }.get { value in
        counter.count = value
    }.tap { result in
        if case .failure(let error) = result { print(error) }
    }.done(on: .main) { value in
        counter.count += value
    }.ensure {
        counter.count = 0
    }.ensureThen {
        after(.milliseconds(1))
    }.catch(policy: .allErrors) { error in
        print(error)
    }.finally {
        counter.count = 1
    }
    Promise.value(1).then { value in value + 1 }.then { value in print(value) }.cauterize()
    Promise.value(counter).map(\.name).done { print($0) }.cauterize()
    Promise.value(counter).compactMap(\.nothing).done { print($0) }.cauterize()
    Promise.value(1).done(on: nil) { _ in }.catch(on: DispatchQueue.main, flags: .barrier) { _ in }
    firstly { Guarantee.value(1) }.then { Guarantee.value($0 + 1) }.map { $0 * 2 }.done { print($0) }
    firstly { after(seconds: 0.001) }.done { print("later") }
    after(seconds: 0.001).then { after(seconds: 0.001) }
}

func recovering() {
    let failed = Promise<Int>(error: Failure.first)
    failed.recover { _ in Promise.value(1) }.done { print($0) }.cauterize()
    failed.recover { error -> Promise<Int> in throw error }.cauterize()
    failed.recover { _ in Guarantee.value(1) }.done { print($0) }
    failed.recover { _ -> Guarantee<Int> in .value(1) }.done { print($0) }
    failed.recover(only: Failure.first) { _ in Promise.value(1) }.cauterize()
    failed.recover(only: Failure.self) { _ in Promise.value(1) }.cauterize()
    failed.recover(policy: .allErrorsExceptCancellation) { _ in Promise.value(1) }.cauterize()
    failed.asVoid().recover { _ in }.done { print("recovered") }
    failed.asVoid().recover { error in throw error }.cauterize()
    failed.catch(only: Failure.first) { _ in }.cauterize()
    struct Stopped: CancellableError { var isCancelled: Bool { true } }
    print(Stopped().isCancelled, PMKError.cancelled.isCancelled)
    failed.done { _ in throw PMKError.cancelled }.catch { _ in print("not called") }
}

func sequences() {
    let values = Promise.value([3, 1, 2])
    values.mapValues { $0 + 1 }.done { print($0) }.cauterize()
    values.flatMapValues { [$0, $0] }.done { print($0) }.cauterize()
    values.compactMapValues { $0 > 1 ? $0 : nil }.done { print($0) }.cauterize()
    values.thenMap { Promise.value($0) }.done { print($0) }.cauterize()
    values.thenFlatMap { Promise.value([$0]) }.done { print($0) }.cauterize()
    values.filterValues { $0 > 1 }.done { print($0) }.cauterize()
    values.firstValue.done { print($0) }.cauterize()
    values.firstValue(where: { $0 > 1 }).done { print($0) }.cauterize()
    values.lastValue.done { print($0) }.cauterize()
    values.sortedValues().done { print($0) }.cauterize()
    Promise.value([Counter()]).mapValues(\.name).done { print($0) }.cauterize()
    Guarantee.value([1, 2]).mapValues { $0 + 1 }.done { print($0) }
    Guarantee.value([1, 2]).thenFlatMap { Guarantee.value([$0, $0]) }.done { print($0) }
    let texts = Guarantee.value(["a", ""])
    texts.mapValues(\.count).done { print($0) }
    texts.compactMapValues(\.first).done { print($0) }
    texts.filterValues(\.isEmpty).done { print($0) }
    texts.map(\.count).done { print($0) }
}

func combining() {
    let a = Promise.value(1)
    let b = Promise.value("x")
    when(fulfilled: [a, a]).done { print($0) }.cauterize()
    when(fulfilled: a, b).done { number, text in print(number, text) }.cauterize()
    when(fulfilled: a, b, a).done { print($0, $1, $2) }.cauterize()
    when(fulfilled: a, b, a, b).done { print($0, $1, $2, $3) }.cauterize()
    when(fulfilled: a, b, a, b, a).done { print($0, $1, $2, $3, $4) }.cauterize()
    when(fulfilled: [Promise(), Promise()]).done { _ in }.cauterize()
    when(resolved: [a, a]).done { results in print(results.count) }
    when(resolved: a, a).done { results in print(results.count) }
    var rest = 5
    let iterator = AnyIterator<Promise<Int>> {
        guard rest > 0 else { return nil }
        rest -= 1
        return .value(rest)
    }
    when(fulfilled: iterator, concurrently: 2).done { print($0) }.cauterize()
    race(a, a).done { print($0) }.cauterize()
    race([a, a]).done { print($0) }.cauterize()
    race(fulfilled: [a, a]).done { print($0) }.cauterize()
    race(after(seconds: 1), after(seconds: 0.001)).done { print("first") }
    after(.seconds(0)).done { print("after") }
    DispatchQueue.global().async(.promise) { 1 }.done { print($0) }
    DispatchQueue.global().async(.promise) { () throws -> Int in throw Failure.second }.cauterize()
}

func configuring() throws {
    conf.Q = (map: .global(), return: .global())
    conf.Q = (.main, .main)
    conf.Q.map = nil
    conf.Q.return = .main
    conf.catchPolicy = .allErrorsExceptCancellation
    conf.logHandler = { event in
        switch event {
        case .waitOnMainThread: print("wait")
        case .pendingPromiseDeallocated: print("pending")
        case .pendingGuaranteeDeallocated: print("pending guarantee")
        case .cauterized(let error): print(error)
        default: break
        }
    }
    print(try hang(Promise.value(1)), try Promise.value(1).wait(), Guarantee.value(1).wait())
}

@available(macOS 15, *)
func awaiting() async throws {
    print(try await Promise.value(1).async(), await Guarantee.value(1).async())
}

making()
chaining()
recovering()
sequences()
combining()
makingCancellable()
try chainingCancellable()
combiningCancellable()
inferring("a") { $0.done(on: nil) { print($0 == "a") }.cauterize() }
try configuring()
