import Foundation
import Synchronization
import Testing
import WorkflowData

struct `The budget of an expression` {
    @Test(arguments: [
        "def f: f; f", "last(range(1e12))", "[range(1e12)]", "until(false; .)", "[repeat(1)]",
        "first(range(1e12) | empty)",
        "reduce range(1e12) as $i (0; . + 1)", "[limit(1e12; repeat(1))] | length",
        "\"\(String(repeating: "a", count: 40))!\" | test(\"^(a|a)*\\\\1b$\")",
        "def f: (f | f); f", "try last(range(1e12)) catch 1", "last(range(1e12))?",
    ])
    func `steps run out`(_ source: String) throws {
        let expression = try WorkflowData.Expression(source)
        #expect(throws: ExpressionError.self) {
            try expression.evaluate(nil, budget: WorkflowData.Expression.Budget(steps: 100_000))
        }
    }

    @Test(arguments: [
        "def f: 1 + f; f", "def f: [f]; f", "def f(x): f(x | .); f(.)", "reduce range(100000) as $i (null; [.])",
        "reduce range(100000) as $i (null; {a: .})", "reduce range(100000) as $i ({}; .a = .)", "last(recurse([.]))",
        "def f: {a: f}; f", "[range(20000) | \"a\"] as $p | setpath($p; 1)",
        "null | path(last(limit(20000; recurse(.a))))",
        "reduce range(20000) as $i (\"1\"; \"[\\(.)]\") | fromjson", "def f: f, 1; f",
        "reduce range(100000) as $i ([]; [0, ., 0])",
        "reduce range(300000) as $i ([]; [0, 0, 0, 0, 0, ., 0, 0, 0, 0, 0])",
    ])
    func `depth runs out, on a small stack too`(_ source: String) throws {
        let expression = try WorkflowData.Expression(source)
        let isRefused = onSmallStack { (try? expression.evaluate(nil)) == nil }
        #expect(isRefused == true)
    }

    @Test(arguments: [
        "reduce range(60) as $i (\"x\"; . + .)", "\"x\" * 1e9", "[.[]?] | .[400000000] = 1",
        "[range(9999999)] | map([., .])",
    ])
    func `memory runs out`(_ source: String) throws {
        let expression = try WorkflowData.Expression(source)
        let error = #expect(throws: ExpressionError.self) {
            try expression.evaluate([], budget: WorkflowData.Expression.Budget(memory: 16 << 20))
        }
        #expect(error != nil)
    }

    @Test(arguments: [
        ("setpath($short; 1)", true), ("setpath($long; 1)", false), ("setpath([]; $long)", true),
        (".a = 1", true), (".a = []", false), (".a += 1", true), (".a |= 1", true), (".a |= []", false),
    ])
    func `what makes a value deeper takes memory each time, a scalar only at a long path`(
        _ update: String, isFree: Bool
    ) throws {
        let paths = #"[range(17) | "a"] as $long | $long[1:] as $short"#
        let expression = try WorkflowData.Expression("\(paths) | reduce range(20000) as $i (null; \(update)) | length")
        let outputs = try? expression.evaluate(nil, budget: WorkflowData.Expression.Budget(memory: 1 << 20))
        #expect((outputs?.count == 1) == isFree)
    }

    @Test(arguments: [". - []", "keys", "[.[]]"], [40_000, 50_000])
    func `a list takes as much of the budget as of memory`(_ source: String, _ count: Int) throws {
        let budget = WorkflowData.Expression.Budget(memory: 1 << 20)
        let list = Value.array((0..<count).map { .integer($0) })
        let outputs = try? WorkflowData.Expression(source).evaluate(list, budget: budget)
        #expect(outputs == (count * MemoryLayout<Value>.stride <= budget.memory ? [list] : nil))
    }

    @Test func `recursion in the last place takes no depth`() throws {
        let count = try WorkflowData.Expression("def f: if . >= 200000 then . else . + 1 | f end; 0 | f").evaluate(nil)
        #expect(count == [200_000])
        let sum = try WorkflowData.Expression(
            "def f($n; $s): if $n == 0 then $s else f($n - 1; $s + $n) end; f(100000; 0)"
        ).evaluate(nil)
        #expect(sum == [5_000_050_000])
    }

    @Test func `4,000 open calls are no problem on a small stack`() throws {
        let expression = try WorkflowData.Expression("def f: if . == 0 then 0 else 1 + (. - 1 | f) end; 4000 | f")
        #expect(onSmallStack { try? expression.evaluate(nil) } == [4_000])
    }

    @Test(arguments: [
        ("[", "]"), ("(", ")"), ("{a:", "}"), ("-", ""), ("1 + ", ""), (". | ", ""), ("try ", ""), ("1 // ", ""),
    ])
    func `an expression that is nested too deeply is refused`(_ opening: String, _ closing: String) {
        let source = String(repeating: opening, count: 50_000) + "1" + String(repeating: closing, count: 50_000)
        let isRefused = onSmallStack { (try? WorkflowData.Expression(source)) == nil }
        #expect(isRefused == true)
        let fine = String(repeating: opening, count: 60) + "1" + String(repeating: closing, count: 60)
        let isFine = onSmallStack { (try? WorkflowData.Expression(fine).evaluate(nil)) != nil }
        #expect(isFine == true)
    }

    /// Runs the body on a thread with as small a stack as a pool's.
    private func onSmallStack<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result? {
        let box = Box<Result>()
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            let value = body()
            box.result.withLock { $0 = value }
            done.signal()
        }
        thread.stackSize = 512 << 10
        thread.start()
        done.wait()
        return box.result.withLock { $0 }
    }

    private final class Box<Result: Sendable>: Sendable {
        let result = Mutex<Result?>(nil)
    }
}
