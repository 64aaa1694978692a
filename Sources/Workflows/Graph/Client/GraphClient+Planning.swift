package import Essentials

extension GraphClient {
    /// The plan that collects the client's requests; nil if they are sent.
    package var plan: PlanningTransport? { transport as? PlanningTransport }

    /// The answer of a call in a plan, with tokens for its members; empty texts if the call is not planned.
    /// - Parameter isElement: Whether the answer is an array of unknown length, and the members are its elements'.
    package func plannedAnswer(_ name: String, isElement: Bool = false) -> UnknownTokens.Answer {
        plan?.unknowns.answer(name, isElement: isElement) ?? UnknownTokens.Answer()
    }

    /// The client for requests that a planned call sends under a condition.
    /// - Parameters:
    ///   - words: The condition.
    ///   - kind: The number among the kinds of requests of which a run sends one; nil if there is no other kind.
    ///   - isExtra: Whether the request comes on top of those that are counted.
    ///   - attachment: The attachment that they add because it has no room in the message.
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

    /// The token for a value that is computed from others in a run; an empty text if the call is not planned.
    package func plannedToken(
        _ name: String, _ shape: Unknown.Shape = .any, computed expression: String = ".", from input: Value
    ) -> String {
        guard let unknowns = plan?.unknowns else { return "" }
        let derivation = Derivation(expression, input: unknowns.marked(input))
        return unknowns.token(for: Unknown(name, shape, from: .computed(derivation)))
    }
}

extension Int {
    /// A number of bytes in words.
    var bytesInWords: String {
        let (size, rest) = quotientAndRemainder(dividingBy: 1 << 20)
        return rest == 0 && size > 0 ? "\(size) MiB" : "\(self) bytes"
    }
}

extension Blob {
    /// Whether only a run knows how many bytes it has.
    package var hasUnknownSize: Bool { exampleSize != nil || source.hasUnknowns }

    /// The size as data, in a plan with a token if only a run knows it.
    func sizeValue(in client: GraphClient) -> Value {
        guard hasUnknownSize, client.plan != nil else { return .integer(size) }
        return .string(exampleSize ?? client.plannedToken("size", .number, from: .string(hash)))
    }
}

extension ByteSource {
    /// Whether bytes in memory have unknown parts.
    var hasUnknowns: Bool {
        guard case .memory(let bytes) = self else { return false }
        return UnknownTokens.isIn(bytes)
    }
}

extension Blob {
    /// Bytes that only a run gets: an example for a plan.
    /// - Parameter isAnswer: Whether an answer gives them, with their type and size; else the run finds out these.
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
    /// In place of an expression: the media type of the content that the input stands for.
    package static let contentType = "the type of the content"
    /// In place of an expression: the number of bytes of the content that the input stands for.
    package static let contentSize = "the size of the content"
}
