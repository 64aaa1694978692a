import Testing
import MicrosoftGraph

struct GraphErrorTests {
    @Test(
        arguments: [
            (.invalidInput, nil, "https://serverlessworkflow.io/spec/1.0.0/errors/validation", 400),
            (.signInRequired, nil, "https://serverlessworkflow.io/spec/1.0.0/errors/authentication", 401),
            (.unauthorized, 401, "https://serverlessworkflow.io/spec/1.0.0/errors/authentication", 401),
            (.forbidden, 403, "https://serverlessworkflow.io/spec/1.0.0/errors/authorization", 403),
            (.notFound, 404, "https://serverlessworkflow.io/spec/1.0.0/errors/communication", 404),
            (.throttled, 429, "https://serverlessworkflow.io/spec/1.0.0/errors/communication", 429),
            (.network, nil, "https://serverlessworkflow.io/spec/1.0.0/errors/communication", 503),
            (.timedOut, nil, "https://serverlessworkflow.io/spec/1.0.0/errors/timeout", 408),
            (.badAnswer, 200, "https://serverlessworkflow.io/spec/1.0.0/errors/communication", 502),
            (.unknownOutcome, 504, "urn:graphflow:error:unknown-outcome", 504),
        ] as [(GraphError.Code, Int?, String, Int)])
    func `each kind is one of the standard's errors`(code: GraphError.Code, status: Int?, type: String, as number: Int)
    {
        let problem = GraphError(code, status: status, message: "m").problem
        #expect(problem["type"] == .string(type))
        #expect(problem["status"] == .integer(number))
        #expect(problem["title"]?.string?.isEmpty == false)
        #expect(problem["detail"] == "m")
        #expect(problem.keys == ["type", "status", "title", "detail"])
    }

    @Test func `a problem has the ids that support asks for`() {
        var error = GraphError(.conflict, status: 409, message: "m", hint: "h")
        error.serviceCode = "nameAlreadyExists"
        error.requestID = "r"
        error.clientRequestID = "c"
        #expect(error.problem["code"] == "nameAlreadyExists")
        #expect(error.problem["requestId"] == "r")
        #expect(error.problem["clientRequestId"] == "c")
        #expect(error.problem["detail"] == "m h")
        #expect(error.description == "m h (code nameAlreadyExists, request-id r, client-request-id c)")
    }

    @Test func `only errors of Graph become Graph errors`() {
        struct Other: Error {}
        #expect(GraphError(Other()) == nil)
        #expect(GraphError(GraphError(.notFound, message: "m"))?.code == .notFound)
        var missing = CredentialError(.signInRequired, "m")
        #expect(GraphError(missing)?.code == .signInRequired)
        #expect(GraphError(missing)?.hint == nil)
        missing.reasons = ["first: a", "second: b"]
        missing.serviceMessage = "AADSTS1: s"
        #expect(GraphError(missing)?.hintLines == ["the service said: AADSTS1: s", "first: a", "second: b"])
        #expect(
            GraphError(missing)?.problem["detail"] == "m the service said: AADSTS1: s first: a second: b")
        let failure = HTTPFailure(phase: .notSent, reason: .cannotConnect, detail: "refused")
        #expect(GraphError(failure)?.code == .network)
        #expect(GraphError(failure)?.message == "No connection: refused.")
    }
}
