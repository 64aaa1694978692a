/// What takes back the effects of a run or a batch: a workflow, and its input made of their journal.
///
/// An object's effects are taken back one after the other, the last first, whichever run had them. Objects are taken back
/// at the same time, but for what others depend on: what was deleted comes back first, and what was made to hold others
/// goes last.
package struct Undo: Sendable {
    /// The run or batch.
    package let target: String
    /// Its effects, the last first.
    package let effects: [AccountedEffect]

    /// What the run kept of what it replaced and changed, with the names, by the places of the tasks.
    private let images: [String: [(name: String, image: BeforeImages.Image)]]
    /// The objects of the effects, and what was there before them.
    private var known: [Known] = []
    /// The versions that the run left of each object, the last one last.
    private var versions: [String: [String]] = [:]
    /// The numbers of the effects on objects that the run changed again later, which stays.
    private var overtaken: Set<Int> = []
    /// The effects that made objects, by the objects: what the run did to them afterwards goes with them.
    private var makers: [String: String] = [:]

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
        let isTakenBack = effects.reversed().map { $0.state != .undone && isWanted($0) }
        self.effects = zip(effects.reversed(), isTakenBack).filter(\.1).map(\.0)
        var later: [String: Set<String>] = [:]
        for (accounted, isTakenBack) in zip(effects.reversed(), isTakenBack) {
            let image = image(of: accounted)
            let object = Self.object(of: accounted.effect, image?.former)
            if isTakenBack { known.append(Known(object: object, image: image)) }
            guard let object else { continue }
            if let etag = accounted.effect.object?.etag { versions[object, default: []].append(etag) }
            let parts = accounted.effect.changedParts
            if isTakenBack {
                if !parts.isDisjoint(with: later[object] ?? []) { overtaken.insert(known.count - 1) }
                if accounted.state == .done, accounted.effect.makesObject {
                    makers[object] = accounted.effect.identity
                }
            } else if accounted.state == .done {
                later[object, default: []].formUnion(parts)
            }
        }
        versions = versions.mapValues { $0.reversed() }
    }

    /// What is known of an effect: what identifies its object, and what was there before it.
    private struct Known {
        let object: String?
        let image: (name: String, former: FormerObject)?
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

    /// The object of an effect: by its id, else by its path, which can be one of several; nil if it is not known.
    private static func object(of effect: Effect, _ former: FormerObject?) -> String? {
        let id = effect.object?.id ?? (effect.kind == .change ? former?.object["id"]?.string : nil)
        return id ?? effect.objectChange?.id.string ?? effect.object?.path
    }

    /// The effect with which the run had made what another effect changed; nil for other objects.
    private func maker(of number: Int) -> String? {
        let accounted = effects[number]
        guard accounted.state == .done, !accounted.effect.makesObject, !accounted.effect.changedParts.isEmpty else {
            return nil
        }
        return known[number].object.flatMap { makers[$0] }
    }

    /// The account whose own objects the run changed, if it is another one than this.
    package func owner(otherThan account: String) -> String? {
        let own = effects.filter { $0.effect.object?.path?.lowercased().hasPrefix("me/") ?? false }
        return own.lazy.compactMap { accounted -> String? in
            switch accounted.effect.details {
            case .file(let file), .folder(let file): file.owner.string
            case .link(let link): link.owner.string
            case .event(let event): event.organizer.string
            default: nil
            }
        }.first { $0.lowercased() != account.lowercased() }
    }

    /// The effects that certainly stay, each with the reason and what a person can do.
    package var lasting: [(effect: Effect, why: Irreversible)] {
        effects.enumerated().compactMap { number, accounted -> (effect: Effect, why: Irreversible)? in
            guard maker(of: number) == nil else { return nil }
            do throws(Irreversible) {
                if overtaken.contains(number) { throw .overtaken }
                _ = try accounted.effect.reversed(after: accounted.state, to: known[number].image?.former)
                return nil
            } catch {
                return (accounted.effect, error)
            }
        }
    }

    /// The files whose uploads may have made folders, which stay because the run did not look for them.
    package var inUnknownFolders: [Effect] {
        zip(effects, known).compactMap { accounted, known in
            let effect = accounted.effect
            let isNested = effect.kind == .file && effect.path.string?.contains("/") ?? false
            return isNested && effect.makesObject && known.image == nil ? effect : nil
        }
    }

    /// The workflow's input: the effects by their objects.
    /// - Parameters:
    ///   - isForced: Whether to take back what somebody has changed since.
    ///   - isCorrected: Whether to save a draft of a correction to the recipients of each mail.
    package func input(isForced: Bool, isCorrected: Bool) -> Value {
        let arguments = arguments
        let objects = zip(effects, known).map { ($0.effect, $1.object, $1.image?.former.missing.count ?? 0) }
        let waves = UndoneObjects(objects).waves
        return [
            "of": .string(target), "corrections": .array(isCorrected ? effects.compactMap(\.correction) : []),
            "waves": .array(
                waves.map { objects in
                    .array(
                        objects.map { numbers in
                            [
                                "first": effects[numbers[0]].effect.identity.map(Value.string) ?? .null,
                                "force": .bool(isForced),
                                "effects": .array(numbers.map { arguments[$0].value }),
                            ]
                        })
                }),
        ]
    }

    /// The effects as the function that takes them back reads them.
    var arguments: [UndoneEffect] {
        var (arguments, firsts) = ([UndoneEffect](), [String: Int]())
        /// What the run did later to the objects that it made.
        var covered: [String: Object] = [:]
        /// What was there before effects on one object, by the first of them.
        var formers: [Int: [(name: String, former: FormerObject)]] = [:]
        for (number, accounted) in effects.enumerated() {
            let (effect, object, image) = (accounted.effect, known[number].object, known[number].image)
            var argument = UndoneEffect(accounted: accounted, versions: object.flatMap { versions[$0] })
            if let maker = maker(of: number) {
                argument.maker = maker
                covered[maker] = effect.changes(with: covered[maker])
            } else if overtaken.contains(number) {
                argument.isOvertaken = true
            } else if effect.makesObject {
                argument.changes = effect.identity.flatMap { covered[$0] }.map(effect.changes)
                argument.former = image.map { [$0.name] }
            } else if let image {
                let group = "\(object ?? effect.identity ?? "") \(effect.kind.rawValue)"
                if let first = firsts[group] {
                    // Set back together, to what was there before the first of them.
                    let later = arguments[first].changes ?? effects[first].effect.objectChange?.properties
                    arguments[first].changes = effect.changes(with: later)
                    formers[first]?.append(image)
                    argument.with = effects[first].effect.identity
                } else {
                    (firsts[group], formers[number]) = (number, [image])
                }
            }
            arguments.append(argument)
        }
        for (number, images) in formers {
            let own = Set(arguments[number].versions ?? [])
            let changes = images.count > 1 ? arguments[number].changes ?? [:] : [:]
            // Effects at the same time happened in any order: what one of them left was not there before the first.
            let isLater = images.map { $0.former.isLeft(by: changes, versions: own) }
            let order = images.indices.filter { isLater[$0] } + images.indices.filter { !isLater[$0] }
            // The input is kept as it is: what is sealed stays where it is.
            arguments[number].former = order.map { images[$0].name }
        }
        return arguments
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
          - waves:
              for: { each: wave, in: '${ $workflow.input.waves }' }
              do:
                - objects:
                    call: forEach
                    with:
                      in: ${ $wave }
                      key: .first
                      concurrency: 50
                      do:
                        - undo:
                            call: takeBack
                            with: { effects: '${ $workflow.input.effects }', force: '${ $workflow.input.force }' }
                    output:
                      as: >-
                        ${ { undone: (($input.undone // 0) + ([.completed[].output.undone | length] | add // 0)),
                        left: (($input.left // []) + [.completed[].output.left[]]) } }
          - result:
              set: { undone: '${ .undone // 0 }', left: '${ .left // [] }' }
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
    /// The effects that were taken back, as an event of a run says, with the versions that this left of their objects.
    package static func undone(in event: Event) -> [String: String?] {
        guard case .taskCompleted(let task, let output, _, _) = event.kind, task.tokens.last == name else { return [:] }
        let identities = (output["undone"]?.array ?? []).compactMap(\.string)
        return Dictionary(identities.map { ($0, output["versions"]?[$0]?.string) }, uniquingKeysWith: { $1 })
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
