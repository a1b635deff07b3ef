import Dispatch
import Glibc
import Testing

/// The stdout of a shell script and its exit status as in a shell.
struct ScriptResult: Sendable {
    let output: String
    let status: Int32

    var lines: [String] { output.split(separator: "\n").map(String.init) }
}

/// Runs a bash script to its end, with `rxctl` of this build first in its PATH and `socket` as the daemon's.
func bash(_ script: String, socket: String) async -> ScriptResult {
    let text = "export RXD_SOCKET='\(socket)'; PATH='\(buildDirectory)':$PATH; \(script)"
    let quoted = "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    return await withCheckedContinuation { continuation in
        // Not a thread of the tests' pool: other tests must continue while this one waits.
        DispatchQueue.global().async {
            // Dispatch's threads block signals, and a program inherits that.
            var (none, kept) = (sigset_t(), sigset_t())
            sigemptyset(&none)
            pthread_sigmask(SIG_SETMASK, &none, &kept)
            let stream = popen("exec bash -c \(quoted)", "r")
            pthread_sigmask(SIG_SETMASK, &kept, nil)
            guard let stream else { return continuation.resume(returning: ScriptResult(output: "", status: 127)) }
            var bytes: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 4096)
            while case let count = fread(&chunk, 1, chunk.count, stream), count > 0 { bytes += chunk.prefix(count) }
            let status = pclose(stream)
            continuation.resume(
                returning: ScriptResult(
                    output: String(decoding: bytes, as: UTF8.self),
                    status: status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F))
        }
    }
}

/// The build folder, which the tests' own executable or bundle lies in.
private let buildDirectory: String = {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let own = String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    let candidates = ([own] + CommandLine.arguments).map { path in
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }
    return candidates.first { access($0 + "/rxctl", X_OK) == 0 } ?? candidates[0]
}()
