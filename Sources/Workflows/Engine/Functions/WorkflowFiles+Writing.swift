import Essentials

extension WorkflowFiles {
    /// Writes a file, in place of one that is there; it appears only when it is complete.
    ///
    /// Only its owner can read it. A hidden file is refused, because programs obey some of them.
    /// - Parameter path: The file's path, relative to the workflow's folder; the folder that it is in must exist.
    func write(_ blob: Blob, to path: String) throws(FunctionError) {
        // A plan writes nothing.
        if watch?.isNoting ?? false { return }
        let file = try checkWritable(path)
        let folder = PrivateFolder(path: file.deletingLastPathComponent().path(percentEncoded: false))
        do throws(SystemError) {
            try folder.replace(file.lastPathComponent) { file throws(SystemError) in try blob.write(to: file) }
            try folder.synchronize()
        } catch {
            throw FunctionError("The file '\(PlainText.line(path, limit: 200))' cannot be written: \(error)")
        }
    }
}
