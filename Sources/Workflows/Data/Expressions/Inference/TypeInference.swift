/// Infers an expression's type without data: each operation is applied to its operands' types.
///
/// Anything not understood can be of any type, so no possible value is excluded.
struct TypeInference {
    struct Outputs {
        var type: DataType
        /// Whether there is at least one output.
        var isCertain = true

        init(_ type: DataType, isCertain: Bool = true) { (self.type, self.isCertain) = (type, isCertain) }
    }

    /// How an expression uses what it reads, which decides whether it may be missing.
    enum Use {
        case value
        case test
    }

    /// Without `$`; others can be anything.
    private(set) var variables: [String: DataType]
    /// The expression's own functions, about which nothing is known.
    private(set) var defined: Set<String> = []
    private(set) var findings: [Expression.TypeFinding] = []
    private let demandsTexts: Bool
    /// Whether diagnostics are suppressed, because the expression may not be evaluated for such data.
    private var isSilent = false

    /// A name that stands for one that somebody is writing, and what is known where it stands.
    var asked: String?
    private(set) var answer: (members: DataType?, variables: Set<String>)?

    init(variables: [String: DataType], demandsTexts: Bool) {
        (self.variables, self.demandsTexts) = (variables, demandsTexts)
    }

    mutating func outputs(_ syntax: Syntax, _ input: DataType, _ use: Use = .value) -> Outputs {
        switch syntax {
        case .identity: return Outputs(input)
        case .descend: return Outputs(.anything)
        case .constant(let value): return Outputs(DataType(of: value))
        case .format: return Outputs(.text)
        case .location: return Outputs(DataType(of: ["file": "", "line": 0]))
        case .variable(let name, _):
            if name == asked { answer = (nil, Set(variables.keys)) }
            return Outputs(variables[name] ?? .anything)
        case .leave: return Outputs(.nothing, isCertain: false)
        case .string(_, let pieces):
            var isCertain = true
            for case .interpolation(let syntax) in pieces {
                let piece = outputs(syntax, input)
                isCertain = piece.isCertain && isCertain
                if demandsTexts, let reason = piece.type.absence {
                    report(Expression.TypeFinding(.absent(reason), isCertain: false, isTested: false, source: nil))
                }
            }
            return Outputs(.text, isCertain: isCertain)
        case .index(let target, let key, let isOptional): return access(target, key, isOptional, input, use)
        case .slice(let target, let from, let to, let isOptional):
            let sliced = outputs(target, input)
            let bounds = [from, to].compactMap(\.self).map { outputs($0, input).isCertain }
            return Outputs(
                sliced.type.only([.array, .string, .null]),
                isCertain: sliced.isCertain && !isOptional && !bounds.contains(false))
        case .iterate(let body, let isOptional):
            let type = outputs(body, input).type
            if !isOptional { demandCollection(type) }
            return Outputs(type.element, isCertain: false)
        case .array(let body): return Outputs(.array(of: body.map { outputs($0, input).type } ?? .nothing))
        case .object(let members): return object(members, input)
        case .negate(let body): return Outputs(.number, isCertain: outputs(body, input).isCertain)
        case .pipe(let parts):
            var result = Outputs(input)
            for (index, part) in parts.enumerated() {
                let isTested = index + 1 < parts.count ? parts[index + 1].isTest : use == .test
                let next = outputs(part, result.type, isTested ? .test : .value)
                result = Outputs(next.type, isCertain: result.isCertain && next.isCertain)
            }
            return result
        case .comma(let parts):
            let all = parts.map { outputs($0, input, use) }
            return Outputs(all.reduce(.nothing) { $0.or($1.type) }, isCertain: all.contains(where: \.isCertain))
        case .binary(let operation, let left, let right): return binary(operation, left, right, input, use)
        case .assign(let assignment, let target, let value): return assign(assignment, target, value, input)
        case .conditional(let branches, let otherwise):
            var (all, isCertain, input) = ([Outputs](), true, input)
            let before = variables
            defer { variables = before }
            for branch in branches {
                isCertain = outputs(branch.condition, input, .test).isCertain && isCertain
                input = checked(input, by: branch.condition)
                all.append(outputs(branch.result, input, use))
            }
            all.append(otherwise.map { outputs($0, input, use) } ?? Outputs(input))
            return Outputs(
                all.reduce(.nothing) { $0.or($1.type) }, isCertain: isCertain && all.allSatisfy(\.isCertain))
        case .attempt(let body, let handler):
            let result = silently { $0.outputs(body, input) }.type
            return Outputs(result.or(handler.map { outputs($0, .anything).type } ?? .nothing), isCertain: false)
        case .reduce(let source, let patterns, let start, let update):
            let begin = outputs(start, input)
            return binding(patterns, to: outputs(source, input).type) {
                let next = $0.outputs(update, .anything)
                return Outputs(begin.type.or(next.type).or(.null), isCertain: begin.isCertain && next.isCertain)
            }
        case .foreach(let source, let patterns, let start, let update, let extract):
            _ = outputs(start, input)
            return binding(patterns, to: outputs(source, input).type) {
                let state = $0.outputs(update, .anything).type
                guard let extract else { return Outputs(state, isCertain: false) }
                return Outputs($0.outputs(extract, .anything).type, isCertain: false)
            }
        case .bind(let source, let patterns, let body):
            let bound = outputs(source, input)
            let result = binding(patterns, to: bound.type) { $0.outputs(body, input, use) }
            return Outputs(result.type, isCertain: bound.isCertain && result.isCertain)
        case .label(_, let body): return Outputs(outputs(body, input, use).type, isCertain: false)
        case .define(let definitions, let body):
            let (before, known) = (defined, variables)
            defer { (defined, variables) = (before, known) }
            for definition in definitions { defined.insert("\(definition.name)/\(definition.parameters.count)") }
            return outputs(body, input, use)
        case .call(let name, let arguments, _): return call(name, arguments, input, use)
        }
    }

