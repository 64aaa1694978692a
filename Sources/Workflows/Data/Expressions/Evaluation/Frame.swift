/// One bound name at run time: a variable's value, or a function's parameter with the frame in which it was written.
///
/// Names are resolved at compile time, to the number of frames between.
final class Frame: Sendable {
    let parent: Frame?
    let value: Value
    let closure: Closure?
    /// The number of frames that this one keeps alive, which bounds the stack needed to release it.
    let height: Int

    struct Closure: Sendable {
        let body: any Node
        let frame: Frame?
    }

    init(parent: Frame?, value: Value) {
        self.parent = parent
        self.value = value
        closure = nil
        height = (parent?.height ?? 0) + 1
    }

    init(parent: Frame?, closure: Closure) {
        self.parent = parent
        value = .null
        self.closure = closure
        height = max(parent?.height ?? 0, closure.frame?.height ?? 0) + 1
    }
}

extension Frame? {
    func up(_ hops: Int) -> Frame? {
        var frame = self
        for _ in 0..<hops { frame = frame?.parent }
        return frame
    }
}
