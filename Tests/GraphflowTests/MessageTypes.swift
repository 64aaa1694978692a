import Foundation
import TestSupport

@testable import GraphSandbox
@testable import MicrosoftGraph
@testable import WorkflowData
@testable import WorkflowHTTP
@testable import Workflows
@testable import graphflow

/// The types whose values are messages, by name: how text from outside gets into each, or why none does.
enum MessageTypes {
    /// What a type shows of a text from outside.
    typealias Messages = @Sendable (String) throws -> [String]

    /// Those that show text from outside.
    static let showing: [String: Messages] = reading.merging(services) { $1 }.merging(runs) { $1 }
        .merging(program) { $1 }

    /// Texts, data and expressions.
    private static let reading: [String: Messages] = [
        "CronError": { text in thrown { _ = try CronExpression("\(text) * * * *") } },
        "Diagnostic": { text in [Diagnostic(id: "a", text, hint: text, file: text).text()] },
        "ExpressionError": { text in
            try ["tonumber", "fromjson", "keys", ".[0]", "{ a: . } | .[0]", "strptime(\"%Y\")", "@base64d"].flatMap {
                let expression = try Expression($0)
                return thrown { _ = try expression.first(.string(text)) }
            }
        },
        "InvalidWorkflow": { text in
            thrown { _ = try Workflow(tasks: "- a: { \(Value.string(text).json()): 1 }") }
        },
        "JSONSchema.Violation": { text in
            let schemas: [Value] = [
                ["enum": ["a", .string(text + "b")]], ["const": "a"], ["const": .string(text + "b")],
                ["pattern": .string("^" + text + "b")], ["additionalProperties": false, "required": [.string(text)]],
            ]
            return try schemas.flatMap { schema -> [String] in
                let schema = try JSONSchema(schema)
                return [.string(text), [text + "b": 1]].flatMap { schema.validate($0) }.flatMap {
                    [$0.sentence(about: "input"), $0.hint ?? ""]
                }
            }
        },
        "JSONSchemaError": { text in
            thrown { _ = try JSONSchema(["type": .string(text)]) }
                + thrown { _ = try JSONSchema(["$ref": .string("#/" + text)]) }
        },
        "ReadingError": { text in
            thrown { _ = try Document(data: Data("\(text): 1\n\(text): 2\n".utf8), name: "a") }
        },
        "SeparatedReader.Fault": { text in
            thrown {
                _ = try SeparatedReader.rows(of: Array("\(text),\(text)\n1,2\n".utf8), name: "a", separator: .comma)
            }
        },
        "TemplateError": { text in
            thrown { _ = try Template(.string("${ \(Value.string(text).json()) | tonumber }")).evaluate(.null) }
        },
        "TimeZoneError": { text in thrown { _ = try SystemTimeZone(identifier: text) } },
    ]

