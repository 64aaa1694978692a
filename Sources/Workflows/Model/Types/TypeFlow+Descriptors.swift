/// What the standard describes to expressions: the input and the context, the workflow, the task, the runtime, an error.
extension TypeFlow {
    static let inputSource: DataType.Source = {
        var source = DataType.Source("the input", isDeclared: true)
        source.isInput = true
        return source
    }()

    static let contextSource = DataType.Source("$context")

    /// `$workflow` and `$runtime`, which every expression of a workflow sees.
    /// - Parameter input: The workflow's input before `input.from`.
    static func descriptors(_ input: DataType) -> [String: DataType] {
        [
            "workflow": object(
                "$workflow", [("id", .text), ("definition", .anything), ("input", input), ("startedAt", moment)]),
            "runtime": object(
                "$runtime", [("name", .text), ("version", .text), ("metadata", .object([], isOpen: true))]),
        ]
    }

    static func task(_ input: DataType) -> DataType {
        object(
            "$task",
            [
                ("name", .text), ("reference", .text), ("definition", .anything), ("input", input),
                ("output", .anything), ("startedAt", moment),
            ])
    }

    private static let moment = object(
        "startedAt",
        [("iso8601", .text), ("epoch", object("epoch", [("seconds", .number), ("milliseconds", .number)]))])

    private static func object(_ name: String, _ members: [(String, DataType)]) -> DataType {
        DataType.object(members.map { DataType.Member(name: $0, type: $1, isCertain: true) })
            .from(DataType.Source(name))
    }

    /// An error as the standard has it, with the additions of the default catalog.
    static let error = DataType.object(
        ["type", "status", "title", "detail", "instance"].map {
            DataType.Member(name: $0, type: .anything, isCertain: false)
        }, isOpen: true
    ).from(DataType.Source("the error"))
}
