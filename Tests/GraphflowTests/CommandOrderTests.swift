import Foundation
import Testing
import Workflows

@testable import WorkflowRuns
@testable import graphflow

/// What command lines ask for, without running anything.
@Suite struct CommandOrderTests {
    private static let head = """
        input:
          schema:
            document: { type: object, required: [to], properties: { to: { type: string } } }
        """
    private static let tasks = """
          - mail: { call: sendMail, with: { to: '${ .to }', subject: Hello, body: Text } }

        """

    private let place: WorkflowPlace
    private let plan: String

    init() async throws {
        place = try WorkflowPlace(Self.tasks, head: Self.head)
        plan = place.folder.appending(path: "plan.json").path
        let console = place.console()
        let made = await console.run("run", place.file, "-p", "to=megan@contoso.com", "--dry-run", "--plan-out", plan)
        #expect(made == 0, "\(console.standardError)")
    }

    /// A part of an order for a command line.
    struct Expectation: Sendable {
        var input: Value = ["to": "a@contoso.com"]
        var hasPlan = false
        var mode: Plan.Mode?
        var approvers: [String]?
        var isSandboxed = false
    }

    @Test(arguments: [
        (["-p", "to=a@contoso.com"], Expectation()),
        (["--input", #"{"to": "‹Zoë› 👩‍💻 \"%\""}"#], Expectation(input: ["to": "‹Zoë› 👩‍💻 \"%\""])),
        (["--input", #"{"to": "b@contoso.com"}"#, "-p", "to=a@contoso.com"], Expectation()),
        (["-p", "to=a@contoso.com", "--dry-run"], Expectation(mode: .dry)),
        (["-p", "to=a@contoso.com", "--dry-run=read", "--sandbox"], Expectation(mode: .read, isSandboxed: true)),
        (["--plan", "PLAN"], Expectation(input: ["to": "megan@contoso.com"], hasPlan: true)),
        (
            ["--plan", "PLAN", "--require-approval", "--approvers", "p@contoso.com,q@contoso.com"],
            Expectation(
                input: ["to": "megan@contoso.com"], hasPlan: true, approvers: ["p@contoso.com", "q@contoso.com"])
        ),
        // A dry run needs no approval.
        (
            ["-p", "to=a@contoso.com", "--dry-run", "--require-approval", "--approvers", "p@contoso.com"],
            Expectation(mode: .dry)
        ),
    ])
    func `run asks for what its options say`(arguments: [String], expected: Expectation) async throws {
        let words = arguments.map { $0 == "PLAN" ? plan : $0 }
        let console = place.console().console
        let asked = try await RunCommand.parse([place.file] + words).order(on: console)
        #expect(asked.input == expected.input)
        #expect(asked.mode == expected.mode && (asked.sandbox != nil) == expected.isSandboxed)
        #expect((asked.approved != nil) == expected.hasPlan)
        expect(asked.order, expected)
        // Neither a run nor anything else has begun.
        #expect(!FileManager.default.fileExists(atPath: place.home))
    }

    @Test(arguments: [
        ([], Expectation(), false, false), (["--dry-run"], Expectation(mode: .dry), false, false),
        (["--accept-changes", "--from", "mail"], Expectation(), true, true),
        (["--plan", "PLAN"], Expectation(hasPlan: true), false, false),
        (
            ["--require-approval", "--approvers", "p@contoso.com", "--dry-run=read"], Expectation(mode: .read), false,
            false
        ),
        (
            ["--require-approval", "--approvers", "p@contoso.com"], Expectation(approvers: ["p@contoso.com"]), false,
            false
        ),
    ])
    func `resume asks for what its options say`(
        arguments: [String], expected: Expectation, isRepetition: Bool, acceptsChanges: Bool
    ) throws {
        let words = arguments.map { $0 == "PLAN" ? plan : $0 }
        let workflow = try Workflow(contentsOf: URL(fileURLWithPath: place.file))
        let console = place.console().console
        let settings = try RunnerOptions().settings(ownFiles: [], console)
        let asked = try ResumeCommand.parse(["last"] + words)
            .order(toResume: workflow, input: expected.input, approvedBy: [], settings, console)
        #expect(asked.mode == expected.mode && (asked.approved != nil) == expected.hasPlan)
        #expect((asked.order.isRepetition, asked.order.acceptsChanges) == (isRepetition, acceptsChanges))
        expect(asked.order, expected)
    }

    private func expect(_ order: RunOrder, _ expected: Expectation) {
        #expect(order.origin == .person && order.hasPlan == expected.hasPlan)
        #expect(order.isPlanned == (expected.mode != nil) && order.hasSandbox == expected.isSandboxed)
        #expect(order.policy?.approvers == expected.approvers)
        #expect(!order.acceptsForms)
    }

    @Test func `what a run kept of its approvals is demanded where the variable demands one`() throws {
        let workflow = try Workflow(contentsOf: URL(fileURLWithPath: place.file))
        let console = place.console(["GRAPHFLOW_REQUIRE_APPROVAL": "1"]).console
        let settings = try RunnerOptions().settings(ownFiles: [], console)
        let former = ApprovalPolicy(approvers: ["p@contoso.com"], count: 1, allowsSelf: false)
        func order(_ arguments: String..., kept: [Value]) throws -> RunOrder {
            try ResumeCommand.parse(["last"] + arguments)
                .order(toResume: workflow, input: [:], approvedBy: kept, settings, console).order
        }
        #expect(throws: UsageError.self) { _ = try order(kept: []) }
        #expect(try order(kept: [["demand": former.value]]).policy?.approvers == ["p@contoso.com"])
        let stricter = try order("--require-approval", "--approvers", "q@contoso.com", kept: [["demand": former.value]])
        #expect(stricter.policy?.approvers == ["q@contoso.com"])
        #expect(try order("--dry-run", kept: []).policy == nil)
    }
}
