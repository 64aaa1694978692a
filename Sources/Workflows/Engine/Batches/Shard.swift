/// One of the parts into which several machines divide a batch.
///
/// Every machine reads all items and takes those whose keys belong to its shard. The shards are disjoint and complete
/// without a coordinator.
package struct Shard: Sendable, Hashable {
    /// The number of the shard, from 1.
    package let index: Int
    package let count: Int

    private static let most = 1_000_000

    package init(_ index: Int, of count: Int) throws(ShardError) {
        guard 1...Self.most ~= count else {
            throw ShardError("a batch has 1 to \(Self.most) shards, not \(count)")
        }
        guard 1...count ~= index else {
            throw ShardError(
                "there is no shard \(index) of \(count)", hint: "shards are numbered from 1: 1/\(count) is the first")
        }
        (self.index, self.count) = (index, count)
    }

    /// Reads a shard as it is written on a command line: `2/8`.
    package init(_ text: String) throws(ShardError) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let index = Self.number(parts[0]), let count = Self.number(parts[1]) else {
            throw ShardError(
                "'\(PlainText.exact(text, limit: 60))' is not a shard", hint: "write I/N, such as 2/8, or 'auto'")
        }
        try self.init(index, of: count)
    }

    package func contains(_ key: ItemKey) -> Bool { key.digest.first % UInt64(count) == UInt64(index - 1) }

    /// A number in decimal digits, without a sign.
    fileprivate static func number(_ text: some StringProtocol) -> Int? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
    }
}

extension Shard: CustomStringConvertible {
    package var description: String { "\(index)/\(count)" }
}

/// Why a shard is invalid, or none can be found.
package struct ShardError: Error, Hashable {
    /// The problem, without a full stop.
    package let message: String
    package let hint: String?

    init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }
}

extension Shard {
    /// How an engine numbers its tasks.
    private struct Engine {
        let name: String
        /// The variable with the task's number.
        let index: String
        /// The variable with the number of tasks.
        let count: String
        /// The number of the first task; nil if its variable has it.
        var first: Int? = 0
        /// What makes the engine set both variables.
        let advice: String
    }

    private static let engines = [
        Engine(
            name: "Slurm", index: "SLURM_ARRAY_TASK_ID", count: "SLURM_ARRAY_TASK_COUNT", first: nil,
            advice: "submit the job as an array: sbatch --array=1-8"),
        Engine(
            name: "Kubernetes", index: "JOB_COMPLETION_INDEX", count: "JOB_COMPLETIONS",
            advice: "give the Job 'completionMode: Indexed', and its containers the variable JOB_COMPLETIONS with the "
                + "Job's 'completions'"),
        Engine(
            name: "AWS Batch", index: "AWS_BATCH_JOB_ARRAY_INDEX", count: "AWS_BATCH_JOB_ARRAY_SIZE",
            advice: "submit the job with array properties"),
        Engine(
            name: "Cloud Run", index: "CLOUD_RUN_TASK_INDEX", count: "CLOUD_RUN_TASK_COUNT",
            advice: "run it as a job with --tasks"),
        Engine(
            name: "GitLab", index: "CI_NODE_INDEX", count: "CI_NODE_TOTAL", first: 1,
            advice: "give the job 'parallel'"),
        Engine(
            name: "Buildkite", index: "BUILDKITE_PARALLEL_JOB", count: "BUILDKITE_PARALLEL_JOB_COUNT",
            advice: "give the step 'parallelism'"),
        Engine(
            name: "CircleCI", index: "CIRCLE_NODE_INDEX", count: "CIRCLE_NODE_TOTAL",
            advice: "give the job 'parallelism'"),
    ]

    /// The shard of this task among those that an engine has started.
    /// - Parameter environment: The variables of this process; an empty one counts as absent.
    /// - Returns: The shard, and the engine's name.
    package static func find(
        in environment: [String: String]
    ) throws(ShardError) -> (shard: Shard, engine: String) {
        let environment = environment.filter { !$0.value.isEmpty }
        let found = engines.filter { environment[$0.index] != nil }
        guard found.count < 2 else {
            let names = found.map { "\($0.name) (\($0.index))" }.joined(separator: " and ")
            throw ShardError(
                "several engines number this task: \(names)", hint: "write the shard yourself: --shard I/N")
        }
        guard let engine = found.first else {
            if let other = engines.first(where: { environment[$0.count] != nil }) {
                throw ShardError(
                    "\(other.name) sets \(other.count), but not \(other.index)", hint: other.advice)
            }
            let names = engines.dropLast().map(\.name).joined(separator: ", ")
            throw ShardError(
                "no engine numbers this task: '--shard auto' knows \(names) and \(engines.last?.name ?? "")",
                hint: "write the shard yourself: --shard I/N")
        }
        return (try shard(of: engine, environment), engine.name)
    }

    private static func shard(of engine: Engine, _ environment: [String: String]) throws(ShardError) -> Shard {
        func number(_ variable: String) throws(ShardError) -> Int {
            guard let text = environment[variable] else {
                throw ShardError("\(engine.name) sets \(engine.index), but not \(variable)", hint: engine.advice)
            }
            guard let number = Self.number(text) else {
                throw ShardError("\(variable) is '\(PlainText.exact(text, limit: 60))', which is not a number")
            }
            return number
        }
        let (index, count) = (try number(engine.index), try number(engine.count))
        let first = if let first = engine.first { first } else { try firstOfArray(count, number) }
        guard count > 0 else { throw ShardError("\(engine.index) is \(index), but \(engine.count) is 0") }
        guard index >= first, index - first < count else {
            throw ShardError(
                "\(engine.index) is \(index), but the tasks of \(engine.count) \(count) are "
                    + "\(first) to \(first + count - 1)")
        }
        return try Shard(index - first + 1, of: count)
    }

    /// The number of a Slurm array's first task; arrays with gaps are refused, as no task would take their items.
    private static func firstOfArray(
        _ count: Int, _ number: (String) throws(ShardError) -> Int
    ) throws(ShardError) -> Int {
        let first = try number("SLURM_ARRAY_TASK_MIN"), last = try number("SLURM_ARRAY_TASK_MAX")
        guard first <= last, last - first == count - 1 else {
            throw ShardError(
                "the Slurm array has gaps: \(count) tasks from \(first) to \(last)",
                hint: "submit an array without gaps and steps, such as --array=1-8")
        }
        return first
    }
}
