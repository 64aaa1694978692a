import Promises

// What the benchmarks leave behind on purpose is not to be reported line by line.
conf.logHandler = { _ in }

// Memory first, while the process has none to use again.
let cases = [
    Case(
        name: "bytes of a round of a loop, inline", reach: 2, promises: { Memory.round(isInline: true) }),
    Case(
        name: "bytes of a round of a loop, on the default place", reach: 2,
        promises: { Memory.round(isInline: false) }),
    Case(name: "bytes of a resolved promise", reach: 90, promises: Memory.resolved),
    Case(name: "bytes of a pending promise with one map", reach: 200, promises: Memory.pendingWithMap),
    Case(
        name: "1 make a resolved promise, map once, inline", reach: 100, promises: PromiseCases.mapOnceInline,
        tasks: TaskCases.mapOnce, closures: ClosureCases.mapOnce),
    Case(
        name: "1 make a resolved promise, map once, on the default place", reach: 150,
        promises: PromiseCases.mapOnce),
    Case(
        name: "1 the same, registered by another thread meanwhile", reach: 150, promises: PromiseCases.mapOnceAcross),
    Case(
        name: "2 one chain of 1,000,000 maps, then resolve it, per link", reach: 100,
        promises: PromiseCases.longChain, tasks: TaskCases.chain, closures: ClosureCases.chain),
    Case(
        name: "2d release a pending chain of 1,000,000, per link", reach: 120, promises: PromiseCases.releasedChain),
    Case(
        name: "3 chain of 1,000 thens that return promises, per link", reach: 150,
        promises: PromiseCases.returnedPromises),
    Case(
        name: "4 `when` over 100,000, resolved", reach: 40, promises: PromiseCases.whenResolved,
        tasks: TaskCases.group),
    Case(name: "4 `when` over 100,000, settled later", reach: 200, promises: PromiseCases.whenPending),
    Case(name: "5 a rejection through 1,000 links, per link", reach: 120, promises: PromiseCases.rejection),
    Case(
        name: "6 two threads settle 100,000 each, lists of their own", reach: 150,
        promises: { PromiseCases.twoThreads(shared: false) }),
    Case(
        name: "6 two threads settle 100,000 each, shared lists", reach: 250,
        promises: { PromiseCases.twoThreads(shared: true) }),
    Case(
        name: "7 a chain that hops to a global queue, per hop", reach: 450, promises: PromiseCases.hops,
        closures: ClosureCases.hop),
    Case(
        name: "8 await, resolved", reach: 45, promises: PromiseCases.awaitResolved, tasks: TaskCases.awaitFinished),
    Case(
        name: "8 await, pending", reach: 800, promises: PromiseCases.awaitPending, tasks: TaskCases.awaitRunning),
    Case(
        name: "8c await, pending, beside a continuation that can be cancelled", reach: 500,
        promises: AwaitCases.promises, tasks: AwaitCases.cancellable),
    Case(
        name: "8c await, pending, beside a checked continuation", reach: 500, promises: AwaitCases.promises,
        tasks: AwaitCases.checked),
    Case(
        name: "8c await, pending, beside an unsafe continuation", reach: 500, promises: AwaitCases.promises,
        tasks: AwaitCases.unsafe),
    Case(name: "9 cancel a `when` of 1,000,000, each", reach: 500, promises: LeavingCases.cancelledWhen),
    Case(
        name: "9 cancel a chain of 1,000,000 from its end, per link", reach: 200, promises: LeavingCases.cancelledChain),
    Case(name: "9 leave a promise, the newest of 100,000 first", reach: 100, promises: LeavingCases.newestFirst),
    Case(name: "9 leave a promise, the oldest of 100,000 first", reach: 100, promises: LeavingCases.oldestFirst),
    Case(name: "10 one `race` of 100,000, decided, each", reach: 200, promises: LeavingCases.wideRace),
    Case(name: "10 100,000 races against one that never settles", reach: 400, promises: LeavingCases.manyRaces),
    Case(name: "11 a loop of 1,000,000 rounds, inline", reach: 300, promises: { LeavingCases.loop(isInline: true) }),
    Case(
        name: "11d a loop of 1,000,000 rounds, on the default place", reach: 300,
        promises: { LeavingCases.loop(isInline: false) }),
    Case(
        name: "12 one thread makes and settles chains, inline, per link", reach: 100,
        promises: { ThreadCases.chains(threads: 1, isInline: true) }),
    Case(
        name: "12 four threads make and settle chains, inline, per link", reach: 40,
        promises: { ThreadCases.chains(threads: 4, isInline: true) }),
    Case(
        name: "12 one thread makes and settles chains, on the default place, per link", reach: 150,
        promises: { ThreadCases.chains(threads: 1, isInline: false) }),
    Case(
        name: "12 four threads make and settle chains, on the default place, per link", reach: 150,
        promises: { ThreadCases.chains(threads: 4, isInline: false) }),
]

// Arguments choose lines by how their names begin: `PromisesBenchmarks "1 " 2d bytes`.
let chosen = CommandLine.arguments.dropFirst()
print("| case | reach | promises | Task / async | bare closures |")
print("|---|---|---|---|---|")
for line in cases where chosen.isEmpty || chosen.contains(where: { line.name.hasPrefix($0) }) {
    print(line.line())
}
