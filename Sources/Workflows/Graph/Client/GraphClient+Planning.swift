extension GraphClient {
    package var plan: PlanningTransport? { transport as? PlanningTransport }

    /// The answer of a planned call, with tokens for its members; empty texts if the call is not planned.
    /// - Parameter isElement: Whether the answer is an array of unknown length, and the members are its elements'.
    package func plannedAnswer(_ name: String, isElement: Bool = false) -> UnknownTokens.Answer {
        plan?.unknowns.answer(name, isElement: isElement) ?? UnknownTokens.Answer()
    }

    /// The client for requests that a planned call sends under a condition.
    /// - Parameters:
    ///   - words: The condition.
    ///   - kind: The number of this alternative if a run sends one of several; nil if there is no other.
    ///   - isExtra: Whether the request is in addition to the counted ones.
    ///   - attachment: The attachment that they add because it does not fit into the message.
    package func when(
        _ words: String, kind: Int? = nil, isExtra: Bool = false,
        attachment: PlannedCondition.AddedAttachment? = nil
    ) -> GraphClient {
        var client = self
        let inner = PlannedCondition(
            words: words, kinds: kind.map { [$0] } ?? [], isExtra: isExtra,
            attachment: attachment)
        client.condition = condition?.and(inner) ?? inner
        return client
    }

    /// The token for a value that a run computes from others; empty if the call is not planned.
    package func plannedToken(
        _ name: String, _ shape: Unknown.Shape = .any, computed expression: String = ".", from input: Value
    ) -> String {
        guard let unknowns = plan?.unknowns else { return "" }
        let derivation = Derivation(expression, input: unknowns.marked(input))
        return unknowns.token(for: Unknown(name, shape, from: .computed(derivation)))
    }
}

extension Int {
    var bytesInWords: String {
        for (unit, name) in [(1 << 20, "MiB"), (1_000_000, "MB")] where self > 0 && isMultiple(of: unit) {
            return "\(self / unit) \(name)"
        }
        return "\(self) bytes"
    }
}

extension Blob {
    package var hasUnknownSize: Bool { exampleSize != nil || source.hasUnknowns }

    func sizeValue(in client: GraphClient) -> Value {
        guard hasUnknownSize, client.plan != nil else { return .integer(size) }
        return .string(exampleSize ?? client.plannedToken("size", .number, from: .string(hash)))
    }
}

extension ByteSource {
    var hasUnknowns: Bool {
        guard case .memory(let bytes) = self else { return false }
        return UnknownTokens.isIn(bytes)
    }
}

extension Blob {
    /// Bytes that are only known at run time: an example for a plan.
    /// - Parameter isAnswer: Whether an answer has them, with their type and size; otherwise the run computes these.
    package static func unknown(
        _ unknown: Unknown, in plan: PlanningTransport, example: Data, isAnswer: Bool = true
    ) -> Blob {
        func token(_ member: String, _ shape: Unknown.Shape, _ expression: String) -> String {
            guard !isAnswer else { return plan.unknowns.token(for: unknown.member(member, shape, from: .run)) }
            let derivation = Derivation(expression, input: .unknown(unknown))
            return plan.unknowns.token(for: Unknown("\(unknown.name).\(member)", shape, from: .computed(derivation)))
        }
        return Blob(
            example: example, hash: plan.unknowns.token(for: unknown),
            contentType: token("contentType", .text, Derivation.contentType),
            size: token("size", .number, Derivation.contentSize))
    }
}

extension Derivation {
    /// Used instead of an expression: the media type of the content that the input represents.
    package static let contentType = "the type of the content"
    /// Used instead of an expression: the size in bytes of the content that the input represents.
    package static let contentSize = "the size of the content"
}
