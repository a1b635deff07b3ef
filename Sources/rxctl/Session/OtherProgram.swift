internal import Glibc
internal import RxClient
internal import RxJSON
internal import RxLoop

/// For commands that are another program's work.
enum OtherProgram {
    /// Replaces this process: what is printed, and how it exits, is the program's.
    static func become(_ arguments: [String]) throws(Ending) {
        // Ignored here, and it would stay so in the program.
        signal(SIGPIPE, SIG_DFL)
        var words = arguments.map { strdup($0) }
        words.append(nil)
        execvp(arguments[0], words)
        throw Ending(
            outcome: .unreachable, message: .text("cannot start \(arguments[0]): \(SystemErrorName.text(of: errno))"),
            facts: ["name": "unreachable", "program": .string(arguments[0])])
    }
}
