extension Guarantee where T: Sequence, T.Element: Sendable {
    /// Continues with the body's result for each element.
    @preconcurrency
    public func mapValues<U: Sendable>(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ transform: @escaping @Sendable (T.Element) -> U
    ) -> Guarantee<[U]> {
        map(on: queue, flags: flags, file: file, line: line) { $0.map(transform) }
    }

    /// Continues with each element's value at a key path.
    @preconcurrency
    public func mapValues<U: Sendable>(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ keyPath: any KeyPath<T.Element, U> & Sendable
    ) -> Guarantee<[U]> {
        map(on: queue, flags: flags, file: file, line: line) { $0.map { $0[keyPath: keyPath] } }
    }

    /// Continues with the body's results for each element, joined in one array.
    @preconcurrency
    public func flatMapValues<U: Sequence & SendableMetatype>(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ transform: @escaping @Sendable (T.Element) -> U
    ) -> Guarantee<[U.Element]> where U.Element: Sendable {
        map(on: queue, flags: flags, file: file, line: line) { $0.flatMap(transform) }
    }

    /// Continues with the body's result for each element, without the nils.
    @preconcurrency
    public func compactMapValues<U: Sendable>(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ transform: @escaping @Sendable (T.Element) -> U?
    ) -> Guarantee<[U]> {
        map(on: queue, flags: flags, file: file, line: line) { $0.compactMap(transform) }
    }

    /// Continues with each element's value at a key path, without the nils.
    @preconcurrency
    public func compactMapValues<U: Sendable>(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ keyPath: any KeyPath<T.Element, U?> & Sendable
    ) -> Guarantee<[U]> {
        map(on: queue, flags: flags, file: file, line: line) { $0.compactMap { $0[keyPath: keyPath] } }
    }

    /// Continues with the values of the guarantees that the body returns for each element, in order.
    @preconcurrency
    public func thenMap<U: Sendable>(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (T.Element) -> Guarantee<U>
    ) -> Guarantee<[U]> {
        then(on: queue, flags: flags, file: file, line: line) { when(guarantees: $0.map(body)) }
    }

    /// Continues with the values of the guarantees that the body returns for each element, joined in one array.
    @preconcurrency
    public func thenFlatMap<U: Sequence & Sendable>(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (T.Element) -> Guarantee<U>
    ) -> Guarantee<[U.Element]> where U.Element: Sendable {
        thenMap(on: queue, flags: flags, file: file, line: line, body)
            .map(on: nil, file: file, line: line) { $0.flatMap { $0 } }
    }

    /// Continues with the elements that the body accepts.
    @preconcurrency
    public func filterValues(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ isIncluded: @escaping @Sendable (T.Element) -> Bool
    ) -> Guarantee<[T.Element]> {
        map(on: queue, flags: flags, file: file, line: line) { $0.filter(isIncluded) }
    }

    /// Continues with the elements for which a key path is true.
    @preconcurrency
    public func filterValues(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ keyPath: any KeyPath<T.Element, Bool> & Sendable
    ) -> Guarantee<[T.Element]> {
        map(on: queue, flags: flags, file: file, line: line) { $0.filter { $0[keyPath: keyPath] } }
    }

    /// Continues with the elements, sorted by the body.
    @preconcurrency
    public func sortedValues(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line,
        _ areInIncreasingOrder: @escaping @Sendable (T.Element, T.Element) -> Bool
    ) -> Guarantee<[T.Element]> {
        map(on: queue, flags: flags, file: file, line: line) { $0.sorted(by: areInIncreasingOrder) }
    }
}

extension Guarantee where T: Sequence, T.Element: Comparable & Sendable {
    /// Continues with the elements in ascending order.
    public func sortedValues(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) -> Guarantee<[T.Element]> {
        map(on: queue, flags: flags, file: file, line: line) { $0.sorted() }
    }
}
