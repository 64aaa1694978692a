/// Placeholder
public final class Promise<Value: Sendable>: Sendable { public init() {} }
