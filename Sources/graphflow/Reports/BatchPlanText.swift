/// The plan of a batch in words: the plan of its first item, the differences of the others, and a summary.
struct BatchPlanText {
    /// How many items, addresses and files are listed.
    private static let mostListed = 10

    private let plan: PlannedBatch
    private let showsRequests: Bool
    private let style: PlanStyle

    init(_ plan: PlannedBatch, showsRequests: Bool = false, hasColour: Bool = false) {
        self.plan = plan
        self.showsRequests = showsRequests
        style = PlanStyle(hasColour: hasColour)
    }

    /// The whole text, without a final line break.
    var text: String {
        let view = PlanView(plan)
        let text = PlanText(view: view, style: style)
        let title = style.bold("Dry run of \(view.title)")
        var paragraphs = ["\(title) of \(Self.line(plan.items.source.name)): \(view.origin).", text.effects]
        if showsRequests, let shape = plan.shape {
            let key = plan.planned.first { $0.error == nil }.map { Self.line($0.key.json()) } ?? ""
            paragraphs.append("\(style.bold("The first item")), \(key), would send this:")
            paragraphs.append(PlanTaskLines(shape, style).text)
        }
        paragraphs.append(section("The items", plan.planned, of: "items") { words(of: $0) })
        paragraphs += [faults, repetitions, text.permissions, requests, time, text.completeness].compactMap(\.self)
        return paragraphs.joined(separator: "\n\n")
    }

    private func words(of item: PlannedItem) -> String {
        var words = item.effects.prefix(3).map { Self.line($0.summary) }
        if item.effects.count > words.count { words.append("\(item.effects.count - words.count) more") }
        if let error = item.error { words.append("faults: \(Self.words(of: error))") }
        words.append(Self.counted(item.requests.values.reduce(0, +), "request"))
        return "\(style.strong(Self.line(item.key.json()))): \(words.joined(separator: "; "))"
    }

    private var faults: String? {
        guard !plan.failing.isEmpty else { return nil }
        return section(style.warning("Items that would fault"), plan.failing, of: "items") { item in
            "line \(item.line), \(Self.line(item.key.json())): \(item.error.map { Self.words(of: $0) } ?? "")"
        }
    }

    private var repetitions: String? {
        let mails = plan.summary.repeatedRecipients, files = plan.summary.repeatedPaths
        var paragraphs: [String] = []
        if !mails.isEmpty {
            paragraphs.append(
                section(style.warning("Addresses that would get several mails"), mails, of: "addresses") {
                    "\(Self.line($0.name)): \($0.count) mails"
                })
        }
        if !files.isEmpty {
            paragraphs.append(
                section(style.warning("Files that several items would write"), files, of: "files") {
                    "\(Self.line($0.name)): \($0.count) times"
                })
        }
        return paragraphs.isEmpty ? nil : paragraphs.joined(separator: "\n\n")
    }

    private var requests: String {
        let counts = plan.summary.requests.sorted { $0.key < $1.key }.map { "\($0.value) \(Self.line($0.key))" }
        return "\(style.bold("Requests of all items")): \(counts.isEmpty ? "none" : counts.joined(separator: ", "))"
    }

    private var time: String? {
        let uses = plan.summary.limits.uses
        guard let longest = uses.first else { return nil }
        let rows = uses.map { use in
            "  \(Self.line(use.service)): \(use.count) at \(use.limit), \(Self.words(use.time))"
        }
        let limits = ([style.bold("Time at the rate that the service allows") + ": \(Self.words(longest.time))"] + rows)
        return limits.joined(separator: "\n")
    }

    /// The first entries of a list, and how many there are.
    private func section<Thing>(
        _ title: String, _ things: [Thing], of what: String, _ words: (Thing) -> String
    ) -> String {
        var lines = ["\(title): \(things.count)"] + things.prefix(Self.mostListed).map { "  \(words($0))" }
        if things.count > Self.mostListed {
            lines.append("  … and \(things.count - Self.mostListed) more \(what): '--format json' has all of them")
        }
        return lines.joined(separator: "\n")
    }

    private static func line(_ text: String) -> String { PlainText.exact(text, limit: 160) }

    private static func words(of error: WorkflowError) -> String {
        line(error.reason)
    }

    private static func counted(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }

    /// A time, rounded up to seconds.
    private static func words(_ time: Duration) -> String {
        Duration.seconds(Int(time.seconds.rounded(.up))).words
    }
}
