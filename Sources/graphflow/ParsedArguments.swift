import Workflows

/// The arguments after a command's name, separated into options and operands.
struct ParsedArguments: Sendable {
    /// The arguments that are not options, in order.
    private(set) var operands: [String] = []
    private let command: String
    private var values: [String: [String]] = [:]

    /// Parses arguments by the conventions of POSIX and GNU: `-p v`, `-rc`, `--name v`, `--name=v`, `--`.
    /// - Parameter isOperand: Whether an argument that begins with a hyphen is an operand.
    /// - Throws: ``UsageError`` for an option that is unknown, lacks a value, takes none or is given twice.
    init(
        _ arguments: [String], options: [Option], of command: String, isOperand: (String) -> Bool = { _ in false }
    ) throws(UsageError) {
        self.command = command
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
                    written == "--\($0.name)" || $0.letter.map { written == "-\($0)" } == true
                })
            else {
                let names = options.filter { $0.refusal == nil }.map { "--\($0.name)" }
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

    /// The only operand.
    /// - Parameter what: What it names, such as `workflow file`.
    func operand(_ what: String, hint: String) throws(UsageError) -> String {
        guard let operand = operands.first, operands.count == 1, !operand.isEmpty else {
            throw UsageError(
                "'graphflow \(command)' \(operands.count > 1 ? "takes one" : "needs a") \(what)", hint: hint)
        }
        return operand
    }

    /// Fails if there are operands.
    func demandNoOperands(hint: (_ operand: String) -> String? = { _ in nil }) throws(UsageError) {
        guard let operand = operands.first else { return }
        throw UsageError("'graphflow \(command)' takes no operand '\(operand)'", hint: hint(operand))
    }

    /// Whether the option was given.
    func has(_ name: String) -> Bool { values[name] != nil }

    /// The option's value; nil if it was not given, empty if it was given without one.
    func value(_ name: String) -> String? { values[name]?.first }

    /// All values of an option that can be given more than once, in order.
    func all(_ name: String) -> [String] { values[name] ?? [] }

    private static func split(_ argument: String) -> (written: String, inline: String?) {
        guard let sign = argument.firstIndex(of: "="), argument.hasPrefix("--") else {
            // `-pname=value`, which POSIX allows for one-letter options.
            let isAttached = !argument.hasPrefix("--") && argument.count > 2
            return isAttached ? (String(argument.prefix(2)), String(argument.dropFirst(2))) : (argument, nil)
        }
        return (String(argument[..<sign]), String(argument[argument.index(after: sign)...]))
    }

    private static func values(
        of option: Option, _ written: String, _ inline: String?, _ rest: inout ArraySlice<String>
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

extension ParsedArguments {
    /// The option's value as a whole number.
    /// - Throws: ``UsageError`` if it is not a number, or too small.
    func count(_ name: String, from least: Int) throws(UsageError) -> Int? {
        guard let text = value(name) else { return nil }
        guard let count = Int(text), count >= least else {
            throw UsageError("'--\(name)' needs a whole number of at least \(least), not '\(text)'")
        }
        return count
    }

    /// The option's value as a time such as `30s`.
    /// - Throws: ``UsageError`` if it is none, or too short.
    func time(_ name: String, from least: Int = 0) throws(UsageError) -> Duration? {
        guard let text = value(name) else { return nil }
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600]
        guard let unit = text.last.flatMap({ units[$0] }), let number = Int(text.dropLast()),
            least...1_000_000 ~= number
        else {
            throw UsageError(
                "'--\(name)' cannot be '\(PlainText.line(text, limit: 100))'",
                hint: "write a number of seconds, minutes or hours: 30s, 2m, 1h")
        }
        return .seconds(number * unit)
    }
}

/// A command line that is wrong.
struct UsageError: Error {
    /// What is wrong with it.
    let message: String
    /// What to do about it.
    let hint: String?

    init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }
}

extension CaseIterable where Self: RawRepresentable<String> {
    /// The case that an option names.
    /// - Parameters:
    ///   - name: The name that was given.
    ///   - kind: What the cases are, in the singular: `format`.
    ///   - purpose: What they are for, after the name: ` for a plan`.
    init(option name: String, _ kind: String, purpose: String = "") throws(UsageError) {
        guard let value = Self(rawValue: name) else {
            let names = Self.allCases.map(\.rawValue)
            throw UsageError(
                "there is no \(kind) '\(name)'\(purpose)",
                hint: Diagnostic.didYouMean(name, among: names) ?? "choose one of \(names.joined(separator: ", "))")
        }
        self = value
    }
}
