/// One bound name at run time: a variable's value, or a function's parameter with the frame it was written in.
///
/// Which frame a name means is known when an expression is compiled, as the number of frames between.
final class Frame: Sendable {
    let parent: Frame?
    let value: Value
    let closure: Closure?
    /// How many frames hang on this one, which bounds what releasing it takes from the stack.
    let height: Int

    /// A filter that was handed to a function, and where its own names are found.
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
    /// The frame that many hops further out.
    func up(_ hops: Int) -> Frame? {
        var frame = self
        for _ in 0..<hops { frame = frame?.parent }
        return frame
    }
}
