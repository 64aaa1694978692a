/// `--max-answer`: the largest answer that is read into memory.
struct AnswerOption: OptionGroup {
    @Option(
        "max-answer", "SIZE",
        "Refuse answers of services that are larger, such as 500kB or 2GB (default: 64MB).\n"
            + "JSON needs up to 16 times its size in memory.",
        as: Conversion(bytes) { text, name in UsageError("'\(text)' is not a size", hint: "write \(name) 100MB") })
    var size: Int?

    private static func bytes(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let factors = ["": 1, "b": 1, "kb": 1_000, "mb": 1_000_000, "gb": 1_000_000_000]
        guard let count = Int(digits), count > 0, let factor = factors[text.dropFirst(digits.count).lowercased()],
            case (let size, false) = count.multipliedReportingOverflow(by: factor)
        else { return nil }
        return size
    }
}

extension GraphClient {
    /// The same client with another limit for answers from the network; nil for the default.
    func acceptingAnswers(upTo size: Int?) -> GraphClient {
        guard let size else { return self }
        var copy = self
        if var network = transport as? SandboxNetwork {
            if network.others is NetworkTransport { network.others = NetworkTransport(maximumResponseSize: size) }
            copy.transport = network
        } else if transport is NetworkTransport {
            copy.transport = NetworkTransport(maximumResponseSize: size)
        }
        return copy
    }
}
