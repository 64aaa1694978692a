import Foundation

/// The processes of a group, for tests that look for remaining ones.
public enum ProcessGroup {
    /// Whether any process of the group is still running; a zombie is not.
    public static func isAtWork(_ group: Int32) -> Bool {
        #if os(Linux)
            let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
            return processes.contains { process in
                guard Int32(process) != nil, let text = FileManager.default.contents(atPath: "/proc/\(process)/stat")
                else { return false }
                // After the name, which can contain anything: the state, the parent and the group.
                let fields =
                    String(decoding: text, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
                return fields.count > 2 && Int32(fields[2]) == group && fields[0] != "Z" && fields[0] != "X"
            }
        #else
            return kill(-group, 0) == 0
        #endif
    }
}
