/// Where zones come from: the files of tzdata, or what a test puts in their place.
public struct ZoneFiles: Sendable {
    /// The bytes of the file of the zone with a valid name; throws `unknown` or `unreadable`.
    public typealias Read = @Sendable (_ name: String) throws(ZoneFault) -> [UInt8]

    /// The name and the file of the machine's zone. The name is nil if the system does not know it, and the result is
    /// nil if the machine has no zone, which means UTC.
    public typealias ReadMachine = @Sendable () throws(ZoneFault) -> (name: String?, bytes: [UInt8])?

    private let read: Read
    private let readMachine: ReadMachine

    /// Zones from what the functions return.
    public init(read: @escaping Read, readMachine: @escaping ReadMachine = { () throws(ZoneFault) in nil }) {
        self.read = read
        self.readMachine = readMachine
    }

    /// The zone with an IANA name, such as `Europe/Berlin`. `UTC`, in any case, needs no file. Throws `invalidName`,
    /// and what reading the file throws.
    public func zone(named name: String) throws(ZoneFault) -> TimeZoneRules {
        if name.uppercased() == "UTC" { return .utc }
        guard ZoneName.isValid(name) else { throw .invalidName(name) }
        return try TimeZoneRules(name: name, file: read(name))
    }

    /// The machine's zone. `variable` is the value of TZ if it is set: a name, perhaps after a colon, or a rule of
    /// POSIX; an empty one means UTC. Without it the zone is that of /etc/localtime.
    public func machineZone(variable: String?) throws(ZoneFault) -> TimeZoneRules {
        if let variable {
            let text = variable.hasPrefix(":") ? String(variable.dropFirst()) : variable
            if text.isEmpty { return .utc }
            // `EST5EDT` is both; like the C library, take the file if there is one.
            do throws(ZoneFault) { return try zone(named: text) } catch {
                if let rule = try? TimeZoneRules(posix: text) { return rule }
                throw error
            }
        }
        guard let (name, bytes) = try readMachine() else { return .utc }
        return try TimeZoneRules(name: name ?? "localtime", file: bytes)
    }
}
