/// Lets others work before a test looks again whether something has happened.
///
/// To yield only would keep a processor busy, which the others on a busy machine need.
public func pause() async {
    // Real time: nothing depends on how long it is.
    try? await Task.sleep(for: .milliseconds(2))
}
