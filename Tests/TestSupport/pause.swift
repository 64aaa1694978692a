/// Lets others work before a test looks again whether something has happened.
///
/// To yield only would keep a processor busy, which the others on a busy machine need.
public func pause() async { try? await Task.sleep(for: .milliseconds(2)) }
