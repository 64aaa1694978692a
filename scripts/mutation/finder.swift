// Finds the places of Swift files that a mutant can change, and prints each as a line of JSON. Compiled by `mutate` with
// the modules of SwiftSyntax that are part of the toolchain.
import Foundation
import SwiftOperators
import SwiftParser
import SwiftSyntax

/// A change: the bytes of an expression, and their replacement.
struct Place: Encodable {
    let file: String
    let start: Int
    let end: Int
    let line: Int
    let kind: String
    let replacement: String
}

final class Finder: SyntaxVisitor {
    private static let operators = [
        "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "===": "!==", "!==": "===",
        "&&": "||", "||": "&&", "+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "&+": "&-",
        "&-": "&+", "<<": ">>", ">>": "<<", "&": "|", "|": "&",
        "+=": "-=", "-=": "+=",
    ]
    private static let comparisons: Set<String> = ["==", "!=", "===", "!=="]
    /// Calls whose arguments do not affect what a program means.
    private static let ignoredCalls: Set<String> = [
        "assert", "assertionFailure", "fatalError", "precondition", "preconditionFailure", "reserveCapacity", "step",
    ]
    /// How much of a text is shown, or read at once, and how much room is made, is a choice that no result depends on.
    private static let ignoredArguments: Set<String> = ["limit", "minimumCapacity", "upToCount"]

    private let file: String
    private let bytes: [UInt8]
    private let lines: SourceLocationConverter
    private(set) var places: [Place] = []
    /// The result types of the functions around a place; nil for closures and for functions that return nothing.
    private var results: [TypeSyntax?] = []

    init(_ file: String) throws {
        self.file = file
        let source = try String(contentsOfFile: file, encoding: .utf8)
        bytes = Array(source.utf8)
        let tree = OperatorTable.standardOperators.foldAll(Parser.parse(source: source)) { _ in }
        lines = SourceLocationConverter(fileName: file, tree: tree)
        super.init(viewMode: .sourceAccurate)
        walk(tree)
    }

    private func add(_ kind: String, _ node: some SyntaxProtocol, _ replacement: String) {
        let start = node.positionAfterSkippingLeadingTrivia
        places.append(
            Place(
                file: file, start: start.utf8Offset, end: node.endPositionBeforeTrailingTrivia.utf8Offset,
                line: lines.location(for: start).line, kind: kind, replacement: replacement))
    }

    private func text(_ start: AbsolutePosition, _ end: AbsolutePosition) -> String {
        String(decoding: bytes[start.utf8Offset..<end.utf8Offset], as: UTF8.self)
    }

    private func negate(_ condition: ExprSyntax) {
        // Changing its operator or constant has the same effect.
        if let infix = condition.as(InfixOperatorExprSyntax.self),
            Self.comparisons.contains(infix.operator.trimmedDescription)
        {
            return
        }
        if condition.is(PrefixOperatorExprSyntax.self) || condition.is(BooleanLiteralExprSyntax.self) { return }
        add("condition", condition, "!(\(condition.trimmedDescription))")
    }

    private func replaceResult(_ value: ExprSyntax) {
        guard let result = results.last ?? nil, !value.is(NilLiteralExprSyntax.self), !value.is(IfExprSyntax.self),
            !value.is(SwitchExprSyntax.self)
        else { return }
        let text = value.trimmedDescription
        if result.is(OptionalTypeSyntax.self) {
            add("return", value, "nil")
        } else if result.is(ArrayTypeSyntax.self), text != "[]" {
            add("return", value, "[]")
        } else if result.is(DictionaryTypeSyntax.self), text != "[:]" {
            add("return", value, "[:]")
        } else if result.trimmedDescription == "Bool" {
            negate(value)
        } else if result.trimmedDescription == "String", text != "\"\"" {
            add("return", value, "\"\"")
        }
    }

    /// Enters a function with a result; a body of one expression returns that expression.
    private func enter(_ result: TypeSyntax?, _ body: CodeBlockItemListSyntax?) {
        results.append(result)
        if let body, body.count == 1, let value = body.first?.item.as(ExprSyntax.self) { replaceResult(value) }
    }

