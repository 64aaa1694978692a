package struct BatchItem: Sendable {
    /// The name in the batch's folder and in run ids: 20 hexadecimal digits of the key's hash, then `-2`, `-3` for
    /// repeats.
    package let name: String
    /// What identifies the item: the result of the key's expression, or the item as the source writes it.
    package let key: Value
    package let input: Value
    package let line: Int
}

/// The items of a batch: a source, read as the inputs of a workflow.
package struct BatchItems: Sendable {
    package let source: ItemSource
    /// The part of the items that this machine takes; nil for all.
    package let shard: Shard?
    package let workflow: Workflow
    package let common: Object
    /// The jq expression of an item's key; nil for the whole item.
    package let key: Expression?
    package let allowsDuplicates: Bool
    let names: InputNames

    /// Creates the items; ``check()`` reads them.
    /// - Parameters:
    ///   - common: The input that all items have in common; an item's properties take precedence.
    ///   - key: The jq expression of an item's key; nil for the whole item.
    ///   - allowsDuplicates: Whether several items may have the same key.
    /// - Throws: ``ExpressionError`` if the key is not jq, and ``ReadingError`` if the common input is not an object.
    package init(
        _ source: ItemSource, for workflow: Workflow, common: Value = [:], key: String? = nil,
        allowsDuplicates: Bool = false, shard: Shard? = nil
    ) throws {
        guard case .object(let common) = common else {
            throw ReadingError(diagnostics: [
                Diagnostic(
                    id: "input",
                    "the input that all items have in common must be an object, but is "
                        + common.described, file: "--input")
            ])
        }
        self.key = try key.map { key throws(ExpressionError) in
            let expression = try Expression(bare: key)
            guard let read = expression.variableReads.first else { return expression }
            throw ExpressionError("$\(read.name) is not defined: a key can only use its item", offset: read.offset)
        }
        (self.source, self.workflow, self.common) = (source, workflow, common)
        (self.allowsDuplicates, self.shard) = (allowsDuplicates, shard)
        names = InputNames(of: workflow)
    }

    /// Reads and validates all items, including those of other shards.
    /// - Returns: The number of this shard's items and of all, the source's hash, and what may be a mistake.
    /// - Throws: ``ReadingError`` with all errors, up to a hundred findings.
    package func check() throws(ReadingError) -> Check {
        let hash = Locked(SHA256())
        var reader = try source.reader(of: self, hash: hash)
        var findings = FirstFindings()
        findings.add(reader.findings)
        var lines = ItemKey.Table()
        // Only keys with capitals, by their lower case.
        var similar = ItemKey.Table()
        var hasEmptyRow = false
        var (total, all) = (0, 0)
        while true {
            do throws(ReadingError) {
                guard let item = try reader.next() else { break }
                all += 1
                if reader.isEmptyRow, !hasEmptyRow {
                    hasEmptyRow = true
                    findings.warn { emptyRow(reader) }
                }
                _ = input(of: item, reader, &findings)
                guard let key = key(of: item, reader, &findings) else { continue }
                if shard?.contains(key) != false { total += 1 }
                if allowsDuplicates { continue }
                let earlier = lines[key.digest]
                guard earlier == 0 else {
                    findings.add { duplicate(key, of: earlier, reader) }
                    continue
                }
                lines[key.digest] = reader.line
                let small = key.inLowerCase
                let isSmall = small == key.digest
                let other = max(similar[small], isSmall ? 0 : lines[small])
                if !isSmall { similar[small] = reader.line }
                if other > 0 { findings.warn { likeness(of: key, to: other, reader) } }
            } catch {
                findings.add(error.diagnostics)
            }
        }
        guard findings.isEmpty else { throw findings.error(in: source.name) }
        return Check(
            total: total, all: all, digest: "sha256:\(hash.withLock { $0.finalize() }.hex)", warnings: findings.warnings
        )
    }

    package struct Check: Sendable {
        package let total: Int
        package let all: Int
        package let digest: String
        package let warnings: [Diagnostic]
    }

    /// Reads the items of this shard again, after ``check()``, one by one.
    package func reader() throws(ReadingError) -> Reader {
        Reader(items: self, reader: try source.reader(of: self))
    }

    package struct Reader: Sendable {
        private let items: BatchItems
        private var reader: any ItemReader
        /// The number of items of each key, if keys may repeat.
        private var counts = ItemKey.Table()
        private var findings = FirstFindings()

        fileprivate init(items: BatchItems, reader: any ItemReader) {
            (self.items, self.reader) = (items, reader)
        }

        /// The next item; nil after the last one.
        /// - Throws: ``ReadingError`` if the source cannot be read further, such as when it has changed.
        package mutating func next() throws(ReadingError) -> BatchItem? {
            while let item = try reader.next() {
                guard let key = items.key(of: item, reader, &findings), findings.isEmpty else {
                    throw findings.error(in: items.source.name)
                }
                guard items.shard?.contains(key) != false else { continue }
                var name = key.name
                if items.allowsDuplicates {
                    counts[key.digest] += 1
                    let count = counts[key.digest]
                    if count > 1 { name += "-\(count)" }
                }
                let input = items.input(of: item, reader, &findings)
                guard findings.isEmpty else { throw findings.error(in: items.source.name) }
                return BatchItem(name: name, key: key.value, input: input, line: reader.line)
            }
            return nil
        }
    }

    private func input(of item: Value, _ reader: some ItemReader, _ findings: inout FirstFindings) -> Value {
        let (own, lacks) = reader.converted(item, names, &findings)
        let input: Value
        switch own {
        case .object(let members) where !common.isEmpty:
            var joined = common
            for (name, value) in members { joined[name] = value }
            input = .object(joined)
        case .object: input = own
        default:
            guard common.isEmpty else {
                findings.add {
                    reader.diagnostic(
                        id: "input",
                        "this item is \(own.described), but only an object can be combined with '-p' and '--input'",
                        hint: nil, at: .root, part: .value)
                }
                return own
            }
            input = own
        }
        let filled = workflow.input.filled(input)
        for violation in workflow.input.schema?.compiled?.validate(filled) ?? [] where !reader.isKnown(violation) {
            var place = violation.instance
            if case .missing(let name) = violation.cause { place = place.appending(name) }
            if place.tokens.count == 1, lacks.contains(place.tokens[0]) { continue }
            findings.add {
                reader.diagnostic(
                    id: "input", violation.sentence(about: "the input"), hint: violation.hint, at: place,
                    part: violation.part)
            }
        }
        return input
    }

    private func key(of item: Value, _ reader: some ItemReader, _ findings: inout FirstFindings) -> ItemKey? {
        guard let key else { return checked(item, reader, &findings) }
        let problem: String
        do throws(ExpressionError) {
            let values = try key.evaluate(named(item, reader))
            if values.count == 1 { return checked(values[0], reader, &findings) }
            problem = values.isEmpty ? "no value for this item" : "\(values.count) values for this item"
        } catch {
            problem = "an error for this item: \(error.message)"
        }
        findings.add {
            reader.diagnostic(
                id: "key", "the key '\(PlainText.exact(key.shown, limit: 60))' gives \(problem)", hint: nil, at: .root,
                part: .value)
        }
        return nil
    }

    /// The key; nil for an address with a character that is not seen, by which one person would be two items.
    private func checked(_ key: Value, _ reader: some ItemReader, _ findings: inout FirstFindings) -> ItemKey? {
        guard let text = key.string, text.contains("@"), let reason = PlainText.invisible(in: text) else {
            return ItemKey(key)
        }
        findings.add {
            reader.diagnostic(id: "key", "the key \(reason)", hint: PlainText.visibly, at: .root, part: .value)
        }
        return nil
    }

    /// The item with its values also under the names of the properties that they are read as.
    private func named(_ item: Value, _ reader: some ItemReader) -> Value {
        guard case .object(let members) = item else { return item }
        var named = members
        for (property, value) in zip(reader.meanings(of: members, names), members.values) { named[property] = value }
        return .object(named)
    }

    private func emptyRow(_ reader: some ItemReader) -> Diagnostic {
        reader.diagnostic(
            id: "input", "this row is empty, and it is an item like any other", hint: nil, at: .root, part: .value)
    }

    private func likeness(of key: ItemKey, to line: Int, _ reader: some ItemReader) -> Diagnostic {
        let shown = PlainText.line(key.value.json(), limit: 60)
        return reader.diagnostic(
            id: "duplicate-key", "the key \(shown) differs from that on line \(line) only in upper and lower case",
            hint: nil, at: .root, part: .value)
    }

    private func duplicate(_ key: ItemKey, of line: Int, _ reader: some ItemReader) -> Diagnostic {
        let shown = PlainText.exact(key.value.json(), limit: 60)
        return reader.diagnostic(
            id: "duplicate-key", "the key \(shown) is already used on line \(line)",
            hint: reader.isEmptyRow
                ? "this row is empty: remove it"
                : self.key == nil
                    ? "remove one of the two equal items, or add '--allow-duplicates'"
                    : "give '--key' an expression that tells the items apart, or add '--allow-duplicates'",
            at: .root, part: .value)
    }
}
