extension Thenable where T: Sequence, T.Element: Sendable {
    /// Continues with the body's result for each element.
    @preconcurrency
    public func mapValues<U: Sendable>(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ transform: @escaping @Sendable (T.Element) throws -> U
    ) -> Promise<[U]> {
        map(on: queue, flags: flags, file: file, line: line) { try $0.map(transform) }
    }

    /// Continues with each element's value at a key path.
    @preconcurrency
    public func mapValues<U: Sendable>(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ keyPath: any KeyPath<T.Element, U> & Sendable
    ) -> Promise<[U]> {
        map(on: queue, flags: flags, file: file, line: line) { $0.map { $0[keyPath: keyPath] } }
    }

    /// Continues with the body's results for each element, joined in one array.
    @preconcurrency
    public func flatMapValues<U: Sequence & SendableMetatype>(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ transform: @escaping @Sendable (T.Element) throws -> U
    ) -> Promise<[U.Element]> where U.Element: Sendable {
        map(on: queue, flags: flags, file: file, line: line) { try $0.flatMap(transform) }
    }

    /// Continues with the body's result for each element, without the nils.
    @preconcurrency
    public func compactMapValues<U: Sendable>(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ transform: @escaping @Sendable (T.Element) throws -> U?
    ) -> Promise<[U]> {
        map(on: queue, flags: flags, file: file, line: line) { try $0.compactMap(transform) }
    }

    /// Continues with each element's value at a key path, without the nils.
    @preconcurrency
    public func compactMapValues<U: Sendable>(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ keyPath: any KeyPath<T.Element, U?> & Sendable
    ) -> Promise<[U]> {
        map(on: queue, flags: flags, file: file, line: line) { $0.compactMap { $0[keyPath: keyPath] } }
    }

    /// Continues with the values of the promises that the body returns for each element, in order.
    @preconcurrency
    public func thenMap<U: Thenable>(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (T.Element) throws -> U
    ) -> Promise<[U.T]> {
        then(on: queue, flags: flags, file: file, line: line) { when(fulfilled: try $0.map(body)) }
    }

    /// Continues with the values of the promises that the body returns for each element, joined in one array.
    @preconcurrency
    public func thenFlatMap<U: Thenable>(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (T.Element) throws -> U
    ) -> Promise<[U.T.Element]> where U.T: Sequence, U.T.Element: Sendable {
        thenMap(on: queue, flags: flags, file: file, line: line, body)
            .map(on: nil, file: file, line: line) { $0.flatMap { $0 } }
    }

    /// Continues with the elements that the body accepts.
    @preconcurrency
    public func filterValues(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line,
        _ isIncluded: @escaping @Sendable (T.Element) throws -> Bool
    ) -> Promise<[T.Element]> {
        map(on: queue, flags: flags, file: file, line: line) { try $0.filter(isIncluded) }
    }

    /// Continues with the elements for which a key path is true.
    @preconcurrency
    public func filterValues(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ keyPath: any KeyPath<T.Element, Bool> & Sendable
    ) -> Promise<[T.Element]> {
        map(on: queue, flags: flags, file: file, line: line) { $0.filter { $0[keyPath: keyPath] } }
    }

    /// Continues with the first element that the body accepts, or rejects with `PromiseError.emptySequence`.
    @preconcurrency
    public func firstValue(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line,
        where isWanted: @escaping @Sendable (T.Element) throws -> Bool
    ) -> Promise<T.Element> {
        map(on: queue, flags: flags, file: file, line: line) { values in
            guard let value = try values.first(where: isWanted) else { throw PromiseError.emptySequence }
            return value
        }
    }
}

extension Thenable where T: Collection, T.Element: Sendable {
    /// The first element; rejected with `PromiseError.emptySequence` if the collection is empty.
    public var firstValue: Promise<T.Element> {
        map(on: nil) { values in
            guard let value = values.first else { throw PromiseError.emptySequence }
            return value
        }
    }

    /// The last element; rejected with `PromiseError.emptySequence` if the collection is empty.
    public var lastValue: Promise<T.Element> {
        map(on: nil) { values in
            guard !values.isEmpty else { throw PromiseError.emptySequence }
            return values[values.index(values.startIndex, offsetBy: values.count - 1)]
        }
    }
}

extension Thenable where T: Sequence, T.Element: Comparable & Sendable {
    /// Continues with the elements in ascending order.
    public func sortedValues(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<[T.Element]> {
        map(on: queue, flags: flags, file: file, line: line) { $0.sorted() }
    }
}