    mutating func silently<Result>(_ body: (inout TypeInference) -> Result) -> Result {
        let before = isSilent
        isSilent = true
        defer { isSilent = before }
        return body(&self)
    }

    private mutating func report(_ finding: Expression.TypeFinding) {
        if !isSilent, !findings.contains(finding) { findings.append(finding) }
    }

    // MARK: Access

    private mutating func access(
        _ target: Syntax, _ key: Syntax, _ isOptional: Bool, _ input: DataType, _ use: Use
    ) -> Outputs {
        let inner = isOptional ? silently { $0.outputs(target, input) } : outputs(target, input)
        let isCertain = inner.isCertain && !isOptional
        switch key {
        case .constant(.string(let name)):
            if name == asked { answer = (inner.type, Set(variables.keys)) }
            if !isOptional { judge(name, in: inner.type, use) }
            return Outputs(inner.type.member(name), isCertain: isCertain)
        case .constant(.integer), .constant(.double):
            if !isOptional { demandCollection(inner.type) }
            return Outputs(inner.type.oneElement, isCertain: isCertain)
        default:
            let index = outputs(key, input)
            return Outputs(.anything, isCertain: isCertain && index.isCertain)
        }
    }

    private mutating func judge(_ name: String, in type: DataType, _ use: Use) {
        let object = type.only(.object)
        guard !object.kinds.isEmpty, !object.members.isEmpty || !object.isOpen, object.known(name) == nil else {
            return
        }
        report(
            Expression.TypeFinding(
                .missing(name, known: object.members.map(\.name)), isCertain: !object.isOpen,
                isTested: use == .test, source: object.source))
    }

    /// Reports that a loop's last result is used as if it were all results.
    mutating func demandCollection(_ type: DataType) {
        guard let source = type.source, let loop = source.loop else { return }
        report(Expression.TypeFinding(.lastRound(loop), isCertain: false, isTested: false, source: source))
    }

    private mutating func object(_ members: [Syntax.Member], _ input: DataType) -> Outputs {
        var (all, isOpen, isCertain) = ([DataType.Member](), false, true)
        for member in members {
            let value = outputs(member.value, input)
            isCertain = isCertain && value.isCertain
            guard let name = member.key.constantText else {
                isCertain = outputs(member.key, input).isCertain && isCertain
                isOpen = true
                continue
            }
            all.removeAll { $0.name == name }
            all.append(DataType.Member(name: name, type: value.type, isCertain: true))
        }
        // A computed name may equal another one.
        if isOpen { all = all.map { DataType.Member(name: $0.name, type: .anything, isCertain: true) } }
        return Outputs(.object(all, isOpen: isOpen), isCertain: isCertain)
    }

    /// The input's type for filters that are evaluated after a condition; records the same for variables.
    mutating func checked(_ input: DataType, by condition: Syntax) -> DataType {
        var input = input.checked([])
        for path in StaticReads.collect(condition) + condition.askedMembers {
            if let name = path.variable {
                variables[name] = variables[name]?.checked(path.keys)
            } else {
                input = input.checked(path.keys)
            }
        }
        return input
    }

    // MARK: Variables

    private mutating func binding(
        _ patterns: [Syntax.Pattern], to type: DataType, _ body: (inout TypeInference) -> Outputs
    ) -> Outputs {
        let before = variables
        defer { variables = before }
        if patterns.count == 1, let pattern = patterns.first {
            bind(pattern, type)
        } else {
            for name in patterns.flatMap(\.variables) { variables[name] = .anything }
        }
        return body(&self)
    }

    private mutating func bind(_ pattern: Syntax.Pattern, _ type: DataType) {
        switch pattern {
        case .variable(let name): variables[name] = type
        case .array(let elements):
            for element in elements { bind(element, type.only(.array).element.or(.null)) }
        case .object(let members):
            for member in members {
                let name = member.key?.constantText ?? (member.key == nil ? member.variable : nil)
                let inner = name.map { type.member($0) } ?? .anything
                if let variable = member.variable { variables[variable] = inner }
                if let pattern = member.pattern { bind(pattern, inner) }
            }
        }
    }
}

extension Syntax {
    fileprivate var askedMembers: [Expression.StaticPath] {
        if case .call("has", let arguments, _) = self, let name = arguments.first?.constantText {
            return [Expression.StaticPath(variable: nil, keys: [name])]
        }
        return parts.flatMap(\.askedMembers)
    }

    fileprivate var constantText: String? {
        switch self {
        case .constant(.string(let text)): return text
        case .string(nil, let pieces):
            var text = ""
            for piece in pieces {
                guard case .text(let part) = piece else { return nil }
                text += part
            }
            return text
        default: return nil
        }
    }

    fileprivate var isTest: Bool {
        if case .call(let name, let arguments, _) = self {
            arguments.isEmpty && ["not", "length", "type"].contains(name)
        } else {
            false
        }
    }
}
