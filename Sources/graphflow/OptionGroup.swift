/// Options that belong together: those of one command, or some that several commands share.
///
/// The properties of a group declare its options with `@Flag` and `@Option` and its operands with `@Operand`. A
/// property can also be another group. Help keeps their order.
protocol OptionGroup: Sendable {
    /// Fails if options contradict each other.
    func validate() throws(UsageError)
}

extension OptionGroup {
    func validate() throws(UsageError) {}

    /// The given options as another command line has them, with the whole paths of files.
    /// - Parameter name: An option that is left out; nil for none.
    func words(without name: String? = nil) -> [String] {
        Declarations(of: self).options.filter { $0.syntax.name != name }.flatMap(\.given)
    }

    /// Fails if more than one of the options is given.
    func exclude(_ options: any DeclaredOption...) throws(UsageError) {
        let given = options.filter(\.isGiven).map(\.syntax.dashed)
        guard given.count > 1 else { return }
        throw UsageError("'\(given[0])' and '\(given[1])' cannot be used together")
    }
}

/// A property that declares an option and holds its value.
protocol DeclaredOption: Sendable {
    var syntax: OptionSyntax { get }
    var isGiven: Bool { get }
    /// The words that it was given; empty if it was not, and for an option without a value.
    var words: [String] { get }
    func take(_ words: [String]) throws
}

extension DeclaredOption {
    /// The option as another command line has it; empty if it is not given.
    var given: [String] {
        guard isGiven else { return [] }
        switch syntax.argument {
        case .none: return [syntax.dashed]
        case .pair:
            return stride(from: 0, to: words.count, by: 2).flatMap { [syntax.dashed, words[$0], words[$0 + 1]] }
        case .optional, .required:
            let isFile = if case .files = syntax.offer { true } else { false }
            return words.map { word in
                word.isEmpty ? syntax.dashed : "\(syntax.dashed)=\(isFile ? word.wholePath : word)"
            }
        }
    }
}

extension String {
    /// The path from the root, for programs that begin in another folder.
    var wholePath: String {
        guard !hasPrefix("/"), self != "-" else { return self }
        return WorkflowOperands.path(of: self, in: FileManager.default.currentDirectoryPath)
    }
}

/// A property that declares an operand and holds its value.
protocol DeclaredOperand: Sendable {
    var syntax: OperandSyntax { get }
    /// Takes its part of the operands.
    /// - Returns: Whether there were enough.
    func take(_ words: inout ArraySlice<String>) -> Bool
}

/// The declarations in the properties of a group, in their order.
struct Declarations {
    private(set) var options: [any DeclaredOption] = []
    private(set) var operands: [any DeclaredOperand] = []
    /// The inner groups, then the group itself.
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

    /// Distributes the words to the operands.
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