    /// Requests and what services answer.
    private static let services: [String: Messages] = [
        "AuthenticationFailure": { text in
            ["error", "error_description"].flatMap { name in
                let answer = response(400, [name: .string(text), "error": .string(name == "error" ? text : "no")])
                return thrown { _ = try GrantedToken(answer, from: try address(), issuers: []) }
            }
                + thrown {
                    let answer = response(200, ["access_token": "a", "token_type": .string(text)])
                    _ = try GrantedToken(answer, from: try address(), issuers: [])
                }
        },
        "CredentialError": { text in told(CredentialError(.badAnswer, text)) },
        "GraphError": { text in
            let inner: Value = ["date": .string(text), "request-id": .string(text)]
            let error: Value = ["code": .string(text), "message": .string(text), "innerError": inner]
            return told(GraphError(response(400, ["error": error])))
                + told(GraphError(page(text))) + told(GraphError(failure: failure(text)))
                + thrown { _ = try GraphPath(user: text + "/") }
        },
        "HTTPCallError": { text in
            let request = HTTPRequest("GET", try address())
            let answers = [
                response(400, ["detail": .string(text)]), response(400, [.string(text)]), page(text),
                HTTPResponse(status: 302, headers: ["Location": text]),
                HTTPResponse(status: 500, headers: ["Content-Type": "text/plain"], body: Data(text.utf8)),
            ]
            let contents = ["application/json", "application/yaml", "text/plain; charset=\(text)"].flatMap { type in
                let answer = HTTPResponse(
                    status: 200, headers: ["Content-Type": type], body: Data("{\(text)\": [\(text)".utf8))
                return thrown { _ = try HTTPContent.value(of: answer, to: request) }
            }
            return answers.flatMap { told(HTTPCallError.refusal($0, of: request, effect: .once)) } + contents
                + told(HTTPCallError.failure(failure(text), of: request, effect: .once))
                + thrown { _ = try HTTPAddress.url(text) } + thrown { _ = try HTTPAddress.url("http://\(text)/") }
        },
        "HTTPFailure": { text in told(failure(text)) },
        "IdentityRefusal": { text in
            let refusals: [IdentityRefusal?] = [
                IdentityRefusal(status: 400, error: text, suberror: text, description: nil, correlationID: text),
                IdentityRefusal(
                    status: 400, error: "a", description: "AADSTS1: \(text)\r\nTrace ID: 1\r\nTimestamp: 2"),
                IdentityRefusal(status: 400, error: "a", description: text + "\n" + text),
                IdentityRefusal(
                    response(401, ["error": "a", "error_description": .string(text)]), ["error": .string(text)]),
            ]
            return refusals.compactMap { $0 }.flatMap { told($0.credentialError()) }
        },
        "OpenAPIError": { text in
            let document = try OpenAPIDocument(
                Data(
                    Value.object(["openapi": "3.1.0", "paths": ["/a": ["get": ["operationId": .string(text)]]]]).json()
                        .utf8),
                at: .file("a"))
            return thrown { _ = try document.operation(text + "b") } + thrown { _ = try document.operation("b") }
                + thrown {
                    _ = try OpenAPIDocument(Data("{\"openapi\": \(Value.string(text).json())}".utf8), at: .file("a"))
                }
        },
        "ServiceError": { text in
            let error: Value = ["code": .string(text), "message": .string(text)]
            let said = [ServiceError(response(400, ["error": error])), ServiceError(page(text))]
            return said.flatMap { [$0.code, $0.message].compactMap(\.self) }
        },
    ]

    /// Runs, journals and events.
    private static let runs: [String: Messages] = [
        "CloudEventError": { text in
            thrown {
                _ = try CloudEvent([text + "-": "a", "specversion": "1.0", "id": "a", "source": "/a", "type": "a"])
            }
        },
        "FunctionFinding": { text in told(FunctionError(text, hint: text)) },
        "FunctionError": { text in
            thrown { _ = try TextTemplate("{{ \(text)~ }}") }
                + thrown {
                    _ = try HTTPCall(["method": .string(text + " "), "endpoint": "https://x"], blobs: BlobStore())
                }
                + thrown { try HTTPCall.checkHeader(text + " ") }
        },
        "JournalError": { text in told(JournalError(.failed, text, hint: text)) },
        "PlanDeviation": { text in told(PlanDeviation(text)) },
        "PlanMismatch": { text in told(PlanMismatch([text])) },
        "ShardError": { text in thrown { _ = try Shard(text) } },
        "WorkflowError": { text in
            told(WorkflowError(["type": "a", "status": 400, "title": .string(text), "detail": .string(text)]))
        },
    ]

    /// The command line.
    private static let program: [String: Messages] = [
        "ApprovalRefusal": { text in told(ApprovalRefusal(text, hint: text)) },
        "EvaluationFailure": { text in told(EvaluationFailure(message: text)) },
        "Failure": { text in [Failure(UsageError(text, hint: text)).text(colour: false)] },
        "MissingSecrets": { text in told(MissingSecrets(file: text, names: ["key"], command: text)) },
        "RunFailure": { text in
            told(RunFailure(WorkflowError(.runtime, detail: text), of: try Workflow(tasks: "- a: { set: { b: 1 } }")))
        },
        "UsageError": { text in told(UsageError(text, hint: text)) },
    ]

