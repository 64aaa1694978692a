extension TypeInference {
    mutating func call(_ name: String, _ arguments: [Syntax], _ input: DataType, _ use: Use) -> Outputs {
        let signature = "\(name)/\(arguments.count)"
        guard !defined.contains(signature) else {
            for argument in arguments { _ = silently { $0.outputs(argument, .anything) } }
            return Outputs(.anything, isCertain: false)
        }
        if let type = Self.results[signature] {
            // Their arguments are evaluated for the input itself.
            let all = arguments.map { outputs($0, input) }
            return Outputs(type, isCertain: all.allSatisfy(\.isCertain))
        }
        switch signature {
        case "empty/0", "error/0": return Outputs(.nothing, isCertain: false)
        case "error/1":
            _ = outputs(arguments[0], input)
            return Outputs(.nothing, isCertain: false)
        case "null/0": return Outputs(.null)
        case "true/0", "false/0", "not/0": return Outputs(.boolean)
        case "map/1":
            demandCollection(input)
            return Outputs(.array(of: outputs(arguments[0], input.element).type))
        case "select/1":
            _ = outputs(arguments[0], input, .test)
            return Outputs(checked(input, by: arguments[0]), isCertain: false)
        case "values/0": return Outputs(input.without(.null), isCertain: false)
        case "first/1", "last/1": return Outputs(outputs(arguments[0], input, use).type, isCertain: false)
        case "limit/2":
            _ = outputs(arguments[0], input)
            return Outputs(outputs(arguments[1], input).type, isCertain: false)
        case "first/0", "last/0":
            demandCollection(input)
            return Outputs(input.oneElement)
        case "min/0", "max/0": return Outputs(input.only(.array).element.or(.null))
        case "min_by/1", "max_by/1":
            _ = outputs(arguments[0], input.element)
            return Outputs(input.only(.array).element.or(.null))
        case "sort/0", "unique/0", "reverse/0":
            demandCollection(input)
            let texts: DataType.Kinds = signature == "reverse/0" ? [.string, .null] : []
            return Outputs(.array(of: input.only(.array).element).or(input.only(texts)))
        case "sort_by/1", "unique_by/1":
            demandCollection(input)
            _ = outputs(arguments[0], input.element)
            return Outputs(.array(of: input.only(.array).element))
        case "group_by/1":
            demandCollection(input)
            _ = outputs(arguments[0], input.element)
            return Outputs(.array(of: .array(of: input.only(.array).element)))
        case "to_entries/0":
            return Outputs(
                .array(
                    of: .object([
                        DataType.Member(name: "key", type: .text.or(.number), isCertain: true),
                        DataType.Member(name: "value", type: input.element, isCertain: true),
                    ])))
        case "any/1", "all/1":
            _ = outputs(arguments[0], input.element, .test)
            return Outputs(.boolean)
        case "gsub/2", "sub/2":
            _ = outputs(arguments[0], input)
            return Outputs(.text, isCertain: false)
        default:
            for argument in arguments { _ = silently { $0.outputs(argument, .anything) } }
            return Outputs(.anything, isCertain: false)
        }
    }

    /// The built-in functions that return one kind of value for each combination of their arguments' values.
    private static let results: [String: DataType] = {
        let names: [(DataType, [String])] = [
            (
                .text,
                [
                    "type/0", "tostring/0", "tojson/0", "ascii_downcase/0", "ascii_upcase/0", "join/1", "implode/0",
                    "todate/0", "todateiso8601/0", "strftime/1", "ascii/0",
                ]
            ),
            (
                .number,
                [
                    "length/0", "utf8bytelength/0", "tonumber/0", "floor/0", "ceil/0", "round/0", "sqrt/0", "now/0",
                    "mktime/0", "fromdate/0", "fromdateiso8601/0",
                ]
            ),
            (
                .boolean,
                [
                    "has/1", "contains/1", "inside/1", "startswith/1", "endswith/1", "test/1", "test/2", "any/0",
                    "all/0",
                ]
            ), (.array(of: .text), ["split/1"]), (.array(of: .text.or(.number)), ["keys/0", "keys_unsorted/0"]),
            (.array(of: .number), ["explode/0"]),
        ]
        return names.reduce(into: [:]) { results, entry in for name in entry.1 { results[name] = entry.0 } }
    }()
}
