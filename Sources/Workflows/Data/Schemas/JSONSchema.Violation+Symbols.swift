extension JSONSchema.Violation {
    /// Whether what is found wrong is not known yet, and stands there as a symbol.
    package func isAboutSymbol(in data: Value) -> Bool { data[instance]?.holdsSymbol ?? false }
}
