public import Foundation
public import Workflows

/// A file of the folder `workflows`, with an input and its output.
public struct SampleWorkflow: Sendable, CustomStringConvertible {
    /// The name of the file.
    public let name: String
    /// The input.
    public let input: Value
    /// The output; nil if it differs from run to run.
    public let output: Value?

    private init(_ name: String, _ input: Value = [:], gives output: Value?) {
        self.name = name
        self.input = input
        self.output = output
    }

    /// Every sample that runs against the sandbox in process, each at least once.
    public static let all: [SampleWorkflow] = [
        SampleWorkflow("mail-on-monday.yaml", gives: nil),
        SampleWorkflow("new-colleagues.yaml", gives: ["welcomed": [], "failed": []]),
        SampleWorkflow("share-file.yaml", gives: nil),
        SampleWorkflow(
            "nightly-report.yaml",
            gives: [
                "rows": [
                    ["department": "Management", "people": 2], ["department": "Marketing", "people": 2],
                    ["department": "Retail", "people": 2], ["department": "without one", "people": 1],
                    ["department": "Human Resources", "people": 1],
                ]
            ]),
        SampleWorkflow("empty.yaml", gives: nil),
        SampleWorkflow("call-catalog.yaml", gives: ["prices": [12, 24]]),
        SampleWorkflow(
            "catch-and-go-on.yaml", gives: ["done": ["desk", "lamp"], "refused": "There is no 'window' in stock."]),
        SampleWorkflow("choose-and-repeat.yaml", ["number": 27], gives: ["number": 1, "steps": 111]),
        SampleWorkflow(
            "data-flow.yaml", ["order": ["items": [["price": 20, "count": 2], ["price": 2, "count": 1]]]],
            gives: ["total": 42, "note": "2 kinds of things for 42 €"]),
        SampleWorkflow("draft-mail.yaml", ["to": "adelev@contoso.com"], gives: ["drafts": 1]),
        SampleWorkflow("errors.yaml", ["amount": 7], gives: ["accepted": 7]),
        SampleWorkflow("errors.yaml", ["amount": 70], gives: ["accepted": 10, "note": "70 is more than 10"]),
        SampleWorkflow("events.yaml", gives: ["too hot: 41 °C", "too hot: 43 °C"]),
        SampleWorkflow(
            "for-each-user.yaml", ["prefix": "M"],
            gives: [["name": "Megan Bowen", "hasPhoto": true], ["name": "Miriam Graham", "hasPhoto": false]]),
        SampleWorkflow(
            "for-each-user.yaml", ["prefix": "A"],
            gives: [["name": "Adele Vance", "hasPhoto": false], ["name": "Alex Wilber", "hasPhoto": false]]),
        SampleWorkflow(
            "for-each-item.yaml",
            gives: [
                "greetings": [
                    "Good morning, Adele Vance!", "Hello again, Alex Wilber!", "Welcome back, Megan Bowen!",
                ],
                "notGreeted": ["nobody@contoso.com: 404"],
            ]),
        SampleWorkflow(
            "fork-and-join.yaml",
            gives: ["name": "Megan Bowen", "picture": "image/jpeg", "colleagues": ["Adele Vance", "Alex Wilber"]]),
        SampleWorkflow("functions-and-extensions.yaml", ["name": "Megan"], gives: ["greeting": "Hello Megan Bowen!"]),
        SampleWorkflow("mail-failed-runs.yaml", [failure], gives: nil),
        SampleWorkflow(
            "offboard.yaml", ["user": "adelev@contoso.com"],
            gives: ["offboarded": "Adele Vance", "told": "Lee Gu"]),
        SampleWorkflow(
            "onboard.yaml", ["user": "lynner@contoso.com", "starts": "2026-12-01"],
            gives: ["onboarded": "Lynne Robbins", "folder": "Lynne Robbins"]),
        SampleWorkflow("race.yaml", gives: ["from": "graph", "type": "image/jpeg"]),
        SampleWorkflow(
            "run-container.yaml", ["name": "$(id) Adele"],
            gives: ["greeting": "Hello, $(id) Adele!", "loud": "HELLO, $(ID) ADELE!", "count": 19]),
        SampleWorkflow(
            "run-script.yaml", ["scores": [1, 2, 6]],
            gives: [
                "scores": [1, 2, 6], "mean": 3, "best": 6, "praise": "Well done: 6!", "bars": ["#", "##", "######"],
            ]),
        SampleWorkflow(
            "run-shell.yaml", ["name": "$(id) Adele"],
            gives: [
                "greeting": "Hello, $(id) Adele!", "words": 3, "found": false,
                "last": ["code": 3, "stdout": "so far so good", "stderr": "but then"],
            ]),
        SampleWorkflow(
            "run-workflow.yaml",
            gives: [
                "greetings": [["greeting": "Hello, Adele Vance!"], ["greeting": "Good morning, Megan Bowen!"]],
                "refused": "of 'samples/greet:1.0.0': the input's 'user' must not be empty",
            ]),
        SampleWorkflow(
            "run-workflow-greet.yaml", ["user": "adelev@contoso.com"], gives: ["greeting": "Hello, Adele Vance!"]),
        SampleWorkflow("share-profile-photo.yaml", ["to": "adelev@contoso.com"], gives: nil),
        SampleWorkflow(
            "welcome.yaml", ["mail": "adelev@contoso.com", "name": "Adele Vance", "starts": "2026-12-01", "desk": 17],
            gives: ["welcomed": "adelev@contoso.com"]),
        SampleWorkflow(
            "welcome-list.yaml", gives: ["adelev@contoso.com", "alexw@contoso.com", "megan@contoso.com"]),
        SampleWorkflow(
            "welcome-new-people.yaml", [["subject": "adelev@contoso.com"]], gives: ["welcomed": "adelev@contoso.com"]),
    ]

    /// The event about a run that faulted, as `--notify` posts it.
    private static let failure: Value = [
        "specversion": "1.0", "id": "01JD0000000000000000000000-9",
        "source": "urn:graphflow:run:01JD0000000000000000000000",
        "type": "io.serverlessworkflow.workflow.faulted.v1", "time": "2026-01-31T12:00:00.000Z",
        "data": [
            "name": "errors-01jd0000000000000000000000.samples", "faultedAt": "2026-01-31T12:00:00.000Z",
            "error": ["type": "https://contoso.com/errors/negative", "status": 400, "title": "Negative"],
        ],
    ]

    /// The folder of the samples.
    public static let folder = URL(fileURLWithPath: #filePath).appending(path: "../../../workflows").standardizedFileURL

    /// The names of all sample workflows, including those that need more than the sandbox.
    public static let files: [String] = {
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        return (names ?? []).filter { $0.hasSuffix(".yaml") && !$0.hasSuffix(".test.yaml") }.sorted()
    }()

    /// The workflow.
    public var workflow: Workflow {
        get throws { try Workflow(contentsOf: Self.folder.appending(path: name)) }
    }

    /// How a failing test names the sample.
    public var description: String { "\(name) \(input.json())" }
}
