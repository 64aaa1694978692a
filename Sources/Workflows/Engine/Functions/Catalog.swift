/// Functions by name and version.
public struct Catalog: FunctionCatalog {
    /// The calls that the standard defines; every catalog has them, without versions.
    static let standard: [String: Function] = ["http": .http, "mcp": .mcp, "openapi": .openAPI]

    private var versions: [String: [Function]] = [:]

    /// Creates an empty catalog.
    public init() {}

    /// The functions that every workflow can call.
    public static let `default`: Catalog = {
        var catalog = Catalog()
        for function in [
            .me, .photo, .defaultPhoto, .upload, .listFolder, .createFolder, .download, .createLink, .sendMail, .users,
            .groups,
            .addToGroup, .createEvent, .messages, .graph, .render, .readFile, .forEach, .approval, .undo,
        ] as [Function] {
            catalog.register(function)
        }
        return catalog
    }()

    /// The function with a name: `photo` for the newest, `photo:1.0.0` or `photo:1.0.0@default` for exactly one.
    ///
    /// Every catalog has `http` and the other calls of the standard.
    public subscript(name: String) -> Function? {
        if let function = Self.standard[name] { return function }
        let parts = name.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, parts.count == 1 || parts[1] == FunctionSource.defaultCatalog else { return nil }
        let words = first.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let word = words.first, let known = versions[String(word)] else { return nil }
        guard words.count == 2 else { return parts.count == 1 ? known.last : nil }
        return known.last { $0.version == words[1] }
    }

    /// The same function as a signature, without its body.
    public func signature(_ name: String) -> (any FunctionSignature)? { self[name] }

    /// The names in alphabetical order.
    public var names: [String] { versions.keys.sorted() }

    /// The newest function of each name, in alphabetical order of the names.
    public var functions: [Function] { names.compactMap { versions[$0]?.last } }

    /// All versions of all functions: names in alphabetical order, the newest version first.
    public var allVersions: [any FunctionSignature] { names.flatMap { versions[$0, default: []].reversed() } }

    /// The known name nearest to a misspelled one.
    public func nearest(to name: String) -> String? {
        let word = name.prefix { $0 != ":" && $0 != "@" }
        return Diagnostic.nearest(to: String(word), among: names)
    }

    /// Adds a function, and replaces the one of the same name and version.
    public mutating func register(_ function: Function) {
        var known = versions[function.name, default: []].filter { $0.version != function.version }
        known.append(function)
        known.sort { Self.numbers($0.version).lexicographicallyPrecedes(Self.numbers($1.version)) }
        versions[function.name] = known
    }

    /// Adds a Swift closure as a function.
    ///
    /// - Parameters:
    ///   - name: The name that `call` uses.
    ///   - version: The version, in three numbers.
    ///   - summary: What the function does, in one sentence.
    ///   - input: The JSON Schema of `with`; `true` accepts everything.
    ///   - output: The JSON Schema of what the function returns.
    ///   - permissions: The permissions of Microsoft Graph that it needs.
    ///   - effect: What it does to the world; by default it is not repeated.
    ///   - body: What it does.
    public mutating func register(
        _ name: String, version: String = "1.0.0", summary: String = "", input: Value = true, output: Value = true,
        permissions: Permissions = Permissions(), effect: Idempotency = .once, _ body: @escaping Function.Body
    ) {
        register(
            Function(
                name: name, version: version, summary: summary, input: input, output: output,
                permissions: permissions, effect: effect, body: body))
    }

    /// Adds a Swift closure as a function whose input is a list of parameters.
    ///
    /// - Parameters:
    ///   - name: The name that `call` uses.
    ///   - version: The version, in three numbers.
    ///   - summary: What the function does, in one sentence.
    ///   - input: The parameters, from which the JSON Schema of `with` comes.
    ///   - output: The JSON Schema of what the function returns.
    ///   - permissions: The permissions of Microsoft Graph that it needs.
    ///   - effect: What it does to the world; by default it is not repeated.
    ///   - body: What it does.
    public mutating func register<With: FunctionParameters>(
        _ name: String, version: String = "1.0.0", summary: String = "", input: With.Type, output: Value = true,
        permissions: Permissions = Permissions(), effect: Idempotency = .once,
        _ body: @escaping @Sendable (_ with: With, _ context: FunctionContext) throws -> Promise<Value>
    ) {
        register(
            Function(
                name, version: version, summary: summary, input: input, output: output, permissions: permissions,
                effect: effect, isCustom: true, body: body))
    }

    /// Adds an asynchronous Swift function, whose input and output are JSON.
    ///
    /// - Parameters:
    ///   - name: The name that `call` uses.
    ///   - version: The version, in three numbers.
    ///   - summary: What the function does, in one sentence.
    ///   - schema: The JSON Schema of `with`; `true` accepts everything.
    ///   - output: The JSON Schema of what the function returns.
    ///   - permissions: The permissions of Microsoft Graph that it needs.
    ///   - effect: What it does to the world; by default it is not repeated.
    ///   - body: What it does; runs in a task that is cancelled with the run.
    public mutating func register<Input: Decodable & Sendable, Output: Encodable & Sendable>(
        _ name: String, version: String = "1.0.0", summary: String = "", schema: Value = true, output: Value = true,
        permissions: Permissions = Permissions(), effect: Idempotency = .once,
        async body: @escaping @Sendable (_ input: Input, _ context: FunctionContext) async throws -> Output
    ) {
        register(
            name, version: version, summary: summary, input: schema, output: output, permissions: permissions,
            effect: effect
        ) { input, context in
            let decoded = try input.decoded(as: Input.self)
            return Promise { try Value(encoding: try await body(decoded, context)) }
        }
    }

    private static func numbers(_ version: String) -> [Int] {
        version.split(separator: ".").map { Int($0) ?? 0 }
    }
}
