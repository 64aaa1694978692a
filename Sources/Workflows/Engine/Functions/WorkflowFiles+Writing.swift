extension WorkflowFiles {
    /// Writes or replaces a file; it appears only when it is complete.
    ///
    /// Only its owner can read it. Hidden files are refused, because some of them configure programs.
    /// - Parameter path: The file's path, relative to the workflow's folder; the file's own folder must exist.
    func write(_ blob: Blob, to path: String) throws(FunctionError) {
        // A plan and a rehearsal write nothing.
        if isReadOnly || watch?.isNoting == true { return }
        let file = try checkWritable(path)
        let folder = PrivateFolder(path: file.deletingLastPathComponent().path(percentEncoded: false))
        do throws(SystemError) {
            try folder.replace(file.lastPathComponent) { file throws(SystemError) in try blob.write(to: file) }
            try folder.synchronize()
        } catch {
            throw FunctionError("The file '\(PlainText.exact(path, limit: 200))' cannot be written: \(error)")
        }
    }
}
