internal import Glibc
internal import RxClient
internal import RxJSON
internal import RxLoop

/// Commands that another program carries out.
enum OtherProgram {
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
}
