import Glibc

/// The binaries of the same build as these tests.
enum Programs {
    static let rxd = directory + "/rxd"
    static let rxctl = directory + "/rxctl"
    static let todoDaemon = directory + "/TodoDaemon"

    /// The build folder, which the test's own executable lies in.
    private static let directory: String = {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let own = String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        // The test runner may be the toolchain's, with the tests' bundle as an argument.
        let candidates = ([own] + CommandLine.arguments).map { path in
            path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        }
        return candidates.first { Files.exists($0 + "/rxctl") } ?? candidates[0]
    }()

    /// Where a program of the system is, if it is installed.
    static func installed(_ name: String) -> String? {
        ["/usr/bin", "/bin", "/usr/local/bin"].map { "\($0)/\(name)" }.first(where: Files.exists)
    }
}
