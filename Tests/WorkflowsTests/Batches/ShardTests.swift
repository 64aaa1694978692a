import Testing

@testable import Workflows

struct ShardTests {
    @Test func `an item falls to the shard that its key's hash says`() throws {
        // printf '"megan@contoso.com"' | sha256sum
        let key = ItemKey("megan@contoso.com")
        #expect(key.name == "71a430c1171159942edc")
        let first = try #require(UInt64(key.name.prefix(16), radix: 16))
        for count in [1, 2, 3, 8, 1000] {
            let takers = try (1...count).filter { try Shard($0, of: count).contains(key) }
            #expect(takers == [Int(first % UInt64(count)) + 1])
        }
    }

    @Test func `a name has all its zeros`() throws {
        let names = (0..<2000).map { ItemKey(.integer($0)).name }
        #expect(names.allSatisfy { $0.count == 20 } && Set(names).count == 2000)
        #expect(names.contains { $0.hasPrefix("0") })
        #expect(names.contains { $0.dropFirst(16).hasPrefix("0") })
    }

    @Test(arguments: [("1/1", 1, 1), ("2/8", 2, 8), ("1000000/1000000", 1_000_000, 1_000_000)])
    func `a shard is read as it is written`(text: String, index: Int, count: Int) throws {
        let shard = try Shard(text)
        #expect((shard.index, shard.count) == (index, count))
        #expect(shard.description == text)
    }

    @Test(
        arguments: [
            ("", "'' is not a shard"), ("2", "'2' is not a shard"), ("2/", "'2/' is not a shard"),
            ("/2", "'/2' is not a shard"),
            ("1/2/3", "'1/2/3' is not a shard"), ("+1/2", "'+1/2' is not a shard"), ("1 /2", "'1 /2' is not a shard"),
            ("a/b", "'a/b' is not a shard"), ("99999999999999999999/2", "'99999999999999999999/2' is not a shard"),
            ("0/2", "there is no shard 0 of 2"), ("3/2", "there is no shard 3 of 2"),
            ("1/0", "a batch has 1 to 1000000 shards, not 0"),
            ("1/1000001", "a batch has 1 to 1000000 shards, not 1000001"),
        ])
    func `another text is not a shard`(text: String, message: String) {
        let error = #expect(throws: ShardError.self) { try Shard(text) }
        #expect(error?.message == message)
    }

    private static let slurm = [
        "SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_TASK_MIN": "5",
        "SLURM_ARRAY_TASK_MAX": "8",
    ]

    @Test(
        arguments: [
            (slurm, "3/4", "Slurm"),
            (["JOB_COMPLETION_INDEX": "0", "JOB_COMPLETIONS": "5"], "1/5", "Kubernetes"),
            (["AWS_BATCH_JOB_ARRAY_INDEX": "4", "AWS_BATCH_JOB_ARRAY_SIZE": "5"], "5/5", "AWS Batch"),
            (["CLOUD_RUN_TASK_INDEX": "1", "CLOUD_RUN_TASK_COUNT": "2"], "2/2", "Cloud Run"),
            (["CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "3"], "1/3", "GitLab"),
            (["BUILDKITE_PARALLEL_JOB": "2", "BUILDKITE_PARALLEL_JOB_COUNT": "3"], "3/3", "Buildkite"),
            (["CIRCLE_NODE_INDEX": "0", "CIRCLE_NODE_TOTAL": "1"], "1/1", "CircleCI"),
            // GitLab sets this in every job, and an empty variable is none.
            (slurm.merging(["CI_NODE_TOTAL": "1", "JOB_COMPLETION_INDEX": ""]) { $1 }, "3/4", "Slurm"),
        ] as [([String: String], String, String)])
    func `an engine numbers its tasks in the environment`(
        environment: [String: String], shard: String, engine: String
    ) throws {
        let found = try Shard.find(in: environment.merging(["PATH": "/bin"]) { $1 })
        #expect(found.shard.description == shard)
        #expect(found.engine == engine)
    }

    @Test(
        arguments: [
            (
                [:],
                "no engine numbers this task: '--shard auto' knows Slurm, Kubernetes, AWS Batch, Cloud Run, GitLab, "
                    + "Buildkite and CircleCI"
            ),
            (
                ["JOB_COMPLETION_INDEX": "0", "JOB_COMPLETIONS": "2", "CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "2"],
                "several engines number this task: Kubernetes (JOB_COMPLETION_INDEX) and GitLab (CI_NODE_INDEX)"
            ),
            (["JOB_COMPLETION_INDEX": "0"], "Kubernetes sets JOB_COMPLETION_INDEX, but not JOB_COMPLETIONS"),
            (["CI_NODE_TOTAL": "1"], "GitLab sets CI_NODE_TOTAL, but not CI_NODE_INDEX"),
            (
                slurm.merging(["SLURM_ARRAY_TASK_MAX": "11"]) { $1 },
                "the Slurm array has gaps: 4 tasks from 5 to 11"
            ),
            (
                slurm.filter { $0.key != "SLURM_ARRAY_TASK_MIN" },
                "Slurm sets SLURM_ARRAY_TASK_ID, but not SLURM_ARRAY_TASK_MIN"
            ),
            (
                ["CLOUD_RUN_TASK_INDEX": "2", "CLOUD_RUN_TASK_COUNT": "2"],
                "CLOUD_RUN_TASK_INDEX is 2, but the tasks of CLOUD_RUN_TASK_COUNT 2 are 0 to 1"
            ),
            (
                ["CI_NODE_INDEX": "0", "CI_NODE_TOTAL": "2"],
                "CI_NODE_INDEX is 0, but the tasks of CI_NODE_TOTAL 2 are 1 to 2"
            ),
            (
                ["CIRCLE_NODE_INDEX": "-1", "CIRCLE_NODE_TOTAL": "2"],
                "CIRCLE_NODE_INDEX is '-1', which is not a number"
            ),
            (
                ["CIRCLE_NODE_INDEX": "0", "CIRCLE_NODE_TOTAL": "0"],
                "CIRCLE_NODE_INDEX is 0, but CIRCLE_NODE_TOTAL is 0"
            ),
        ] as [([String: String], String)])
    func `what an engine does not say is an error`(environment: [String: String], message: String) {
        let error = #expect(throws: ShardError.self) { try Shard.find(in: environment) }
        #expect(error?.message == message)
    }
}
