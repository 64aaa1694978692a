/// What `call` can name, as far as it is known before anything runs.
public protocol FunctionSignature: Sendable {
    /// The name that `call` uses.
    var name: String { get }
    /// The version, in three numbers.
    var version: String { get }
    /// What the function does, in one sentence.
    var summary: String { get }
    /// The JSON Schema of `with`.
    var input: Value { get }
    /// The JSON Schema of what the function returns.
    var output: Value { get }
    /// What it does to the world, at most.
    var effect: Idempotency { get }

    /// What a call with these arguments does to the world; nil if it depends on unknowns.
    /// - Parameters:
    ///   - with: The `with` as it is written, with its expressions.
    ///   - files: The files next to the workflow.
    func effect(of with: Value, files: WorkflowFiles) -> Idempotency?

    /// Finds errors in a `with` beyond its schema, such as a missing file; runs nothing.
    /// - Parameters:
    ///   - with: The `with` as it is written, with its expressions.
    ///   - files: The files next to the workflow.
    func check(_ with: Value, files: WorkflowFiles) -> [FunctionFinding]
}

/// A function whose answer's type depends on its arguments.
package protocol AnswerTyping: FunctionSignature {
    /// The type of the answer to a call; nil for that of ``FunctionSignature/output``.
    /// - Parameter with: The `with` as it is written, with its expressions.
    func answer(to with: Value) -> DataType?
}

/// The signatures of functions by name and version.
public protocol FunctionCatalog: Sendable {
    /// The function with a name: `photo` for the newest, `photo:1.0.0` or `photo:1.0.0@default` for exactly one.
    func signature(_ name: String) -> (any FunctionSignature)?

    /// The names in alphabetical order.
    var names: [String] { get }
    /// All versions of all functions: names in alphabetical order, the newest version first.
    var allVersions: [any FunctionSignature] { get }
}

extension FunctionCatalog {
    /// The ways in which `call` can name a function of the catalog.
    package func spellings(of function: any FunctionSignature) -> [String] {
        let exact = "\(function.name):\(function.version)"
        let isNewest = signature(function.name)?.version == function.version
        return (isNewest ? [function.name] : []) + [exact, "\(exact)@\(FunctionSource.defaultCatalog)"]
    }
}

extension Workflow.Call {
    /// What the call does to the world, as its task declares it, or else its function; nil if that is not known yet.
    package func effect(of function: any FunctionSignature, files: WorkflowFiles) -> Idempotency? {
        guard let declaredEffect else { return function.effect(of: literal, files: files) }
        return Idempotency(rawValue: declaredEffect.rawValue)
    }
}

/// An error in a `with`.
public struct FunctionFinding: Sendable, Hashable {
    /// The place inside the `with`.
    public var pointer: JSONPointer
    /// A stable name of the kind of finding, such as `missing-file`.
    public var id: String
    /// The problem, in one sentence without a full stop.
    public var message: String
    /// What to do about it, if anything.
    public var hint: String?
    /// The offset in the text at that place, in Unicode scalars; nil for all of it.
    package var offset: Int?
    package var severity = Diagnostic.Severity.error
}

extension FunctionFinding {
    package init(
        _ id: String, at place: [String], _ message: String, hint: String? = nil,
        severity: Diagnostic.Severity = .error
    ) {
        self.init(pointer: JSONPointer(place), id: id, message: message, hint: hint, severity: severity)
    }
}

extension Value {
    /// Whether this is computed when the workflow runs, and unknown before.
    package var isComputed: Bool { string?.contains("${") ?? false }

    package func texts(at pointer: JSONPointer = .root) -> [(pointer: JSONPointer, value: Value)] {
        switch self {
        case .string: [(pointer, self)]
        case .array(let elements):
            elements.enumerated().flatMap { $0.element.texts(at: pointer.appending($0.offset)) }
        case .object(let members): members.flatMap { $0.value.texts(at: pointer.appending($0.key)) }
        case .null, .bool, .integer, .double, .marked: []
        }
    }

    /// The text; nil if it is computed when the workflow runs.
    package var literal: String? { isComputed ? nil : string }
}
