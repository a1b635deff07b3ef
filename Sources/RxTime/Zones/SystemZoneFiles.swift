internal import Glibc

extension ZoneFiles {
    /// Where the system has its tzdata: the value of TZDIR if it is set, as for libc.
    public static var systemDirectory: String {
        let variable = getenv("TZDIR").map { String(cString: $0) } ?? ""
        return variable.isEmpty ? "/usr/share/zoneinfo" : variable
    }

    /// The system's tzdata: the files below `directory`, and /etc/localtime.
    public static func system(directory: String = systemDirectory) -> ZoneFiles {
        ZoneFiles(
            read: { name throws(ZoneFault) in
                guard let bytes = try SystemZoneFiles.read(directory + "/" + name, name) else { throw .unknown(name) }
                return bytes
            },
            readMachine: { () throws(ZoneFault) in
                guard let bytes = try SystemZoneFiles.read("/etc/localtime", "localtime") else { return nil }
                return (SystemZoneFiles.machineName(), bytes)
            })
    }
}

/// The system's calls behind `ZoneFiles.system`.
private enum SystemZoneFiles {
    /// The bytes of a file, one more than a zone file may have at most; nil if there is no file.
    static func read(_ path: String, _ name: String) throws(ZoneFault) -> [UInt8]? {
        // Not to wait for the other end of a pipe, or to make a terminal this process's own.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw .unreadable(name, errno: errno)
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= TZifFile.mostBytes {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { break }
            guard count > 0 else {
                if errno == EINTR { continue }
                // The name is that of a group of zones, such as `America`.
                if errno == EISDIR { return nil }
                throw .unreadable(name, errno: errno)
            }
            bytes += buffer[..<count]
        }
        return bytes
    }

    /// The name that /etc/localtime links to, below a directory `zoneinfo`.
    static func machineName() -> String? {
        let path = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            let length = buffer.withMemoryRebound(to: CChar.self) {
                readlink("/etc/localtime", $0.baseAddress!, $0.count)
            }
            count = max(0, length)
        }
        let parts = String(decoding: path, as: UTF8.self).split(separator: "/")
        guard let place = parts.lastIndex(of: "zoneinfo") else { return nil }
        let name = parts[(place + 1)...].joined(separator: "/")
        return ZoneName.isValid(name) ? name : nil
    }
}

extension ZoneFault {
    /// `Input/output error`: the system's words for an errno.
    static func text(of errno: Int32) -> String { String(cString: strerror(errno)) }
}
