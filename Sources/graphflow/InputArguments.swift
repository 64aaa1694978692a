/// The workflow's input from the command line: the whole input, properties, or both.
struct InputArguments: OptionGroup {
    @Option<[Property]> private var properties: [Property]
    @Option<String?> private var whole: String?

    private typealias Property = (name: String, text: String)

    /// - Parameters:
    ///   - properties: What `-p` sets.
    ///   - placeholder: What the whole input can be.
    ///   - whole: What `--input` is.
    init(properties: String, _ placeholder: String, whole: String) {
        _properties = Option(
            each: "property", letter: "p", "NAME=VALUE", "Set a property of \(properties)",
            as: Conversion(offering: .inputProperties, Self.property))
        _whole = Option("input", placeholder, whole)
    }

    var isGiven: Bool { whole != nil || !properties.isEmpty }

    var isOnStandardInput: Bool { whole == "-" }

    /// The input for a workflow.
    /// - Parameter console: Where names that are nearly a property's are reported; nil for nowhere.
    /// - Throws: ``ReadingError`` or ``InvalidWorkflow`` if it is wrong.
    func value(for workflow: Workflow, on console: Console?) throws -> Value {
        var input = try whole.map(Self.read) ?? [:]
        let names = InputNames(of: workflow)
        let given = Object(properties.map { ($0.name, .null) }).keys
        let meant = Object(zip(given, names.meanings(of: given)).map { ($0, .string($1)) })
        var remarks = names.remarks(on: given)
        if case .object(let members) = input {
            remarks += names.remarks(on: members.keys)
            input = .object(names.renamed(members))
        }
        console?.report(remarks.map { Diagnostic(.warning, id: "input", $0.message) })
        guard !properties.isEmpty else { return input }
        guard case .object(var members) = input else {
            throw UsageError("'-p' needs an input that is an object", hint: "leave '--input' out, or give it an object")
        }
        var problems: [Diagnostic] = []
        for (name, text) in properties {
            let property = InputProperty(meant[name]?.string ?? name, of: workflow)
            if let value = property.value(of: text) {
                members[property.name] = value
            } else {
                problems.append(
                    workflow.document.diagnostic(id: "input", property.problem(with: text), at: property.place))
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

    private static func property(_ text: String, _ name: String) throws -> Property {
        guard let sign = text.firstIndex(of: "="), sign != text.startIndex else {
            throw UsageError("'-p \(text)' sets nothing", hint: "write -p NAME=VALUE")
        }
        return (String(text[..<sign]), String(text[text.index(after: sign)...]))
    }
}
