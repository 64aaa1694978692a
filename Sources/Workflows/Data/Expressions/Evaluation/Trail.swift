/// The path from the root to a result of a path expression, built backwards and shared between results.
final class Trail: Sendable {
    let parent: Trail?
    let key: Value
    let length: Int

    init(_ parent: Trail?, _ key: Value) {
        self.parent = parent
        self.key = key
        length = (parent?.length ?? 0) + 1
    }
}

extension Trail? {
    var keys: [Value] {
        var keys: [Value] = []
        var trail = self
        while let current = trail {
            keys.append(current.key)
            trail = current.parent
        }
        keys.reverse()
        return keys
    }
}
