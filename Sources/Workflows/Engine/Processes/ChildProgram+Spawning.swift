import Foundation

extension ChildProgram {
    /// Starts the program in a session, and so in a process group, of its own.
    ///
    /// It has no terminal: what would ask there for a password fails instead of waiting for ever. It inherits nothing but
    /// the three streams, and every signal does to it what signals do by default.
    /// - Parameters:
    ///   - input: What it reads from.
    ///   - output: What it writes to; nil for nowhere.
    ///   - error: What it writes errors to; nil for nowhere.
    /// - Returns: The number of the process, which is that of its group as well.
    func spawn(input: Descriptor?, output: Descriptor?, error: Descriptor?) throws(SystemError) -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = unsafe posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        for (number, source) in [(STDIN_FILENO, input), (STDOUT_FILENO, output), (STDERR_FILENO, error)] {
            if let source {
                unsafe posix_spawn_file_actions_adddup2(&actions, source.number, number)
            } else {
                unsafe posix_spawn_file_actions_addopen(
                    &actions, number, "/dev/null", number == STDIN_FILENO ? O_RDONLY : O_WRONLY, 0)
            }
        }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGCHLD, SIGUSR1, SIGUSR2] {
            unsafe sigaddset(&signals, signal)
        }
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        #if canImport(Darwin)
            let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_CLOEXEC_DEFAULT | 0x400
            if let folder { unsafe posix_spawn_file_actions_addchdir_np(&actions, folder) }
        #else
            // The last one is POSIX_SPAWN_SETSID, which the module of the system's library does not show.
            let flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | 0x80
            if let folder, unsafe !Self.addFolder(folder, &actions) { throw SystemError(code: ENOSYS) }
            unsafe Self.addClosing(&actions)
        #endif
        unsafe posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags))

        let texts = unsafe arguments.map { unsafe strdup($0) }
        let variables = unsafe environment.sorted { $0.key < $1.key }.map { unsafe strdup("\($0.key)=\($0.value)") }
        defer { unsafe (texts + variables).forEach { unsafe free($0) } }
        var process: pid_t = 0
        let code = unsafe posix_spawn(&process, path, &actions, &attributes, texts + [nil], variables + [nil])
        guard code == 0 else { throw SystemError(code: code) }
        return process
    }

    #if !canImport(Darwin)
        private typealias Actions = UnsafeMutablePointer<posix_spawn_file_actions_t>

        // Both functions are there since 2019 and 2021, but the module of the system's library does not show them.
        private static func addFolder(_ folder: String, _ actions: Actions) -> Bool {
            guard let function = unsafe dlsym(nil, "posix_spawn_file_actions_addchdir_np") else { return false }
            let add = unsafe unsafeBitCast(
                function, to: (@convention(c) (Actions, UnsafePointer<CChar>) -> Int32).self)
            return unsafe add(actions, folder) == 0
        }

        private static func addClosing(_ actions: Actions) {
            guard let function = unsafe dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else { return }
            let add = unsafe unsafeBitCast(function, to: (@convention(c) (Actions, Int32) -> Int32).self)
            _ = unsafe add(actions, 3)
        }
    #endif
}
