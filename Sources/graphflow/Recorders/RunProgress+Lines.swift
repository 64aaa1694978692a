extension RunProgress {
    private static let mostChildren = 8
    /// How long a task in a long loop is in progress before it is shown, so that the display does not flicker.
    private static let patience = 0.5

    /// The tasks in progress, as a tree for a window of this size.
    ///
    /// The cost depends on the lines that are shown only.
    func lines(width: Int, height: Int, now: Date, colour: Bool) -> [String] {
        guard height > 0, count > 0 else { return [] }
        let holds = holds(at: now).prefix(max(0, height - 1))
        let (rows, hidden) = rows(upTo: height - holds.count, now: now)
        var lines = rows.map { row -> TerminalLine in
            let work = work[row.index]
            var line = TerminalLine("…", 36, Self.shown(work.name), facts(of: work, now: now))
            line.indentation = row.depth * 2
            line.share = work.total.flatMap { $0 > 0 ? Double(work.done) / Double($0) : nil }
            return line
        }
        if hidden > 0 { lines.append(TerminalLine("…", 2, "\(hidden) more running")) }
        lines += holds.map { TerminalLine("‖", 33, PlainText.line($0.reason, limit: 200) + ",", "\($0.left)") }
        return lines.map { $0.text(width: width, colour: colour) }
    }

    /// The tasks in progress on one line, for output that only grows; nil if there are none.
    func summary(now: Date) -> String? {
        let (rows, _) = rows(upTo: 20, now: now)
        // A task around others adds nothing to them, unless it counts them.
        let telling = rows.filter { row in
            let work = work[row.index]
            return [.loop, .fork, .items].contains(work.kind) || work.childCount == 0
        }
        guard !telling.isEmpty else { return nil }
        var words = telling.prefix(3).map { row in
            let work = work[row.index]
            return "\(Self.shown(work.name)) \(facts(of: work, now: now))"
        }
        if telling.count > 3 { words.append("\(telling.count - 3) more") }
        words += holds(at: now).map { "\(PlainText.line($0.reason, limit: 200)), \($0.left)" }
        return words.joined(separator: "; ")
    }

    /// The overall progress, to see whether the run advances.
    var advance: Int {
        rows(upTo: 20, now: .distantFuture).rows.reduce(0) { sum, row in
            sum &+ work[row.index].done &+ (work[row.index].uploaded?.bytes ?? 0)
        }
    }

    private func holds(at now: Date) -> [(reason: String, left: String)] {
        holds.filter { $0.value > now }.sorted { $0.key < $1.key }
            .map { ($0.key, "\(Duration.seconds($0.value.timeIntervalSince(now)).roughText) left") }
    }

    /// The tasks that fit, outer ones first, in the order of the tree.
    private func rows(upTo limit: Int, now: Date) -> (rows: [(index: Int, depth: Int)], hidden: Int) {
        var shown: [Int: [Int]] = [:]
        var waiting = [0]
        var next = 0
        var left = limit
        var isCut = false
        while next < waiting.count, left > 0 {
            let index = waiting[next]
            next += 1
            for (position, child) in children(of: index).enumerated() {
                guard position < Self.mostChildren || index == 0, left > 0 else {
                    isCut = true
                    break
                }
                if work[child].isFolded, now.timeIntervalSince(work[child].startedAt) < Self.patience { continue }
                shown[index, default: []].append(child)
                waiting.append(child)
                left -= 1
            }
        }
        if !isCut { isCut = waiting.dropFirst(next).contains { work[$0].firstChild != 0 } }
        var rows: [(index: Int, depth: Int)] = []
        var stack = (shown[0] ?? []).reversed().map { (index: $0, depth: 0) }
        while let row = stack.popLast() {
            rows.append(row)
            stack += (shown[row.index] ?? []).reversed().map { ($0, row.depth + 1) }
        }
        guard isCut, count > rows.count, limit > 1 else { return (rows, 0) }
        // The last line says how many are hidden.
        if rows.count == limit { rows.removeLast() }
        return (rows, count - rows.count)
    }

    /// The facts about a task in progress, the most important first.
    private func facts(of work: Work, now: Date) -> String {
        let length = Duration.seconds(max(0, now.timeIntervalSince(work.startedAt)))
        let pause = work.pause.flatMap { pause in
            pause.until > now ? (Duration.seconds(pause.until.timeIntervalSince(now)).roughText, pause.words) : nil
        }
        switch work.kind {
        case .loop, .fork, .items:
            var facts = ["\(work.done)/\(work.total ?? 0)"]
            if work.kind != .fork, let rate = work.pace.rate(work.done, at: now) {
                facts.append(Self.text(ofRate: rate))
                let rest = Double((work.total ?? 0) - work.done) / rate
                if rest > 0 { facts.append("\(Duration.seconds(rest).roughText) left") }
            } else {
                facts.append(length.text)
            }
            return facts.joined(separator: " · ")
        case .wait:
            guard let (left, _) = pause else { return length.text }
            return "\(left) left" + (work.length.map { " of \($0.roughText)" } ?? "")
        case .listen:
            return "waits for events, \(length.text)" + (work.done > 0 ? ", \(work.done) so far" : "")
        case .task: break
        }
        if let (left, words) = pause {
            let isHeld = holds[words].map { $0 > now } ?? false
            let what = isHeld ? "held" : work.attempt > 1 ? "attempt \(work.attempt) in \(left)" : "waits \(left)"
            return isHeld ? "\(what), \(length.text)" : "\(what): \(PlainText.line(words, limit: 200))"
        }
        var facts = [length.text]
        if work.attempt > 1 { facts.append("attempt \(work.attempt)") }
        if let (bytes, total) = work.uploaded {
            let percent = total > 0 ? bytes * 100 / total : 100
            facts.append("\(bytes.byteText) of \(total.byteText) (\(percent) %)")
        }
        return facts.joined(separator: ", ")
    }

    static func shown(_ name: String) -> String { PlainText.line(name, limit: 100) }

    static func text(ofRate rate: Double) -> String {
        func number(_ number: Double) -> String {
            number >= 10 ? String(Int(number.rounded())) : String((number * 10).rounded() / 10)
        }
        if rate >= 1 { return "\(number(rate))/s" }
        return rate * 60 >= 1 ? "\(number(rate * 60))/min" : "\(number(rate * 3_600))/h"
    }
}

extension Duration {
    /// The duration in one or two words, for remaining time: `40 s`, `3 min`, `2 h 10 min`.
    var roughText: String {
        let seconds = Int(min(seconds, 1e9).rounded(.up))
        if seconds < 60 { return "\(seconds) s" }
        let minutes = (seconds + 30) / 60
        if minutes < 60 { return "\(minutes) min" }
        if minutes < 2_880 { return minutes % 60 == 0 ? "\(minutes / 60) h" : "\(minutes / 60) h \(minutes % 60) min" }
        return "\(minutes / 1_440) d \(minutes / 60 % 24) h"
    }
}
