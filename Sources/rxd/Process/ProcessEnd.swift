internal import Glibc
internal import RxHost
internal import RxJSON
internal import Subprocess

extension WorkFailure {
    /// What a status other than success means.
    static func ended(_ status: TerminationStatus, standardError tail: String?) -> WorkFailure {
        switch status {
        case .exited(let code):
            WorkFailure(
                message: "the process exited with \(code)", facts: ["exit": .number(JSONNumber(Int(code)))]
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
        var facts: JSONObject = ["errno": .string(errnoName(failure.code)), "path": .string(failure.path)]
        var message = "cannot start \(failure.path): \(errnoText(failure.code))"
        if let script = failure.script {
            facts["script"] = .string(script)
            message = "cannot start \(script), whose interpreter is \(failure.path): \(errnoText(failure.code))"
        }
        return WorkFailure(message: message, facts: facts)
    }

    func adding(standardError tail: String?) -> WorkFailure {
        guard let tail else { return self }
        var facts = facts
        facts["stderr"] = .string(tail)
        return WorkFailure(message: message, facts: facts)
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
