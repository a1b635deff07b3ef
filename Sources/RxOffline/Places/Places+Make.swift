internal import Glibc
package import RxPlatform

extension Places {
    /// The mode of directories that only their user may enter.
    private static let privateMode: UInt32 = 0o700

    /// Makes the daemon's own directories that are missing, with mode 0700.
    ///
    /// - Returns: the path of the socket.
    package func make(on disk: Disk) throws(PlacesFault) -> String {
        guard let socket else {
            throw PlacesFault(
                """
                cannot place the socket: XDG_RUNTIME_DIR is not set; start rxd in a login session or by `systemctl \
                --user start rxd.socket`, or name a socket with --socket
                """)
        }
        if let sessionDirectory {
            // Root may write to the directory of another user's session, whose own daemon would find it taken.
            if let owner = try? disk.access(sessionDirectory).owner, owner != disk.user() {
                throw PlacesFault(
                    "XDG_RUNTIME_DIR is \(sessionDirectory), which belongs to uid \(owner); unset it, or set it to "
                        + "your own")
            }
            try Self.make(
                sessionDirectory + "/rxd",
                "set XDG_RUNTIME_DIR to a directory of your own, or name a socket with --socket", on: disk)
        }
        for directory in stateDirectories {
            try Self.make(
                directory, "set XDG_STATE_HOME to a directory of your own, or name one with --state", on: disk)
        }
        return socket
    }

    /// - Parameter advice: what to do if the directory cannot be made.
    private static func make(_ directory: String, _ advice: String, on disk: Disk) throws(PlacesFault) {
        let errno = disk.makeDirectory(directory, privateMode)
        guard errno == 0 || errno == EEXIST else {
            throw PlacesFault("cannot make the directory \(directory): \(SystemErrorName.text(of: errno)); \(advice)")
        }
    }
}
