/// The time up to which each schedule was followed, so that missed times are known.
struct FollowedTimes: Sendable {
    private let folder: PrivateFolder

    init(home: URL) {
        folder = PrivateFolder(path: home.appendingPathComponent("schedules").path(percentEncoded: false))
    }

    func last(of workflow: String) -> Date? {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path(of: workflow))) else { return nil }
        return (try? Value(json: data))?["last"]?.string.flatMap { Date(iso8601: $0) }
    }

    func record(_ time: Date, of workflow: String) throws {
        // Late runs begin in any order.
        if let last = last(of: workflow), last >= time { return }
        try folder.makeWithParents()
        let content: Value = ["workflow": .string(workflow), "last": .string(time.iso8601)]
        try PrivateFile(path: path(of: workflow)).write(content.jsonData())
    }

    private func path(of workflow: String) -> String {
        folder.path(of: SHA256.hex(of: Data(workflow.utf8)).prefix(32) + ".json")
    }
}
