import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// Effects with the names of those whose ids were read, and with what was there before.
@Suite struct NamedEffectsTests {
    private static let tasks = """
        - person: { call: me, with: { user: lynner@contoso.com }, export: { as: '${ $context + { id: .id } }' } }
        - skus:
            call: graph
            with: { path: /subscribedSkus, all: true, scopes: [LicenseAssignment.Read.All] }
            output: { as: '${ map(select(.skuPartNumber == "SPE_E5"))[0].skuId }' }
        - license:
            call: graph
            with:
              method: POST
              path: /users/${ $context.id }/assignLicense
              effect: idempotent
              body: '${ { addLicenses: [{ skuId: . }], removeLicenses: [] } }'
        - group: { call: groups, with: { name: All Employees } }
        - join: { call: addToGroup, with: { group: '${ .[0].id }', user: '${ $context.id }' } }
        - promote:
            call: graph
            with: { method: PATCH, path: '/users/${ $context.id }', body: { jobTitle: Head, officeLocation: null } }
        """
    /// What the sandbox does not do.
    private static let removal =
        "\n- remove: { call: graph, with: { method: DELETE, path: /users/adelev@contoso.com } }"
    private static let words = [
        "assigns the license SPE_E5 to Lynne Robbins (lynner@contoso.com)",
        "adds Lynne Robbins (lynner@contoso.com) to the group All Employees (employees@contoso.com)",
    ]

    private static func runner(_ log: EventLog? = nil) -> Runner {
        let clock = SkippingClock()
        return Runner(
            graph: GraphClient(
                credential: .fixed(AccessToken("sandbox")), baseURL: Sandbox.baseURL, transport: Sandbox().transport,
                clock: clock), clock: clock, recorders: log.map { [$0.recorder] } ?? [])
    }

    @Test func `a plan that reads names people, and has what was there before`() async throws {
        let plan = try await Self.runner().plan(try Workflow(tasks: Self.tasks), mode: .read).value
        let effects = plan.effects
        let whole = try await Self.runner().plan(try Workflow(tasks: Self.tasks + Self.removal), mode: .read).value
        #expect(Array(effects.map(\.summary).prefix(2)) == Self.words)
        let change = try #require(effects.first { $0.kind == .change })
        #expect(change.objectChange?.name.string?.hasPrefix("Lynne Robbins") == true)
        let title = try #require(change.objectChange?.properties?["jobTitle"])
        #expect(title["before"]?.string?.isEmpty == false && title["after"] == "Head")
        #expect(change.summary.contains("jobTitle (from "), "\(change.summary)")
        #expect(whole.effects.last?.summary == "deletes the user Adele Vance (adelev@contoso.com)")
        // Its own reads are in the plan, and are no requests of a run.
        #expect(plan.requests.contains { $0.value["existing"]?["kind"] == "object" })
        // An unchanged run reads the same once more, and is not refused.
        _ = try await Self.runner().run(try Workflow(tasks: Self.tasks), as: ApprovedPlan(plan)).value
    }

    @Test func `a run names them as its plan does`() async throws {
        let log = EventLog()
        _ = try await Self.runner(log).run(try Workflow(tasks: Self.tasks)).value
        var account = EffectAccount()
        for event in log.events { account.take(event) }
        let effects = account.effects(isAtWork: false).map(\.effect.summary)
        #expect(Array(effects.prefix(2)) == Self.words)
    }

    @Test func `names are what a service says, and never an order`() {
        let names = KnownNames()
        let hostile = "‹x›\u{202E}'; DROP\n" + String(repeating: "ü", count: 10_000)
        names.note([
            ["id": "1", "displayName": .string(hostile)], ["id": "2", "displayName": ""], ["id": 3, "name": "n"],
        ])
        names.note(["value": [["id": "G", "displayName": "Gruppe ü", "members": [["id": "4", "mail": "a@x.de"]]]]])
        let effect = Effect(.member(.init(group: "g", member: "1", added: true)))
        let named = names.naming(effect)
        #expect(named.summary.hasSuffix("üüü to the group Gruppe ü"))
        #expect(named.itemNames["1"] == .string(hostile))
        #expect(named.member?.group == "g")
        #expect(names.naming(Effect(.member(.init(group: "2", member: "4", added: true)))).itemNames.isEmpty)
        #expect(names.naming(Effect(.member(.init(added: true)))).itemNames.isEmpty)
    }

    @Test func `a name is concealed as members are`() {
        let names = KnownNames()
        names.note(["id": "1", "displayName": "s3cr3t-of-somebody"])
        let effect = names.naming(Effect(.member(.init(group: "g", member: "1", added: true))))
        #expect(!effect.mapping { _ in "***" }.summary.contains("s3cr3t"))
    }

    @Test func `more answers than are kept are looked through`() {
        let names = KnownNames()
        for number in 0..<1_000 { names.note(["id": .string("\(number)"), "name": .string("n\(number)")]) }
        #expect(names.naming(Effect(.link(.init(item: "0")))).itemNames["0"] == "n0")
        #expect(names.naming(Effect(.link(.init(item: "999")))).itemNames["999"] == "n999")
    }
}
