/// Both values together: another name for `when(fulfilled:_:)`.
public func zip<A: Thenable, B: Thenable>(
    _ a: A, _ b: B, file: StaticString = #fileID, line: UInt = #line
) -> Promise<(A.T, B.T)> {
    when(fulfilled: a, b, file: file, line: line)
}

/// All three values together: another name for `when(fulfilled:_:_:)`.
public func zip<A: Thenable, B: Thenable, C: Thenable>(
    _ a: A, _ b: B, _ c: C, file: StaticString = #fileID, line: UInt = #line
) -> Promise<(A.T, B.T, C.T)> {
    when(fulfilled: a, b, c, file: file, line: line)
}
