internal import Glibc

/// The files that a signal removes, with a null pointer after the last one; nil for none.
// nonisolated(unsafe): written on the only thread that runs a command, and read there by the handler of a signal. What
// it pointed to before is never freed, so that the handler may read it at any moment.
nonisolated(unsafe) private var removed: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?

/// Signals that end a command without a daemon.
package enum OfflineInterrupts {
    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    /// Makes these signals remove the files that are not complete and exit with 130, as they end every command of
    /// rxctl. One that the parent process ignores (nohup, a background job of a shell) stays ignored.
    package static func exitAtOnce() {
        for number in signals {
            var action = sigaction()
            sigaction(number, nil, &action)
            let isIgnored =
                unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
                == unsafeBitCast(SIG_IGN, to: Int.self)
            guard !isIgnored else { continue }
            signal(number) { _ in
                var next = removed
                while let path = next?.pointee {
                    unlink(path)
                    next = next?.successor()
                }
                _exit(130)
            }
        }
    }

    /// Sets the files that a signal removes from now on.
    static func remove(_ paths: [String]) {
        guard !paths.isEmpty else {
            removed = nil
            return
        }
        let list = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: paths.count + 1)
        list.initialize(from: paths.map { strdup($0) } + [nil], count: paths.count + 1)
        removed = list
    }
}
