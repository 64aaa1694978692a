struct Compiler {
    /// The names in scope, innermost last.
    struct Scope {
        enum Entry {
            case variable(String)
            case filter(String)
            case label(String)
            case function(Signature, Function)
        }

        var entries: [Entry] = []
        /// The entries with a frame at run time: all except functions.
        var frames = 0

        func adding(_ entry: Entry) -> Scope {
            var scope = self
            scope.entries.append(entry)
            if case .function = entry {} else { scope.frames += 1 }
            return scope
        }
    }

    struct Signature: Hashable {
        let name: String
        let arity: Int
    }

    struct Function {
        let index: Int
        let parameters: [Syntax.Definition.Parameter]
        /// The names that the body calls without arguments.
        let filters: Set<String>
        var isSingle: Bool
    }

    private(set) var variableReads: [Expression.VariableRead] = []
    private var globals: [String: Int] = [:]
    private var functions: [(any Node)?] = []
    private var prelude: [Signature: Function] = [:]
    /// The functions that call themselves, and the number of definitions around the current one.
    private var recursive: Set<Int> = []
    private var definitionDepth = 0
    private let stack: StackMark
    /// Set if the stack was too small, so the caller can retry on a larger one.
    private(set) var ranOutOfStack = false

    init(stack: StackMark) { self.stack = stack }

    mutating func program(_ syntax: Syntax, isDeep: Bool) throws(ExpressionError) -> Program {
        let root = try compile(syntax, Scope())
        let names = globals.sorted { $0.value < $1.value }.map(\.key)
        return Program(root: root, functions: functions.compactMap(\.self), globals: names, isDeep: isDeep)
    }

    mutating func compile(_ syntax: Syntax, _ scope: Scope) throws(ExpressionError) -> any Node {
        switch syntax {
        case .identity: return IdentityNode()
        case .descend: return RecurseNode(nil)
        case .constant(let value): return ConstantNode(value)
        case .location(let line): return ConstantNode(["file": "<top-level>", "line": .integer(line)])
        case .string(let name, let pieces):
            var compiled: [StringNode.Piece] = []
            for piece in pieces {
                switch piece {
                case .text(let text): compiled.append(.text(text))
                case .interpolation(let inner): compiled.append(.interpolation(try compile(inner, scope)))
                }
            }
            return StringNode(compiled, format: name.flatMap(Format.init) ?? .text)
        case .format(let name): return FormatNode(Format(rawValue: name) ?? .text)
        case .variable(let name, let offset): return try variable(name, offset, scope)
        case .index(let target, .constant(.string(let name)), false):
            return FieldNode(try compile(target, scope), name: name)
        case .index(let target, let key, let isOptional):
            return IndexNode(
                try compile(target, scope), key: try compile(key, scope), isOptional: isOptional)
        case .slice(let target, let from, let to, let isOptional):
            return SliceNode(
                try compile(target, scope), from: try compile(from ?? .constant(.null), scope),
                to: try compile(to ?? .constant(.null), scope), isOptional: isOptional)
        case .iterate(let target, let isOptional):
            return IterateNode(try compile(target, scope), isOptional: isOptional)
        case .array(let body):
            guard let body else { return ConstantNode(.array([])) }
            return ArrayNode(try compile(body, scope))
        case .object(let members):
            var compiled: [(key: any Node, value: (any Node)?)] = []
            for member in members {
                let value = member.isShorthand ? nil : try compile(member.value, scope)
                compiled.append((try compile(member.key, scope), value))
            }
            return compiled.isEmpty ? ConstantNode(.object(Object())) : ObjectNode(compiled)
        case .negate(let body): return try negation(body, scope)
        case .pipe(let parts): return try pipe(parts, scope)
        case .comma(let parts):
            var nodes: [any Node] = []
            for part in parts { nodes.append(try compile(part, scope)) }
            return CommaNode(Array(nodes.dropLast()), last: nodes.last ?? EmptyNode())
        case .binary(let operation, let left, let right): return try binary(operation, left, right, scope)
        case .assign(let kind, let target, let value): return try assignment(kind, target, value, scope)
        case .conditional(let branches, let otherwise):
            var node = try compile(otherwise ?? .identity, scope)
            for branch in branches.reversed() {
                let condition = try compile(branch.condition, scope)
                node = ConditionalNode(condition, then: try compile(branch.result, scope), else: node)
            }
            return node
        case .attempt(let body, let handler):
            return TryNode(
                try compile(body, scope),
                handler: try handler.map { handler throws(ExpressionError) in try compile(handler, scope) })
        case .reduce, .foreach, .bind: return try binding(syntax, scope)
        case .label(let name, let body): return LabelNode(body: try compile(body, scope.adding(.label(name))))
        case .leave(let name, let offset): return try leave(name, offset, scope)
        case .define(let definitions, let body):
            var scope = scope
            for definition in definitions { scope = try define(definition, scope) }
            return try compile(body, scope)
        case .call(let name, let arguments, let offset): return try call(name, arguments, offset, scope)
        }
    }

    private mutating func negation(_ body: Syntax, _ scope: Scope) throws(ExpressionError) -> any Node {
        if case .constant(let value) = body, let negated = try? value.negated() { return ConstantNode(negated) }
        return NegateNode(try compile(body, scope))
    }

    private mutating func pipe(_ parts: [Syntax], _ scope: Scope) throws(ExpressionError) -> any Node {
        var nodes: [any Node] = []
        for part in parts { nodes.append(try compile(part, scope)) }
        guard var result = nodes.popLast() else { return IdentityNode() }
        for node in nodes.reversed() { result = PipeNode(node, result) }
        return result
    }

    private mutating func binary(
        _ operation: Syntax.Operator, _ left: Syntax, _ right: Syntax, _ scope: Scope
    ) throws(ExpressionError) -> any Node {
        let first = left
        let second = right
        let left = try compile(left, scope)
        let right: any Node
        do throws(ExpressionError) {
            right = try compile(second, scope)
        } catch var error {
            // `.crm-secret` subtracts.
            if operation == .subtract, case .call(let name, _, error.offset) = second,
                case .index(_, .constant(.string(let start)), _) = first
            {
                error.hint = "did you mean '[\"\(start)-\(name)\"]'? without brackets, '-' subtracts"
            }
            throw error
        }
        switch operation {
        case .and: return LogicNode(isAnd: true, left, right)
        case .or: return LogicNode(isAnd: false, left, right)
        case .alternative: return AlternativeNode(left, right)
        default: return BinaryNode(operation, left, right)
        }
    }

    private mutating func assignment(
        _ kind: Syntax.Assignment, _ target: Syntax, _ value: Syntax, _ scope: Scope
    ) throws(ExpressionError) -> any Node {
        let target = try compile(target, scope)
        let value = try compile(value, scope)
        switch kind {
        case .set: return AssignNode(nil, target, value)
        case .modify: return ModifyNode(target, value)
        case .combine(let operation): return AssignNode(operation, target, value)
        }
    }

    private mutating func variable(
        _ name: String, _ offset: Int, _ scope: Scope
    ) throws(ExpressionError) -> any Node {
        var hops = 0
        for entry in scope.entries.reversed() {
            switch entry {
            case .variable(name): return VariableNode(hops: hops)
            case .function: break
            default: hops += 1
            }
        }
        if name == "ENV" {
            throw ExpressionError(
                "$ENV is not available in expressions: values come from the input, variables and secrets",
                offset: offset)
        }
        variableReads.append(Expression.VariableRead(name: name, offset: offset))
        let slot = globals[name] ?? globals.count
        globals[name] = slot
        return GlobalNode(slot: slot)
    }

    private func leave(_ name: String, _ offset: Int, _ scope: Scope) throws(ExpressionError) -> any Node {
        var hops = 0
        for entry in scope.entries.reversed() {
            switch entry {
            case .label(name): return BreakNode(hops: hops)
            case .function: break
            default: hops += 1
            }
        }
        throw ExpressionError("$*label-\(name) is not defined", offset: offset)
    }

    private mutating func define(_ definition: Syntax.Definition, _ scope: Scope) throws(ExpressionError) -> Scope {
        let signature = Signature(name: definition.name, arity: definition.parameters.count)
        definitionDepth += 1
        defer { definitionDepth -= 1 }
        var function = Function(
            index: functions.count, parameters: definition.parameters,
            filters: FilterNames.called(in: definition.body),
            // Every level may compile its inner levels twice, so only the first ones try it.
            isSingle: definitionDepth <= 4)
        functions.append(nil)
        let before = self
        var body = try compile(
            definition.body, Self.parameters(of: function, in: scope.adding(.function(signature, function))))
        if function.isSingle, !body.isSingle {
            function.isSingle = false
            // Its recursive calls were assumed to be single, and so was everything that contains them.
            if recursive.contains(function.index) {
                self = before
                body = try compile(
                    definition.body, Self.parameters(of: function, in: scope.adding(.function(signature, function))))
            }
        }
        functions[function.index] = body
        return scope.adding(.function(signature, function))
    }

    private static func parameters(of function: Function, in scope: Scope) -> Scope {
        var inner = scope
        for parameter in function.parameters {
            if !parameter.isValue || function.filters.contains(parameter.name) {
                inner = inner.adding(.filter(parameter.name))
            }
            if parameter.isValue { inner = inner.adding(.variable(parameter.name)) }
        }
        return inner
    }

    private mutating func call(
        _ name: String, _ arguments: [Syntax], _ offset: Int, _ scope: Scope
    ) throws(ExpressionError) -> any Node {
        let signature = Signature(name: name, arity: arguments.count)
        var hops = 0
        for entry in scope.entries.reversed() {
            switch entry {
            case .filter(name) where arguments.isEmpty: return ParameterNode(hops: hops)
            case .function(signature, let function):
                recursive.insert(function.index)
                return try call(function, hops: hops, arguments, scope)
            case .function: break
            default: hops += 1
            }
        }
        if let builtin = Builtin.table["\(name)/\(arguments.count)"] {
            var nodes: [any Node] = []
            for argument in arguments { nodes.append(try compile(argument, scope)) }
            switch builtin {
            case .native(let native): return NativeNode(signature.description, native, nodes)
            case .node(let make): return make(nodes)
            case .refused(let reason): throw ExpressionError(reason, offset: offset)
            }
        }
        guard let source = Prelude.sources[signature.description] else {
            throw undefined(signature, offset, scope)
        }
        return try preludeCall(signature, source, arguments, scope)
    }

    private func undefined(_ signature: Signature, _ offset: Int, _ scope: Scope) -> ExpressionError {
        var error = ExpressionError("\(signature.description) is not defined", offset: offset)
        let defined = scope.entries.compactMap { entry in
            if case .function(let signature, _) = entry { signature.description } else { String?.none }
        }
        let names = (Builtin.names + defined).map { String($0.prefix { $0 != "/" }) }
        if names.contains(signature.name) {
            let known = (Builtin.names + defined).filter { $0.hasPrefix(signature.name + "/") }
            error.hint = "there is \(known.joined(separator: ", "))"
        } else if let hint = Diagnostic.didYouMean(signature.name, among: names) {
            error.hint = hint
        } else if signature.arity == 0 {
            error.hint = "did you mean '.\(signature.name)'?"
        }
        return error
    }

    private mutating func preludeCall(
        _ signature: Signature, _ source: String, _ arguments: [Syntax], _ scope: Scope
    ) throws(ExpressionError) -> any Node {
        if let known = prelude[signature] { return try call(known, hops: nil, arguments, scope) }
        var parser = try Parser(source, stack: stack)
        let definition: Syntax.Definition
        do throws(ExpressionError) {
            definition = try parser.definition()
        } catch {
            ranOutOfStack = parser.ranOutOfStack
            throw error
        }
        guard case .function(_, let function)? = try define(definition, Scope()).entries.last else {
            return EmptyNode()
        }
        prelude[signature] = function
        return try call(function, hops: nil, arguments, scope)
    }

    private mutating func call(
        _ function: Function, hops: Int?, _ arguments: [Syntax], _ scope: Scope
    ) throws(ExpressionError) -> any Node {
        var compiled: [CallNode.Argument] = []
        for (parameter, argument) in zip(function.parameters, arguments) {
            if parameter.isValue {
                let node = try compile(argument, scope)
                compiled.append(.value(node, alsoFilter: function.filters.contains(parameter.name)))
            } else if case .call(let name, let inner, _) = argument, inner.isEmpty,
                let passed = passedFilter(name, scope)
            {
                compiled.append(.passed(hops: passed))
            } else {
                compiled.append(.filter(try compile(argument, scope)))
            }
        }
        return CallNode(function: function.index, hops: hops, arguments: compiled, isSingle: function.isSingle)
    }

    /// The number of frames out to the binding, if the name is a filter parameter of an enclosing function.
    private func passedFilter(_ name: String, _ scope: Scope) -> Int? {
        var hops = 0
        for entry in scope.entries.reversed() {
            switch entry {
            case .filter(name): return hops
            case .function(Signature(name: name, arity: 0), _): return nil
            case .function: break
            default: hops += 1
            }
        }
        return nil
    }
}

extension Compiler.Signature {
    var description: String { "\(name)/\(arity)" }
}
