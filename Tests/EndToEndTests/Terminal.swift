import Glibc
import Testing

/// A process on its own pseudo terminal: a test reads its screen and presses keys.
final class Terminal {
    let program: Program
    private let keyboard: Int32
    /// Held open; otherwise the terminal could be closed for a moment, which its reader gets as an error.
    private let screen: Int32
    private var bytes: [UInt8] = []

    /// Runs `script` in bash, with `$rxctl` in its environment.
    init(_ script: String, on sandbox: Sandbox) async throws {
        var (keyboard, screen): (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 64)
        // Not `ttyname`, whose result all threads share.
        guard openpty(&keyboard, &screen, nil, nil, nil) == 0, ttyname_r(screen, &name, name.count) == 0 else {
            throw WaitedInVain(for: "a pseudo terminal")
        }
        let path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        for end in [keyboard, screen] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(keyboard, F_SETFL, fcntl(keyboard, F_GETFL) | O_NONBLOCK)
        self.keyboard = keyboard
        self.screen = screen
        // The leader of a session of its own, whose terminal this is: Ctrl-C is for its processes.
        program = try await sandbox.start(
            ["/bin/sh", "-c", #"exec setsid --ctty --wait bash -c "$1" <"$0" >"$0" 2>&1"#, path, script],
            environment: ["rxctl": Programs.rxctl])
    }

    deinit {
        close(keyboard)
        close(screen)
    }

    /// Everything that has appeared so far.
    var text: String {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(keyboard, &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Everything that has appeared, once the programs have ended. The kernel may still carry what they wrote last, so
    /// a mark is sent after it.
    func finalText() async throws -> String {
        let mark = "<end of the terminal>"
        _ = mark.withCString { write(screen, $0, strlen($0)) }
        try await eventually("all has appeared on the terminal") { text.hasSuffix(mark) }
        return String(text.dropLast(mark.count))
    }

    func press(_ keys: String) {
        var keys = keys
        keys.withUTF8 { _ = write(keyboard, $0.baseAddress, $0.count) }
    }
}
