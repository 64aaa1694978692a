// Retrying, with a delay that doubles and a limit for all attempts together.

import Promises

struct Busy: Error {}

func ask() -> Promise<String> {
    Bool.random() ? .value("an answer") : Promise(error: Busy())
}

let answer = attempt(maximumRetryCount: 5, delay: .exponential(from: .milliseconds(1)).jittered()) {
    ask()
}.timeout(.seconds(10))

print((try? await answer.value) ?? "no answer")
