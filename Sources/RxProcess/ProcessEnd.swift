internal import RxLoop
internal import RxPlatform
internal import RxRecords
internal import Glibc
internal import RxHost
internal import RxJSON

extension WorkFailure {
    /// Exit statuses that announce the same result for another attempt: those of sysexits(3) for wrong usage, wrong
    /// data, missing permission, and wrong configuration, and the shells' for a command that cannot be executed or
    /// found.
    static let lastingExits: Set<Int32> = [EX_USAGE, EX_DATAERR, EX_NOPERM, EX_CONFIG, 126, 127]

    /// Start errors that persist until someone changes the program, its directory, or the input. All others, such as a
    /// lack of memory, descriptors, or processes, or a program that is being written, may pass.
    static let lastingStartErrors: Set<Int32> = [
        ENOENT, EACCES, ENOEXEC, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, EPERM, EINVAL, ELIBBAD, E2BIG,
    ]

    /// The failure that an unsuccessful status means.
    static func ended(_ status: ProcessStatus, standardError tail: String?) -> WorkFailure {
        switch status {
        case .exited(let code):
            WorkFailure(
                message: "the process exited with \(code)", facts: ["exit": .number(JSONNumber(Int(code)))],
                mayPass: !lastingExits.contains(code)
            ).adding(standardError: tail)
        case .signaled(let signal):
            WorkFailure(
                message: "the process was killed by \(signalName(signal))",
                facts: [
                    "signal": .number(JSONNumber(Int(signal))), "signalName": .string(signalName(signal)),
                ]
            ).adding(standardError: tail)
        case .unknown(let code):
            WorkFailure(
                message: "the process has ended, but its status is unknown: \(SystemErrorName.text(of: code))",
                facts: ["errno": .string(SystemErrorName.code(of: code))]
            ).adding(standardError: tail)
        }
    }

    static func notStarted(_ failure: StartFailure) -> WorkFailure {
        var facts: JSONObject = [
            "errno": .string(SystemErrorName.code(of: failure.code)), "path": .string(failure.path),
        ]
        var message = "cannot start \(failure.path): \(SystemErrorName.text(of: failure.code))"
        if failure.isDirectory {
            message = "cannot use the working directory \(failure.path): \(SystemErrorName.text(of: failure.code))"
        }
        if let script = failure.script {
            facts["script"] = .string(script)
            message =
                "cannot start \(script), whose interpreter is "
                + "\(failure.path): \(SystemErrorName.text(of: failure.code))"
        }
        return WorkFailure(message: message, facts: facts, mayPass: !lastingStartErrors.contains(failure.code))
    }

    /// The failure of a process for which a part of its input cannot be put into a file.
    static func notWritten(_ error: InputFileError) -> WorkFailure {
        WorkFailure(
            message: "cannot write a part of the input to \(error.path): \(SystemErrorName.text(of: error.code))",
            facts: ["errno": .string(SystemErrorName.code(of: error.code)), "path": .string(error.path)])
    }

    /// The failure of a process that was canceled before its start.
    static let cancelledBeforeStart = WorkFailure(message: "canceled before the process was started", mayPass: false)

    /// The failure of a process whose end or output the event loop cannot watch.
    static func unwatchable(_ error: SystemCallError) -> WorkFailure {
        WorkFailure(message: "cannot watch the process: \(error)")
    }

    /// The failure of a process that survives SIGKILL.
    static func leftBehind(_ pid: pid_t) -> WorkFailure {
        WorkFailure(
            message: "the process \(pid) cannot be ended and was left behind",
            facts: ["pid": .number(JSONNumber(Int(pid)))], mayPass: false)
    }

    func adding(standardError tail: String?) -> WorkFailure {
        guard let tail else { return self }
        var facts = facts
        facts["stderr"] = .string(tail)
        return WorkFailure(message: message, facts: facts, mayPass: mayPass)
    }
}

/// The signal's name: "SIGKILL", or "SIGRTMIN+3" for one without its own name.
func signalName(_ signal: Int32) -> String {
    let names: [Int32: String] = [
        SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP",
        SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGKILL: "SIGKILL", SIGUSR1: "SIGUSR1",
        SIGSEGV: "SIGSEGV", SIGUSR2: "SIGUSR2", SIGPIPE: "SIGPIPE", SIGALRM: "SIGALRM", SIGTERM: "SIGTERM",
        SIGSTKFLT: "SIGSTKFLT", SIGCHLD: "SIGCHLD", SIGCONT: "SIGCONT", SIGSTOP: "SIGSTOP", SIGTSTP: "SIGTSTP",
        SIGTTIN: "SIGTTIN", SIGTTOU: "SIGTTOU", SIGURG: "SIGURG", SIGXCPU: "SIGXCPU", SIGXFSZ: "SIGXFSZ",
        SIGVTALRM: "SIGVTALRM", SIGPROF: "SIGPROF", SIGWINCH: "SIGWINCH", SIGPOLL: "SIGPOLL", SIGPWR: "SIGPWR",
        SIGSYS: "SIGSYS",
    ]
    // The kernel's first real-time signal is 32; glibc reserves two and counts from 34.
    return names[signal] ?? (signal >= 34 ? "SIGRTMIN+\(signal - 34)" : "SIG\(signal)")
}
