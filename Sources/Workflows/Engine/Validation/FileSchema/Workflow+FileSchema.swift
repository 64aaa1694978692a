extension Workflow {
    /// The JSON Schema of workflow files: the standard's, narrowed to what graphflow runs and to a catalog's functions.
    ///
    /// An editor that is given it completes `call` and `with`, and shows what each function does. Every file that is valid
    /// against it is valid against the standard's own schema as well; what hangs on more than one place of a file, such as
    /// names that others refer to, only ``validate(with:)`` finds.
    public static func fileSchema(for catalog: Catalog = .default) -> Value {
        .object(FileSchema(catalog).root)
    }
}