    override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        guard let sign = node.operator.as(BinaryOperatorExprSyntax.self)?.operator else { return .visitChildren }
        let isText = [node.leftOperand, node.rightOperand].contains {
            $0.is(StringLiteralExprSyntax.self) || $0.is(ArrayExprSyntax.self)
        }
        if sign.text == "+" && isText { return .visitChildren }
        let before = text(node.positionAfterSkippingLeadingTrivia, sign.positionAfterSkippingLeadingTrivia)
        let after = text(sign.endPositionBeforeTrailingTrivia, node.endPositionBeforeTrailingTrivia)
        if sign.text == "..<" || sign.text == "..." {
            // The other kind of range would have another type.
            add("operator", node, "\(before)\(sign.text)(\(after) - 1)")
        } else if let other = Self.operators[sign.text] {
            add("operator", node, before + other + after)
        }
        return .visitChildren
    }

    override func visit(_ node: PrefixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        if node.operator.text == "!" { add("operator", node, node.expression.trimmedDescription) }
        return .visitChildren
    }

    override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        guard let value = node.representedLiteralValue else { return .skipChildren }
        // A limit that is one more or less only matters if it is small.
        add("constant", node, String(value < 10 ? value + 1 : value * 2))
        if value > 0 { add("constant", node, String(value < 10 ? value - 1 : value / 2)) }
        return .skipChildren
    }

    override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        add("constant", node, node.literal.tokenKind == .keyword(.true) ? "false" : "true")
        return .skipChildren
    }

    override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
        if let condition = node.condition.as(ExprSyntax.self) { negate(condition) }
        return .visitChildren
    }

    override func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
        negate(node.condition)
        return .visitChildren
    }

    override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
        negate(node.condition)
        return .visitChildren
    }

    override func visit(_ node: RepeatStmtSyntax) -> SyntaxVisitorContinueKind {
        negate(node.condition)
        return .visitChildren
    }

    override func visit(_ node: ReturnStmtSyntax) -> SyntaxVisitorContinueKind {
        if let value = node.expression { replaceResult(value) }
        return .visitChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        // A bad hash is slow, not wrong.
        if node.name.text == "hash" { return .skipChildren }
        enter(node.signature.returnClause?.type, node.body?.statements)
        return .visitChildren
    }

    override func visitPost(_ node: FunctionDeclSyntax) {
        if node.name.text != "hash" { results.removeLast() }
    }

    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(nil, nil)
        return .visitChildren
    }

    override func visitPost(_ node: InitializerDeclSyntax) { results.removeLast() }

    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
        enter(node.signature?.returnClause?.type, node.statements)
        return .visitChildren
    }

    override func visitPost(_ node: ClosureExprSyntax) { results.removeLast() }

    override func visit(_ node: PatternBindingSyntax) -> SyntaxVisitorContinueKind {
        var body: CodeBlockItemListSyntax?
        if case .getter(let items)? = node.accessorBlock?.accessors { body = items }
        enter(node.typeAnnotation?.type, body)
        return .visitChildren
    }

    override func visitPost(_ node: PatternBindingSyntax) { results.removeLast() }

    override func visit(_ node: AccessorDeclSyntax) -> SyntaxVisitorContinueKind {
        let isGetter = node.accessorSpecifier.tokenKind == .keyword(.get)
        enter(isGetter ? results.last ?? nil : nil, isGetter ? node.body?.statements : nil)
        return .visitChildren
    }

    override func visitPost(_ node: AccessorDeclSyntax) { results.removeLast() }

    override func visit(_ node: SubscriptDeclSyntax) -> SyntaxVisitorContinueKind {
        var body: CodeBlockItemListSyntax?
        if case .getter(let items)? = node.accessorBlock?.accessors { body = items }
        enter(node.returnClause.type, body)
        return .visitChildren
    }

    override func visitPost(_ node: SubscriptDeclSyntax) { results.removeLast() }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        let name =
            node.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text
            ?? node.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text
        return Self.ignoredCalls.contains(name ?? "") ? .skipChildren : .visitChildren
    }

    override func visit(_ node: LabeledExprSyntax) -> SyntaxVisitorContinueKind {
        Self.ignoredArguments.contains(node.label?.text ?? "") ? .skipChildren : .visitChildren
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        // A named number or length of time is a choice: a test of it would only repeat it.
        let isShared = node.modifiers.contains { $0.name.tokenKind == .keyword(.static) }
        let isChosen = node.bindings.allSatisfy { binding in
            guard let value = binding.initializer?.value else { return false }
            if let call = value.as(FunctionCallExprSyntax.self) {
                return ["Duration.seconds", "Duration.milliseconds"].contains(call.calledExpression.trimmedDescription)
            }
            return value.trimmedDescription.allSatisfy { $0.isNumber || "_ <*".contains($0) }
        }
        return isShared && isChosen ? .skipChildren : .visitChildren
    }

    override func visit(_ node: IfConfigClauseSyntax) -> SyntaxVisitorContinueKind {
        // Conditional code may not be compiled in this build.
        .skipChildren
    }

    override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: EnumCaseElementSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: GenericArgumentListSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}

let encoder = JSONEncoder()
for file in CommandLine.arguments.dropFirst() {
    for place in try Finder(file).places { print(String(decoding: try encoder.encode(place), as: UTF8.self)) }
}
