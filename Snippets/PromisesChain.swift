// A chain of promises, from the first value to the handling of its errors.

import Promises

struct Offline: Error {}

func fetchNumber() -> Promise<Int> {
    Promise { resolver in resolver.fulfill(20) }
}

func fetchText(for number: Int) -> Promise<String> {
    number > 0 ? .value("number \(number)") : Promise(error: Offline())
}

let finished = firstly {
    fetchNumber()
}.map { number in
    number + 1
}.then { number in
    fetchText(for: number)
}.recover { error -> Promise<String> in
    guard error is Offline else { throw error }
    return .value("offline")
}.done { text in
    print(text)
}

finished.catch { error in
    print("failed: \(error)")
}

try await finished.value
