extension Builtin {
    static let control: [String: Builtin] = [
        "empty/0": .node { _ in EmptyNode() },
        "error/0": .node { _ in ErrorNode(IdentityNode()) },
        "error/1": .node { ErrorNode($0[0]) },
        "not/0": .native { (_: Evaluation, input: Value, _: [Value]) throws(Signal) in .bool(try !input.truth()) },
        "select/1": .node { ConditionalNode($0[0], then: IdentityNode(), else: EmptyNode()) },
        "recurse/0": .node { _ in RecurseNode(nil) },
        "recurse/1": .node { RecurseNode($0[0]) },
        "recurse/2": .node {
            RecurseNode(PipeNode($0[0], ConditionalNode($0[1], then: IdentityNode(), else: EmptyNode())))
        },
        "map/1": .node { ArrayNode(PipeNode(IterateNode(IdentityNode()), $0[0])) },
        "map_values/1": .node { ModifyNode(IterateNode(IdentityNode()), $0[0]) },
        "first/1": .node { $0[0].isSingle ? $0[0] : FirstNode($0[0]) },
        "last/1": .node { $0[0].isSingle ? $0[0] : LastNode($0[0]) },
        "isempty/1": .node { IsEmptyNode($0[0]) },
        "any/0": .node { _ in AnyNode(IterateNode(IdentityNode()), IdentityNode(), decisive: true) },
        "any/1": .node { AnyNode(IterateNode(IdentityNode()), $0[0], decisive: true) },
        "any/2": .node { AnyNode($0[0], $0[1], decisive: true) },
        "all/0": .node { _ in AnyNode(IterateNode(IdentityNode()), IdentityNode(), decisive: false) },
        "all/1": .node { AnyNode(IterateNode(IdentityNode()), $0[0], decisive: false) },
        "all/2": .node { AnyNode($0[0], $0[1], decisive: false) },
        "range/1": .node { RangeNode(ConstantNode(.integer(0)), $0[0], by: ConstantNode(.integer(1))) },
        "range/2": .node { RangeNode($0[0], $0[1], by: ConstantNode(.integer(1))) },
        "range/3": .node { RangeNode($0[0], $0[1], by: $0[2]) },
        "limit/2": .node { LimitNode($0[0], $0[1]) },
        "skip/2": .node { SkipNode($0[0], $0[1]) },
        "add/1": .node { AddNode($0[0]) },
        "debug/0": .node { _ in IdentityNode() },
        "stderr/0": .node { _ in IdentityNode() },
        "input_line_number/0": .node { _ in ConstantNode(.integer(0)) },
        "builtins/0": .native { (_: Evaluation, _: Value, _: [Value]) throws(Signal) in
            .array(Builtin.names.map { .string($0) })
        },
        "now/0": .native { (evaluation: Evaluation, _: Value, _: [Value]) throws(Signal) in
            .number(evaluation.environment.now().timeIntervalSince1970)
        },
        "have_literal_numbers/0": .node { _ in ConstantNode(true) },
        "have_decnum/0": .node { _ in ConstantNode(true) },
    ]
}
