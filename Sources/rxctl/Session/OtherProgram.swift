internal import Glibc
internal import RxClient
internal import RxJSON
internal import RxPlatform

/// Commands that another program carries out.
enum OtherProgram {
    /// Replaces this process with rxd, which is installed beside rxctl, or else is in `PATH`.
    ///
    /// - Parameters:
    ///   - directory: what it works in, if `given` is nil.
    ///   - given: the path of the directory that an argument of the command names.
    static func becomeDaemon(
        _ arguments: [String], in directory: DaemonDirectory, _ given: String?, _ options: GlobalOptions
    ) throws(Ending) {
        let arguments = try arguments + (given == nil ? directory.arguments(options) : [])
        // A session may have set other handlers, and this process has none of their loop any more.
        EarlyInterrupts.exitAtOnce()
        let beside = executable.map { String($0[..<$0.lastIndex(of: "/")!]) + "/rxd" }
        let program = beside.flatMap { access($0, X_OK) == 0 ? $0 : nil } ?? "rxd"
        try become([program] + arguments)
    }

    /// Replaces this process with the program, which then decides what is printed and how it exits.
    static func become(_ arguments: [String]) throws(Ending) {
        // rxctl ignores the signal, and the program would inherit that.
        signal(SIGPIPE, SIG_DFL)
        var words = arguments.map { strdup($0) }
        words.append(nil)
        execvp(arguments[0], words)
        throw Ending(
            outcome: .unreachable, message: .text("cannot start \(arguments[0]): \(SystemErrorName.text(of: errno))"),
            facts: ["name": "unreachable", "program": .string(arguments[0])])
    }

    /// This program's file, an absolute path.
    private static var executable: String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { path in
            let count = readlink("/proc/self/exe", path.baseAddress!, path.count)
            guard count > 0, count < path.count else { return nil }
            return String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }
}
