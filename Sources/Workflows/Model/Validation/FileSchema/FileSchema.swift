import Essentials

/// The standard's schema of workflow files, narrowed to what graphflow supports, with a catalog's functions.
struct FileSchema {
    private(set) var root = Self.standard

    init(_ catalog: any FunctionCatalog) {
        root["$id"] = nil
        root["title"] = "Workflow"
        root["description"] = "A workflow of the Serverless Workflow DSL 1.0.3 as graphflow runs it."
        narrowWorkflow()
        narrowTasks()
        widenTasks()
        narrowProcesses()
        narrowSchemas()
        addFunctions(of: catalog)
        dropUnreachableDefinitions()
    }

    /// Decoded on first use; this fails only if the library was built from a broken file.
    private static let standard: Object = {
        do {
            return try Value(json: Data(PackageResources.workflow_schema_json)).object ?? [:]
        } catch {
            preconditionFailure("The standard's schema inside the library cannot be read: \(error)")
        }
    }()

    private mutating func narrowWorkflow() {
        root.change(["properties"]) { properties in
            properties["evaluate"] = [
                "type": "object", "title": "Evaluate", "description": "How expressions are evaluated.",
                "properties": ["language": ["const": "jq"], "mode": ["enum": ["strict", "loose"]]],
                "additionalProperties": false,
            ]
        }
        root.change(["properties", "schedule"]) { schedule in
            schedule["dependentRequired"] = ["read": ["on"]]
            schedule.change(["properties"]) { properties in
                properties["read"] = [
                    "type": "string", "enum": ["data", "envelope", "raw"], "title": "ScheduleOnReadAs",
                    "description": "What a run receives of each event that starts it; by default the whole event.",
                ]
            }
        }
        root["unevaluatedProperties"] = false
    }

    /// Adds what the standard's main branch accepts since version 1.0.3.
    private mutating func widenTasks() {
        root.changeTask("emitTask", "emit") { emit in
            emit.change(["properties", "event", "properties", "with"]) { with in
                with.removeRequired("source")
                with["allOf"] = with["allOf"]?.changed { $0.removeRequired("source") }
            }
        }
        root.changeTask("forTask", "for") { loop in
            loop.change(["properties"]) { properties in
                let expression = properties["in"] ?? true
                properties["in"] = [
                    "title": "ForIn", "description": "The collection: an expression, or an array of objects.",
                    "oneOf": [expression, ["type": "array", "items": ["type": "object"]]],
                ]
            }
        }
        root.changeTask("tryTask", "catch") { handler in
            handler.change(["properties"]) { properties in
                properties["then"] = [
                    "$ref": "#/$defs/flowDirective", "title": "TryTaskCatchThen",
                    "description": "Where the workflow continues after an error was caught and handled.",
                ]
            }
        }
        root.change(["$defs", "errorFilter", "properties"]) { $0["detail"] = $0["details"] }
        root.change(["$defs", "callTask"]) { task in
            task["oneOf"] = task["oneOf"]?.changed { call in
                call["allOf"] = call["allOf"]?.changed { part in
                    part.change(["properties", "with", "properties", "client", "properties"]) { client in
                        // Version 1.0.3 has the version under another name.
                        client["version"] = client["description"]
                    }
                }
            }
        }
        root.change(["$defs", "uriTemplate"]) { template in
            template["anyOf"] = template["anyOf"]?.changed { form in
                if form["format"] == "uri" { form["format"] = "uri-reference" }
                if form.contains("pattern") { form["pattern"] = .string(Self.reference) }
            }
        }
    }

    /// A URI reference or a template of one, but no expression.
    private static let reference =
        #"^(?!\s*\$\{)(?=\S)(([^:/?#]+):)?(//([^/?#\s]*))?([^?#\s]*)(\?([^#\s]*))?(#(\S*))?$"#

    private mutating func narrowTasks() {
        let kinds: [Value] = Workflow.Action.Kind.allCases.map { ["$ref": .string("#/$defs/\($0.rawValue)Task")] }
        root.change(["$defs", "task"]) { task in
            task["oneOf"] = .array((task["oneOf"]?.array ?? []).filter(kinds.contains))
        }
    }

    private mutating func narrowProcesses() {
        root.change(["$defs", "runTask"]) { task in
            task["allOf"] = task["allOf"]?.changed { part in
                part.change(["properties", "run"]) { run in
                    run["oneOf"] = run["oneOf"]?.changed { alternative in
                        alternative.change(["properties", "script", "properties", "language"]) {
                            $0["enum"] = ["js", "javascript", "python"]
                        }
                    }
                }
            }
        }
    }

    private mutating func narrowSchemas() {
        root.change(["$defs", "schema", "properties", "format"]) { $0["pattern"] = "^json(:|$)" }
    }