    /// Those that show no text from outside, and why.
    static let silent: [String: String] = [
        "AgentRefusal": "goes to an agent as JSON, in which it is bounded where it has text from outside",
        "AgentRuns.BegunElsewhere": "no text",
        "AgentWorkflows.Problem": "the diagnostics of the user's file",
        "BoardActs.Refusal": "the id and the state of a run",
        "BrowserFlow": "the fields of a sign-in",
        "CancellableError": "a protocol",
        "ChangedBatch": "words of the program",
        "ChangedSecrets": "the names of secrets",
        "ChangedWorkflow": "the name of the user's file",
        "ComputationInterrupted": "no text",
        "DraftDelivery.DraftsForbidden": "no text",
        "GraphAddress.Mistake": "a segment of the user's own file or argument, which findings cut",
        "GraphOperation.WrongMethod": "names of the program",
        "GraphWords.Suggestion": "names of the model, and what the user types",
        "Irreversible": "words of the program",
        "EventServer.Refusal": "goes to the sender of the event, whose text it is",
        "ChangeFollower.Stop": "the file's own number, and the words of another error",
        "EventServer.StartError": "the user's port, and the system's words",
        "Exclusive": "words of the program",
        "ExternalProgram.Failure": "the system's words",
        "FileFault": "becomes FunctionError",
        "FileLock.Failure": "the number of a process and its command, without its arguments",
        "HTTPMessageReader.Problem": "words of the program",
        "HTTPRequestParser.Refusal": "words of the program",
        "IdentityTrouble": "numbers",
        "Inbox.Refusal": "numbers, and the system's words",
        "JSONReader.Failure": "becomes ReadingError",
        "Notifier.Answer": "the words of HTTPFailure, or a status",
        "OpenQuestion": "the names of tasks",
        "OperandSyntax": "words of the program",
        "OwnProgram.Refusal": "what this program has said, in which secrets are concealed",
        "PastRun.NotOneExecution": "places in the workflow",
        "PlanView.Failure": "the text of a plan, which its view cuts",
        "ProblemConvertible": "a protocol",
        "PromiseError": "chains in Swift, of which a workflow has none",
        "RPCError": "becomes HTTPCallError, or goes to the peer that sent the message",
        "RepeatedEffects": "the id of a run, and the user's options",
        "ResultsFailure": "the user's file, and the system's words",
        "RunSuspended": "the id of a run",
        "Sandbox.Contents.Mistake": "the user's file of a sandbox",
        "Sandbox.Fault.SyntaxError": "the user's option",
        "Sandbox.SignInError": "the user's option",
        "SandboxAuthorization": "a page of the sandbox",
        "SandboxError": "the sandbox is a service: its answer is text from outside where it is read",
        "SandboxServer.StartError": "the user's port, and the system's words",
        "SandboxSignInError": "the sandbox is a service: its answer is text from outside where it is read",
        "SandboxSignInPage.Question": "a page of the sandbox",
        "SecretStoreError": "the names of secrets and of their file",
        "Signal": "carries ExpressionError",
        "SystemError": "the system's words",
        "TestDifference": "the data of a test, which has no secrets of others",
        "TokenCacheDocument.Problem": "words of the program",
        "UTF8Text.Failure": "becomes ReadingError",
        "UnplannedCall": "becomes a gap of a plan, with names of the workflow",
        "UnsettledEffects": "the id of a run, and the places of tasks",
        "WorkflowLibrary.Problem": "the names of the user's files",
    ]

    /// The error in each way in which somebody sees it.
    private static func told(_ error: any Error) -> [String] {
        let problem = WorkflowError(error, at: .root)
        return ["\(error)", Value.object(problem.members).json(), problem.description]
            + [Failure(error).text(colour: false), Failure(error).text(colour: true)]
            + (GraphError(error).map { ["\($0)", Value.object($0.problem).json()] } ?? [])
    }

    private static func thrown(_ body: () throws -> Void) -> [String] {
        do { try body() } catch { return told(error) }
        return []
    }

    private static func address() throws -> URL { try HTTPAddress.url("https://example.com/a") }

    private static func failure(_ text: String) -> HTTPFailure {
        HTTPFailure(phase: .sent, reason: .connectionLost, detail: text)
    }

    private static func response(_ status: Int, _ body: Value) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: Data(body.json().utf8))
    }

    private static func page(_ text: String) -> HTTPResponse {
        HTTPResponse(
            status: 400, headers: ["Content-Type": "text/html", "request-id": text, "Date": text],
            body: Data("<html><title>\(text)</title></html>".utf8))
    }
}
