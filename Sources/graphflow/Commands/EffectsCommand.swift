/// `graphflow effects`: what runs did to people and things, over all runs that are kept.
struct EffectsCommand: Command {
    static let name = "effects"
    static let onlyReads = true
    static let summary = "List what runs did: who got which mail, which files were written."
    static let examples = ["effects", "effects last", "effects --to adelev@contoso.com --since P7D --format csv"]
    static let discussion = """
        A run's journal has each effect: mails, files, links, events, changes, programs. With RUN, the effects of one
        run, batch or item are listed, otherwise those of all runs that are kept. An effect is 'done', 'undone' after
        'graphflow undo', or 'unknown' if no answer said whether it happened.
        """

    enum Format: String, CaseIterable, Sendable {
        case text
        /// One JSON object per line.
        case json
        case csv
    }

    @Operand("[RUN]", "a run", hint: "'graphflow runs' lists them", offering: .runs) private var run: String?
    @Option("to", "ADDRESS", "Only what this person got, lost or was changed by.") private var address: String?
    @Option("kind", "KIND", "Only effects of this kind:\n\(kindList).", as: .choice("kind"))
    private var kind: Effect.Kind?
    @Option(
        "since", "WHEN", "Only effects since then: 2026-11-25T08:00:00Z, or P7D for the\nlast seven days.",
        as: Conversion(moment) { text, name in
            UsageError(
                "'\(name)' needs a time, not '\(PlainText.exact(text, limit: 100))'",
                hint: "write 2026-11-25T08:00:00Z, or how long ago it was: P7D, PT1H")
        })
    private var since: Date?
    @Option("format", "FORMAT", "The format: text, json, csv.", as: .choice("format"))
    private var givenFormat: Format?

    /// The kinds, broken into three lines.
    private static var kindList: String {
        let names = Effect.Kind.allCases.map(\.rawValue)
        return [names.prefix(6), names.dropFirst(6).prefix(7), names.dropFirst(13)]
            .map { $0.joined(separator: ", ") }.joined(separator: ",\n")
    }

    private static func moment(_ text: String) -> Date? {
        Date(rfc3339: text) ?? Duration(iso8601: text).map { Date() - $0.seconds }
    }

    func run(on console: Console) async throws -> ExitStatus {
        let kept = KeptRuns.standard(environment: console.environment)
        let effects = try kept.effects(of: run, to: address) { name in
            console.complain("warning: the effects of \(name) cannot be read: 'graphflow show \(name)' says why")
        }.filter(isWanted)
        switch givenFormat ?? .text {
        case .json: for effect in effects { console.print(effect.valueWithRun.json()) }
        case .csv: console.print(Data(EffectTable(effects).text.utf8))
        case .text:
            guard !effects.isEmpty else {
                console.complain(
                    run == nil && address == nil && kind == nil && since == nil
                        ? "No run has done anything yet." : "No effect matches.")
                return .success
            }
            let style = PlanStyle(hasColour: console.outputHasColour)
            for effect in effects { console.print(painted: effect.line(style, withRun: true)) }
        }
        return .success
    }

    private func isWanted(_ accounted: AccountedEffect) -> Bool {
        if let kind, accounted.effect.kind != kind { return false }
        if let since, accounted.at < since { return false }
        guard let address = address?.lowercased() else { return true }
        // A journal has ids among its members, and names in its words.
        let (people, words) = (accounted.effect.people, accounted.effect.summary.lowercased())
        return people.contains { $0.lowercased() == address } || !people.isEmpty && words.contains("(\(address))")
    }
}

extension AccountedEffect {
    func line(_ style: PlanStyle, withRun: Bool) -> String {
        let mark = state == .unknown ? style.warning("unknown") : state.rawValue.padding(to: 7)
        var words = "\(at.formatted(.iso8601))  \(mark)  \(PlainText.escaped(summary))"
        if state == .unknown { words += ": it is unknown whether it happened" }
        guard withRun else { return words }
        return words + style.dim("  (\(PlainText.escaped(workflow)), \(run)\(isSandboxed ? ", sandbox" : ""))")
    }
}

struct EffectTable {
    private static let columns: [(name: String, value: @Sendable (AccountedEffect) -> Value?)] = [
        ("run", { .string($0.run) }), ("workflow", { .string($0.workflow) }), ("sandbox", { .bool($0.isSandboxed) }),
        ("at", { .string($0.at.iso8601) }), ("state", { .string($0.state.rawValue) }),
        ("kind", { .string($0.effect.kind.rawValue) }), ("task", { ($0.effect.task?.description).map(Value.string) }),
        ("summary", { .string($0.summary) }), ("to", { $0.effect.mail?.to ?? $0.effect.grant?.to }),
        ("cc", { $0.effect.mail?.cc }),
        ("bcc", { $0.effect.mail?.bcc }), ("subject", { $0.effect.subject }), ("path", { $0.effect.path }),
        ("item", { $0.effect.link?.item ?? $0.effect.grant?.on }),
    ]

    private let effects: [AccountedEffect]

    init(_ effects: [AccountedEffect]) { self.effects = effects }

    /// The table; lines end as RFC 4180 requires.
    var text: String {
        ([Self.columns.map(\.name)] + effects.map(cells)).map { $0.map(Self.cell).joined(separator: ",") + "\r\n" }
            .joined()
    }

    private func cells(_ accounted: AccountedEffect) -> [String] {
        Self.columns.map { column in
            switch column.value(accounted) {
            case nil, .null?: ""
            case .string(let text)?: text
            case .bool(let flag)?: flag ? "true" : "false"
            case .array(let all)?: all.map { $0.string ?? "?" }.joined(separator: "; ")
            case let other?: other.json()
            }
        }
    }

    /// A cell on one line that no spreadsheet treats as a formula and no terminal as an order.
    private static func cell(_ text: String) -> String {
        let text = PlainText.escaped(text)
        let isFormula = text.unicodeScalars.first.map { "=+-@|%＝＋－＠".unicodeScalars.contains($0) } ?? false
        let safe = isFormula ? "'" + text : text
        return safe.contains { ",\";".contains($0) }
            ? "\"" + safe.replacing("\"", with: "\"\"") + "\"" : safe
    }
}