    /// Replaces the standard's call of any function with one alternative for each function.
    private mutating func addFunctions(of catalog: any FunctionCatalog) {
        let functions = catalog.allVersions.filter { !Workflow.Call.protocols.contains($0.name) }
        root.change(["$defs", "callTask"]) { task in
            let known = functions.map { Self.call(of: $0, as: catalog.spellings(of: $0)) }
            // The standard defines its own calls.
            let standard = (task["oneOf"]?.array ?? []).filter { call in
                let name = call["allOf"]?[1]?["properties"]?["call"]?["const"]?.string
                return name.map { Workflow.Call.supportedProtocols.contains($0) } ?? false
            }
            task["oneOf"] = .array(standard + known + [Self.callOfOwnFunction(besides: functions.map(\.name))])
        }
        root.change(["$defs"]) { definitions in
            definitions[ArgumentsSchema.expression.name] = ArgumentsSchema.expression.schema
            for function in functions {
                definitions[Self.definition(of: function)] =
                    ArgumentsSchema(
                        function, at: Self.reference(to: Self.definition(of: function))
                    ).value
            }
        }
    }

    private static func call(of function: any FunctionSignature, as spellings: [String]) -> Value {
        let isArgumentNeeded = !(function.input["required"]?.array ?? []).isEmpty
        return [
            "title": .string(function.name), "description": .string(function.summary), "type": "object",
            "required": isArgumentNeeded ? ["call", "with"] : ["call"],
            "allOf": [
                ["$ref": "#/$defs/taskBase"],
                [
                    "properties": [
                        "call": [
                            "type": "string", "title": "Function", "description": .string(function.summary),
                            "enum": .array(spellings.map(Value.string)),
                        ],
                        "with": ["$ref": .string(reference(to: definition(of: function)))],
                    ]
                ],
            ],
            "unevaluatedProperties": false,
        ]
    }

    /// A call of a function that the workflow defines itself, or that is at an address or in a catalog.
    ///
    /// A schema cannot list these names: ``Workflow/validate(with:)`` finds unknown ones.
    private static func callOfOwnFunction(besides known: [String]) -> Value {
        [
            "title": "Function of the workflow",
            "description": "Calls a function of 'use.functions', of one of 'use.catalogs', or at an address.",
            "type": "object", "required": ["call"],
            "allOf": [
                ["$ref": "#/$defs/taskBase"],
                [
                    "properties": [
                        "call": [
                            "type": "string",
                            "pattern": "^([^:@$]+|[^:@$]+:[^:@$]+@[^:@$]+|(https?|file)://[^$]+)$",
                            "not": [
                                "anyOf": [
                                    ["enum": .array((known + Workflow.Call.protocols).map(Value.string))],
                                    ["pattern": "@default$"],
                                ]
                            ],
                        ],
                        "with": ["type": "object"],
                    ]
                ],
            ],
            "unevaluatedProperties": false,
        ]
    }

    /// A name that no definition of the standard has, because of its colon.
    private static func definition(of function: any FunctionSignature) -> String {
        "\(function.name):\(function.version)"
    }

    /// The reference to a definition: a JSON pointer as the fragment of a URI.
    static func reference(to definition: String) -> String {
        "#" + JSONPointer(["$defs", definition]).description.percentEncoded(keeping: "!$&'()*+,/:;=?@")
    }

    private mutating func dropUnreachableDefinitions() {
        guard let definitions = root["$defs"]?.object else { return }
        let names = Dictionary(uniqueKeysWithValues: definitions.keys.map { (Self.reference(to: $0), $0) })
        var reached: Set<String> = []
        var open = Value.object(root.filter { $0.key != "$defs" }).references
        while let reference = open.popLast() {
            guard let name = names[reference], reached.insert(name).inserted else { continue }
            open += definitions[name]?.references ?? []
        }
        root["$defs"] = .object(definitions.filter { reached.contains($0.key) })
    }
}

extension Object {
    fileprivate mutating func changeTask(_ task: String, _ property: String, _ body: (inout Object) -> Void) {
        change(["$defs", task]) { task in
            task["allOf"] = task["allOf"]?.changed { $0.change(["properties", property], body) }
            task.change(["properties", property], body)
        }
    }

    fileprivate mutating func removeRequired(_ name: String) {
        self["required"] = self["required"]?.array.map { .array($0.filter { $0 != .string(name) }) }
    }

    fileprivate mutating func change(_ path: ArraySlice<String>, _ body: (inout Object) -> Void) {
        guard let name = path.first else { return body(&self) }
        guard case .object(var member)? = self[name] else { return }
        member.change(path.dropFirst(), body)
        self[name] = .object(member)
    }
}

extension Value {
    fileprivate var references: [String] {
        switch self {
        case .object(let members):
            members.flatMap { $0.key == "$ref" ? [$0.value.string].compactMap(\.self) : $0.value.references }
        case .array(let elements): elements.flatMap(\.references)
        case .null, .bool, .integer, .double, .string, .marked: []
        }
    }
}

extension Value {
    fileprivate func changed(_ body: (inout Object) -> Void) -> Value {
        .array(
            (array ?? []).map { element in
                guard case .object(var members) = element else { return element }
                body(&members)
                return .object(members)
            })
    }
}

extension Workflow {
    /// The JSON Schema of workflow files: the standard's, narrowed to what graphflow runs and to a catalog's functions.
    ///
    /// With it, an editor completes `call` and `with`, and shows what each function does. Every file that it accepts is
    /// also valid against the standard's schema. Only ``validate(with:)`` checks rules that span several places of a
    /// file, such as references to names.
    public static func fileSchema(for catalog: any FunctionCatalog) -> Value {
        .object(FileSchema(catalog).root)
    }
}
