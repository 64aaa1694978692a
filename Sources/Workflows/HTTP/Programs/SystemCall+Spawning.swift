extension SystemCall {
    /// Starts a program in its own session, and so in its own process group.
    ///
    /// Without a terminal, a password prompt fails instead of waiting forever. The program inherits only the three
    /// streams, and all signals have their default actions.
    /// - Parameters:
    ///   - path: The path of the executable file.
    ///   - arguments: The arguments, its own name first.
    ///   - folder: The working folder; nil for that of this process.
    ///   - input: The standard input; nil for none, likewise the two others.
    ///   - pause: Waits before a busy program file is tried again.
    /// - Returns: The id of the process and of its group.
    package static func spawn(
        _ path: String, _ arguments: [String], environment: [String: String], folder: String? = nil,
        input: Descriptor? = nil, output: Descriptor? = nil, error: Descriptor? = nil,
        pause: (_ microseconds: UInt32) -> Void = { usleep($0) }
    ) throws(SystemError) -> pid_t {
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
            // 0x80 is POSIX_SPAWN_SETSID, which the Glibc module does not export.
            let flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | 0x80
            if let folder, unsafe !addFolder(folder, &actions) { throw SystemError(code: ENOSYS) }
            unsafe addClosing(&actions)
        #endif
        unsafe posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags))

        let texts = unsafe arguments.map { unsafe strdup($0) }
        let variables = unsafe environment.sorted { $0.key < $1.key }.map { unsafe strdup("\($0.key)=\($0.value)") }
        defer { unsafe (texts + variables).forEach { unsafe free($0) } }
        var process: pid_t = 0
        func start() -> Int32 {
            unsafe posix_spawn(&process, path, &actions, &attributes, texts + [nil], variables + [nil])
        }
        var code = start()
        // A file that was just written is busy while a new process, which has not yet started its program, holds the
        // inherited descriptor.
        for wait in 1...20 where code == ETXTBSY {
            pause(UInt32(1_000 * wait))
            code = start()
        }
        guard code == 0 else { throw SystemError(code: code) }
        return process
    }

    /// Waits for a program's end, and returns its exit code, or the number of the signal that ended it.
    package static func awaitEnd(of process: pid_t) -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 && errno == EINTR {}
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : status & 0x7F
    }

    #if !canImport(Darwin)
        private typealias Actions = UnsafeMutablePointer<posix_spawn_file_actions_t>

        // Both functions exist since 2019 and 2021, but the Glibc module does not export them.
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
