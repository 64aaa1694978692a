/// What takes back the effects of a run or a batch: a workflow, and its input made of their journal.
package struct Undo: Sendable {
    /// The run or batch.
    package let target: String
    /// Its effects, the last first.
    package let effects: [AccountedEffect]

    /// The versions that the run left of the objects at these paths.
    private let versions: [String: String]
    /// What the run kept of what it replaced and changed, with the names, by the places of the tasks.
    private let images: [String: [(name: String, image: BeforeImages.Image)]]
    /// The numbers of the effects on objects that the run changed again later, which stays.
    private let overtaken: Set<Int>
    /// The paths of the objects that the run made: what it did to them afterwards goes with them.
    private let made: Set<String>

    /// - Parameters:
    ///   - target: The run or batch.
    ///   - effects: The effects in the order in which they happened.
    ///   - images: What the run kept of what it replaced and changed.
    ///   - isWanted: Which of them are taken back.
    package init(
        _ target: String, _ effects: [AccountedEffect], _ images: [String: BeforeImages.Image],
        where isWanted: (AccountedEffect) -> Bool
    ) {
        self.target = target
        self.images = Dictionary(grouping: images.map { (name: $0.key, image: $0.value) }) { each in
            Self.place(each.image.inner, each.image.task, each.image.rounds)
        }
        self.effects = effects.reversed().filter { $0.state != .undone && isWanted($0) }
        versions = effects.reduce(into: [:]) { versions, accounted in
            guard let object = accounted.effect.object, let path = object.path, let etag = object.etag else { return }
            versions[path] = etag
        }
        var (later, overtaken, number) = (Set<String>(), Set<Int>(), 0)
        for accounted in effects.reversed() {
            let object = Self.object(of: accounted)
            if accounted.state != .undone, isWanted(accounted) {
                if let object, later.contains(object) { overtaken.insert(number) }
                number += 1
            } else if accounted.state == .done, let object {
                later.insert(object)
            }
        }
        self.overtaken = overtaken
        made = Set(effects.filter { $0.state == .done && $0.effect.makesObject }.compactMap { $0.effect.object?.path })
    }

    /// What an effect replaced or changed: the newest image that was taken of its object by its task.
    private func image(of accounted: AccountedEffect) -> (name: String, former: FormerObject)? {
        let effect = accounted.effect
        let place = effect.task.map { Self.place(accounted.inner, $0, Effect.withoutAttempts(effect.rounds)) }
        let found = (place.flatMap { images[$0] } ?? []).filter { _, image in
            image.at <= accounted.at && image.former.isObject(of: effect)
        }
        return found.max { ($0.image.at, $0.name) < ($1.image.at, $1.name) }.map { ($0.name, $0.image.former) }
    }

    private static func place(_ run: String, _ task: JSONPointer, _ rounds: String) -> String {
        "\(run) \(task) \(rounds)"
    }

    /// What identifies the effects that set the same back; nil for other kinds.
    private static func object(of accounted: AccountedEffect) -> String? {
        let effect = accounted.effect
        guard effect.kind == .change || effect.kind == .file, let path = effect.object?.path else { return nil }
        return "\(accounted.run) \(effect.kind.rawValue) \(path)"
    }

    /// The effects that are set back together, because they changed one object.
    private struct Group {
        /// The last effect, with the properties of all.
        var effect: Effect
        /// What was there before each, the newest first.
        var images: [String]
    }

    /// The groups by the numbers of their last effects, and these numbers by those of the others.
    private var groups: (all: [Int: Group], lasts: [Int: Int]) {
        var (groups, lasts) = ([Int: Group](), [Int: Int]())
        var firsts: [String: Int] = [:]
        for (number, accounted) in effects.enumerated() where !isCovered(accounted) && !overtaken.contains(number) {
            guard let image = image(of: accounted) else { continue }
            let effect = accounted.effect
            let object = Self.object(of: accounted) ?? "\(number)"
            guard let last = firsts[object], var group = groups[last] else {
                firsts[object] = number
                groups[number] = Group(effect: effect, images: [image.name])
                continue
            }
            group.images.append(image.name)
            if effect.kind == .change {
                var properties = effect["properties"].object ?? [:]
                for (name, value) in group.effect["properties"].object ?? [:] { properties[name] = value }
                group.effect = group.effect.with("properties", .object(properties))
            }
            (groups[last], lasts[number]) = (group, last)
        }
        return (groups, lasts)
    }

    /// Whether the effect changed what the run had made itself.
    private func isCovered(_ accounted: AccountedEffect) -> Bool {
        let effect = accounted.effect
        guard accounted.state == .done, effect.kind == .change || effect.kind == .file && effect["replaces"] == true
        else { return false }
        return effect.object?.path.map(made.contains) ?? false
    }

    /// The account whose own objects the run changed, if it is another one than this.
    package func owner(otherThan account: String) -> String? {
        let own = effects.filter { $0.effect.object?.path?.lowercased().hasPrefix("me/") ?? false }
        return own.lazy.compactMap { $0.effect["owner"].string ?? $0.effect["organizer"].string }
            .first { $0.lowercased() != account.lowercased() }
    }

    /// The effects that certainly stay, each with the reason and what a person can do.
    package var lasting: [(effect: Effect, why: Irreversible)] {
        effects.enumerated().compactMap { number, accounted -> (effect: Effect, why: Irreversible)? in
            guard !isCovered(accounted) else { return nil }
            do throws(Irreversible) {
                if overtaken.contains(number) { throw .overtaken }
                _ = try accounted.effect.reversed(after: accounted.state, to: image(of: accounted)?.former)
                return nil
            } catch {
                return (accounted.effect, error)
            }
        }
    }

    /// The workflow's input: the effects by the run that had them.
    /// - Parameters:
    ///   - isForced: Whether to take back what somebody has changed since.
    ///   - isCorrected: Whether to save a draft of a correction to the recipients of each mail.
    package func input(isForced: Bool, isCorrected: Bool) -> Value {
        var runs: [String: [Value]] = [:]
        var order: [String] = []
        for (accounted, argument) in zip(effects, arguments) {
            if runs[accounted.run] == nil { order.append(accounted.run) }
            runs[accounted.run, default: []].append(argument)
        }
        return [
            "of": .string(target), "corrections": .array(isCorrected ? effects.compactMap(\.correction) : []),
            "runs": .array(
                order.map { run -> Value in
                    ["run": .string(run), "force": .bool(isForced), "effects": .array(runs[run] ?? [])]
                }),
        ]
    }

    /// The effects as the function that takes them back reads them.
    var arguments: [Value] {
        let groups = groups
        return effects.enumerated().map { number, accounted in
            var effect = accounted.value
            effect["number"] = .integer(number)
            if isCovered(accounted) { effect["covered"] = true }
            // The input is kept as it is: what is sealed stays where it is.
            if let group = groups.all[number] {
                effect["former"] = .array(group.images.map(Value.string))
                if group.effect != accounted.effect { effect["changes"] = group.effect["properties"] }
            }
            if overtaken.contains(number) { effect["overtaken"] = true }
            effect["with"] = groups.lasts[number].map { .integer($0) }
            // A later effect of the run may have changed the object again.
            effect["version"] = accounted.effect.object?.path.flatMap { versions[$0] }.map(Value.string)
            return .object(effect)
        }
    }

    /// What the run kept that a run with this input takes back.
    package static func images(
        for input: Value, in kept: KeptRuns
    ) throws -> [String: BeforeImages.Image] {
        guard let target = input["of"]?.string else { return [:] }
        return try BeforeImages(of: target, in: try kept.folder(of: target)).all(at: Date())
    }

    /// Whether a run takes back the effects of another one.
    package static func isUndo(_ workflow: Workflow.Metadata) -> Bool {
        workflow.namespace == namespace && workflow.name == name
    }

    /// The workflow that takes effects back.
    package static func workflow() throws -> Workflow { try Workflow(text: text, name: "\(name).yaml") }

    static let (namespace, name) = ("graphflow", "undo")

    private static let text = #"""
        document:
          dsl: '1.0.3'
          namespace: graphflow
          name: undo
          version: '1.0.0'
          title: Takes back what a run did
        do:
          - corrections:
              for: { each: mail, in: '${ $workflow.input.corrections }' }
              do:
                - draft:
                    call: graph
                    with: { method: POST, path: '${ $mail.path }', body: '${ $mail.message }' }
          - runs:
              call: forEach
              with:
                in: ${ $workflow.input.runs }
                key: .run
                concurrency: 50
                do:
                  - undo:
                      call: takeBack
                      with: { effects: '${ $workflow.input.effects }', force: '${ $workflow.input.force }' }
              output:
                as: >-
                  ${ { undone: ([.completed[].output.undone | length] | add // 0),
                  left: [.completed[].output.left[]] } }
        """#
}

extension Runner {
    /// The runner with the function that the workflow calls, which no other workflow has.
    /// - Parameter images: What the run kept that is undone.
    package func undoing(_ images: [String: BeforeImages.Image]) -> Runner {
        var runner = self
        runner.catalog.register(.takeBack(images.mapValues(\.former)))
        return runner
    }
}

extension Undo {
    /// The numbers of the effects that were taken back, as an event of a run says.
    package static func numbers(in event: Event) -> [Int] {
        guard case .taskCompleted(let task, let output, _, _) = event.kind, task.tokens.last == name else { return [] }
        return (output["undone"]?.array ?? []).compactMap(\.integer)
    }
}

extension [Event] {
    /// Whether another run took back something that this one did, rather than it itself.
    var wereUndone: Bool {
        // Events of before have the same name for both.
        let isOwn = contains { event in
            if case .decided(_, what: Run.undoDecision, value: _) = event.kind { true } else { false }
        }
        return contains { event in
            guard case .request(_, let request) = event.kind, case .effect(_, .undone) = request.kind else {
                return false
            }
            return request.operation == Function.takeBackName || !isOwn
        }
    }
}

extension AccountedEffect {
    /// A draft of a correction to the recipients of a mail, with the path of its mailbox; nil for other effects.
    fileprivate var correction: Value? {
        guard effect.kind == .mail, effect["sent"] != false, state != .undone else { return nil }
        func recipients(_ name: String) -> Value {
            .array((effect[name].array ?? []).map { ["emailAddress": ["address": $0]] })
        }
        let mailbox = effect["from"].string.map { "/users/\($0.percentEncoded(keeping: "@"))" } ?? "/me"
        return [
            "path": .string("\(mailbox)/messages"),
            "message": [
                "subject": .string("Correction: \(effect["subject"].string ?? "")"),
                "toRecipients": recipients("to"), "ccRecipients": recipients("cc"),
                "bccRecipients": recipients("bcc"),
                "body": ["contentType": "text", "content": ""],
            ],
        ]
    }
}

extension Effect {
    /// Whether it made the object at its path.
    fileprivate var makesObject: Bool {
        switch kind {
        case .file: self["replaces"] == false
        case .folder, .event, .create: true
        case .mail: self["sent"] == false
        default: false
        }
    }
}
