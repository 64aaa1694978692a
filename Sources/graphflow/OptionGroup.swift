/// Options that belong together: all of a command, or some that several commands have in common.
///
/// The properties of a group declare its options with `@Flag` and `@Option`, its operands with `@Operand`, and contain
/// other groups. Their order is the order of the help.
protocol OptionGroup: Sendable {
    /// Fails if what was given does not go together.
    func validate() throws(UsageError)
}

extension OptionGroup {
    func validate() throws(UsageError) {}

    /// Fails if more than one of the options was given.
    func exclude(_ options: any DeclaredOption...) throws(UsageError) {
        let given = options.filter(\.isGiven).map(\.syntax.dashed)
        guard given.count > 1 else { return }
        throw UsageError("'\(given[0])' and '\(given[1])' cannot be used together")
    }
}

/// A property that declares an option, and holds what was given for it.
protocol DeclaredOption: Sendable {
    /// How the option is written, and what it does.
    var syntax: OptionSyntax { get }
    /// Whether the option was given.
    var isGiven: Bool { get }
    /// Takes the words that were given for the option.
    func take(_ words: [String]) throws
}

/// A property that declares an operand, and holds what was given for it.
protocol DeclaredOperand: Sendable {
    /// How the operand is written.
    var syntax: OperandSyntax { get }
    /// Takes its part of the operands.
    /// - Returns: Whether that is enough.
    func take(_ words: inout ArraySlice<String>) -> Bool
}

/// What the properties of a group declare, in their order.
struct Declarations {
    private(set) var options: [any DeclaredOption] = []
    private(set) var operands: [any DeclaredOperand] = []
    /// The groups that the group contains, and then itself.
    private(set) var groups: [any OptionGroup] = []

    init(of group: any OptionGroup) {
        for property in Mirror(reflecting: group).children {
            switch property.value {
            case let option as any DeclaredOption: options.append(option)
            case let operand as any DeclaredOperand: operands.append(operand)
            case let inner as any OptionGroup:
                let inner = Declarations(of: inner)
                options += inner.options
                operands += inner.operands
                groups += inner.groups
            default: break
            }
        }
        groups.append(group)
    }

    /// Gives the operands their words.
    func take(operands words: [String], of command: any Command.Type) throws(UsageError) {
        var rest = words[...]
        for operand in operands {
            guard !operand.take(&rest) else { continue }
            throw UsageError(
                "'graphflow \(command.name)' needs \(operand.syntax.what ?? "")", hint: operand.syntax.hint)
        }
        guard let superfluous = rest.first else { return }
        guard !operands.isEmpty else {
            throw UsageError(
                "'graphflow \(command.name)' takes no operand '\(superfluous)'",
                hint: command.hint(insteadOf: superfluous))
        }
        let names = operands.compactMap { $0.syntax.what?.split(separator: " ").dropFirst().joined(separator: " ") }
        throw UsageError(
            "'graphflow \(command.name)' takes one \(names.joined(separator: " and one "))",
            hint: operands[0].syntax.hint)
    }
}
