import Testing
import WorkflowData

struct `Values that a plan does not know` {
    @Test(arguments: [
        (["a", "b"], true), (["a"], true), (["c"], false), (["nothing"], false),
    ])
    func `make a violation uncertain only where they are`(_ path: [String], isUncertain: Bool) {
        let violation = JSONSchema.Violation(
            instance: JSONPointer(path), schema: .root, message: "must be a number, but is a string")
        #expect(violation.isAboutSymbol(in: ["a": ["b": "‹upload.id›"], "c": "known"]) == isUncertain)
    }
}
