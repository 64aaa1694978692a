/// The arguments after a command's name, separated into options and operands.
struct ParsedArguments: Sendable {
    /// The arguments that are not options, in order.
    private(set) var operands: [String] = []
    /// The words given for each option, by its name; empty for an option without a value.
    private(set) var values: [String: [String]] = [:]

    /// Parses arguments by the conventions of POSIX and GNU: `-p v`, `-rc`, `--name v`, `--name=v`, `--`.
    /// - Parameter isOperand: Whether an argument that begins with a hyphen is an operand.
    /// - Throws: ``UsageError`` for an option that is unknown, lacks a value, takes none, or is repeated.
    init(
        _ arguments: [String], options: [OptionSyntax], of command: String, isOperand: (String) -> Bool
    ) throws(UsageError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                operands += rest
                break
            }
            guard argument.hasPrefix("-"), argument != "-", !isOperand(argument) else {
                operands.append(argument)
                continue
            }
            let (written, inline) = Self.split(argument)
            guard
                let option = options.first(where: {
                    written == $0.dashed || $0.letter.map { written == "-\($0)" } == true
                })
            else {
                let names = options.filter { $0.refusal == nil }.map(\.dashed)
                throw UsageError(
                    "'graphflow \(command)' has no option '\(written)'",
                    hint: Diagnostic.didYouMean(written, among: names)
                        ?? "run 'graphflow \(command) --help' to see its options")
            }
            if let refusal = option.refusal {
                throw UsageError("'graphflow \(command)' does not take '\(written)'", hint: refusal)
            }
            guard values[option.name] == nil || option.isRepeatable else {
                throw UsageError("'\(written)' can be given only once")
            }
            if case .none = option.argument, let inline, !written.hasPrefix("--") {
                // `-rc` is `-r -c`.
                values[option.name, default: []].append("")
                rest = ["-" + inline] + rest
                continue
            }
            values[option.name, default: []] += try Self.values(of: option, written, inline, &rest)
        }
    }

    private static func split(_ argument: String) -> (written: String, inline: String?) {
        guard let sign = argument.firstIndex(of: "="), argument.hasPrefix("--") else {
            // `-pname=value`, which POSIX allows for one-letter options.
            let isAttached = !argument.hasPrefix("--") && argument.count > 2
            return isAttached ? (String(argument.prefix(2)), String(argument.dropFirst(2))) : (argument, nil)
        }
        return (String(argument[..<sign]), String(argument[argument.index(after: sign)...]))
    }

    private static func values(
        of option: OptionSyntax, _ written: String, _ inline: String?, _ rest: inout ArraySlice<String>
    ) throws(UsageError) -> [String] {
        switch option.argument {
        case .none:
            guard inline == nil else { throw UsageError("'\(written)' takes no value") }
            return [""]
        case .optional: return [inline ?? ""]
        case .pair(let first, let second):
            guard inline == nil, let one = rest.popFirst(), let other = rest.popFirst() else {
                throw UsageError("'\(written)' needs two values: \(written) \(first) \(second)")
            }
            return [one, other]
        case .required(let placeholder):
            guard let value = inline ?? rest.popFirst() else {
                throw UsageError("'\(written)' needs a value: \(written) \(placeholder)")
            }
            return [value]
        }
    }
}

struct UsageError: Error {
    let message: String
    let hint: String?

    init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }
}
