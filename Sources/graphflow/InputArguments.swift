import Essentials
import Workflows

/// The workflow's input from the command line: a whole, properties, or both.
struct InputArguments: Sendable {
    private let whole: String?
    private let properties: [(name: String, text: String)]

    /// Whether the command line sets any input.
    var isGiven: Bool { whole != nil || !properties.isEmpty }

    /// Takes the values of `--input` and of each `-p`.
    init(whole: String?, properties: [String]) throws(UsageError) {
        self.whole = whole
        self.properties = try properties.map { property throws(UsageError) in
            guard let sign = property.firstIndex(of: "="), sign != property.startIndex else {
                throw UsageError("'-p \(property)' sets nothing", hint: "write -p NAME=VALUE")
            }
            return (String(property[..<sign]), String(property[property.index(after: sign)...]))
        }
    }

    /// The input for a workflow.
    /// - Throws: ``ReadingError`` or ``InvalidWorkflow`` if it is wrong.
    func value(for workflow: Workflow) throws -> Value {
        var input = try whole.map(Self.read) ?? [:]
        guard !properties.isEmpty else { return input }
        guard case .object(var members) = input else {
            throw UsageError("'-p' needs an input that is an object", hint: "leave '--input' out, or give it an object")
        }
        var problems: [Diagnostic] = []
        for (name, text) in properties {
            let property = InputProperty(name, of: workflow)
            if let value = property.value(of: text) {
                members[name] = value
            } else {
                let (message, hint) = property.problem(with: text)
                problems.append(
                    workflow.document.diagnostic(id: "input", message, hint: hint, at: property.place))
            }
        }
        guard problems.isEmpty else { throw InvalidWorkflow(diagnostics: problems) }
        input = .object(members)
        return input
    }

    private static func read(_ argument: String) throws -> Value {
        if argument == "-" { return try DataFile.readStandardInput() }
        guard argument.hasPrefix("@") else { return try Value(json: argument, name: "--input") }
        return try DataFile.read(String(argument.dropFirst()))
    }
}
