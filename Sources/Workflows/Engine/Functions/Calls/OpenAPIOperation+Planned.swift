extension OpenAPIOperation {
    /// Gives an unknown object of parameters each parameter that the operation declares.
    ///
    /// As in a call, names match in any case, and the body is the parameter named so, or else the rest.
    func planned(_ kind: PlannedArguments.Kind) -> PlannedArguments.Kind {
        var kind = kind
        kind.plain = Set(parameters.filter { $0.isRequired || $0.location == .header }.map(\.name))
        if let body, body.isRequired { kind.plain.insert(body.name) }
        guard let unknown = kind.arguments["parameters"]?.unknown else { return kind }
        let declared = parameters.filter { $0.location != .formData }.map(\.name)
        var members = Object()
        for name in declared {
            members[name] = Self.part(
                "(.[] | select(.key == $name)), (.[] | select((.key | ascii_downcase) == ($name | ascii_downcase)))",
                of: unknown, name, ["name": .string(name)])
        }
        if let body, !declared.contains(body.name) {
            members[body.name] = Self.part(
                """
                (.[] | select(.key | IN($whole[]))), ([.[] | select((.key | IN($own[])) or (.key | ascii_downcase \
                | IN($declared[]) | not))] | {value: from_entries} | select(.value != {}))
                """, of: unknown, body.name,
                [
                    "whole": .array([body.name, "body"].filter(takesWholeBody).map(Value.string)),
                    "own": .array(body.properties.map(Value.string)),
                    "declared": .array(declared.map { .string($0.lowercased()) }),
                ])
        }
        kind.arguments = kind.arguments.setting(.object(members), at: ["parameters"])
        return kind
    }

    /// What the given parameters say of one; null if nothing.
    private static func part(
        _ choice: String, of given: Unknown, _ name: String, _ variables: [String: Value]
    ) -> Value {
        if case .object(let members) = given.shape, let member = members[name] { return member }
        let choice = "[. // {} | to_entries | map(select(.value != null)) | \(choice)] | .[0].value"
        let derivation = Derivation(choice, input: .unknown(given), variables: variables)
        return .unknown(Unknown("\(given.name).\(Drawing.name(name))", from: .computed(derivation)))
    }
}

extension OpenAPIStyle {
    /// The token for the names and texts of an unknown value, of which there may be any number.
    func plannedItems(_ name: String, _ value: Value, _ client: GraphClient) -> String? {
        guard let unknowns = client.plan?.unknowns else { return nil }
        let value = unknowns.marked(value)
        guard value.mayBeSeveral else { return nil }
        let pairs =
            switch kind {
            case .json: #"map("\($name)=\(.value | tojson)")"#
            case .deepObject: #"map($name + (if has("key") then "[\(.key)]" else "" end) + "=\(.value)")"#
            case .form where explode: #"map("\(.key // $name)=\(.value)")"#
            default: #"[$name + "=" + (map((.key | strings), .value) | join($separator))]"#
            }
        let entries = kind == .json ? "{value: .}" : "(objects | to_entries[]), ((arrays[], scalars) | {value: .})"
        let derivation = Derivation(
            #"[\#(entries) | select(.value != null)] | if . == [] then null else \#(pairs) | join("&") end"#,
            input: value, variables: ["name": .string(name), "separator": .string(separator)])
        return unknowns.token(for: Unknown("\(name)=\(value.shownInName)", from: .computed(derivation)))
    }
}

extension FunctionContext {
    /// The text of a form for unknown data; other content unchanged.
    func plannedForm(_ content: Value) -> Value {
        guard let unknowns = graph.plan?.unknowns, case let form = unknowns.marked(content), form.mayBeSeveral else {
            return content
        }
        let pairs = #"[to_entries[] | .key as $k | .value | (arrays[], scalars) | values | "\($k)=\(.)"] | join("&")"#
        let derivation = Derivation(#"if type == "object" then \#(pairs) else . end"#, input: form)
        return .string(unknowns.token(for: Unknown(form.shownInName, from: .computed(derivation))))
    }
}

extension Value {
    /// Whether an unknown in it may yield no text, or several.
    fileprivate var mayBeSeveral: Bool {
        (array ?? object?.values ?? [self]).contains { part in
            part.unknown.map { ![.text, .number, .boolean].contains($0.shape) } ?? false
        }
    }

    fileprivate var shownInName: String { unknown?.name ?? Drawing.name(drawn().json()) }
}
