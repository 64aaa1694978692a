// Cancelling the end of a chain stops the work at its beginning.

import Promises

let (numbers, resolver) = Promise<Int>.pending()
resolver.onCancel { print("the work stops") }

let text = numbers.map { "number \($0)" }.ensure { print("cleaned up") }
text.cancel()

do {
    print(try await text.value)
} catch {
    print(error.isCancelled)
}
