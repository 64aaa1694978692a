final class RegularExpression: Sendable { init(_ source: String, flags: String) throws(Signal) {} }
