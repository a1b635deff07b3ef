internal import RxLoop
internal import RxRecords
internal import Glibc
internal import RxHost
internal import RxJSON
internal import Subprocess

extension WorkFailure {
    /// Statuses by which a program says that the same again would end the same: those of sysexits(3) for a wrong usage,
    /// wrong data, no permission and a wrong configuration, and the shells' for a command that cannot be executed or found.
    static let lastingExits: Set<Int32> = [EX_USAGE, EX_DATAERR, EX_NOPERM, EX_CONFIG, 126, 127]

    /// Why a program does not start now or ever, as long as nobody changes it, its directory or its input. All else, such
    /// as no memory, descriptors or processes to be had, or a program that is just being written, may pass.
    static let lastingStartErrors: Set<Int32> = [
        ENOENT, EACCES, ENOEXEC, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, EPERM, EINVAL, ELIBBAD, E2BIG,
    ]

    /// What a status other than success means.
    static func ended(_ status: TerminationStatus, standardError tail: String?) -> WorkFailure {
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
        }
    }

    static func notStarted(_ failure: StartFailure) -> WorkFailure {
        var facts: JSONObject = [
            "errno": .string(SystemErrorName.code(of: failure.code)), "path": .string(failure.path),
        ]
        var message = "cannot start \(failure.path): \(SystemErrorName.text(of: failure.code))"
        if let script = failure.script {
            facts["script"] = .string(script)
            message =
                "cannot start \(script), whose interpreter is \(failure.path): \(SystemErrorName.text(of: failure.code))"
        }
        return WorkFailure(message: message, facts: facts, mayPass: !lastingStartErrors.contains(failure.code))
    }

    /// For a process that was not started because nobody wants it any more.
    static let cancelledBeforeStart = WorkFailure(message: "cancelled before the process was started", mayPass: false)

    /// For a process that is still there after SIGKILL.
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

/// "SIGKILL"; "SIGRTMIN+3" for one without a name of its own.
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
    // The first real-time signal of the kernel's; glibc keeps two for itself and counts from 34.
    return names[signal] ?? (signal >= 34 ? "SIGRTMIN+\(signal - 34)" : "SIG\(signal)")
}
