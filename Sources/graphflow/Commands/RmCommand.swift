/// `graphflow rm`: removes runs and batches, and what they left.
struct RmCommand: Command {
    static let name = "rm"
    static let summary = "Remove runs and batches, and everything that they left."
    static let examples = ["rm 01JCV3", "rm --older-than 30d"]
    static let discussion = """
        Runs are removed without confirmation. A run in progress is never removed. '--keep' and '--older-than' spare
        runs that have not ended; name such a run to remove it. They also spare batches that were started with '--name':
        as long as the ledger of such a batch exists, starting the batch again sends no mail a second time.
        """

    @Operand("[RUN…]", offering: .runs) private var runs: [String]
    @Option(
        "keep", "N", "Remove all runs that have ended, except the newest N\nand as many batches.", as: .count(from: 0))
    private var keep: Int?
    @Option(
        "older-than", "AGE", "Remove runs that ended longer ago than this: 30d, 12h, 90m.",
        as: Conversion(seconds) { text, name in
            UsageError(
                "'\(name)' needs a number with a unit, not '\(text)'",
                hint: "the units are s, m, h, d and w: \(name) 30d")
        })
    private var age: Double?

    func validate() throws(UsageError) {
        let ways = [!runs.isEmpty, keep != nil, age != nil].count { $0 }
        guard ways == 1 else {
            throw UsageError(
                ways == 0
                    ? "'graphflow rm' needs the names of runs"
                    : "'graphflow rm' takes names, '--keep' or '--older-than', but not more than one of them",
                hint: ways == 0
                    ? "'graphflow runs' lists them; 'graphflow rm --keep 100' removes all but the newest" : nil)
        }
    }

    func run(on console: Console) async throws -> ExitStatus {
        let kept = KeptRuns.standard(environment: console.environment)
        if let keep {
            report(try kept.prune(keeping: keep), console)
            return .success
        }
        if let age {
            report(try kept.prune(endedBefore: Date(timeIntervalSinceNow: -age)), console)
            return .success
        }
        let found = try runs.map { try kept.place(of: $0) }
        if let item = found.first(where: { $0.item != nil }) {
            throw UsageError(
                "\(item.item ?? "") is an item of a batch, which is removed as a whole",
                hint: "graphflow rm \(item.name)")
        }
        var status = ExitStatus.success
        var removed: Set<String> = []
        for place in found where removed.insert(place.name).inserted {
            do {
                try place.folder.remove(place.name)
            } catch {
                status = console.report(error)
            }
        }
        return status
    }

    private func report(_ removed: [String], _ console: Console) {
        console.complain(removed.count == 1 ? "removed 1 run" : "removed \(removed.count) runs")
    }

    private static func seconds(_ text: String) -> Double? {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]
        guard let unit = text.last.flatMap({ units[$0] }), let number = Int(text.dropLast()), number >= 0 else {
            return nil
        }
        return Double(number) * unit
    }
}
