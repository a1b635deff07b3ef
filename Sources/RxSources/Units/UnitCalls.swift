internal import RxJSON

/// What a source calls of systemd's manager, and how it reads the replies.
enum UnitCalls {
    static let name = "org.freedesktop.systemd1"
    static let path = "/org/freedesktop/systemd1"
    static let manager = "org.freedesktop.systemd1.Manager"
    static let unit = "org.freedesktop.systemd1.Unit"
    static let properties = "org.freedesktop.DBus.Properties"

    /// Makes the manager send signals.
    static let subscribe = call("Subscribe")
    /// The error of a second subscription of a connection, which has no effect.
    static let alreadySubscribed = "org.freedesktop.systemd1.AlreadySubscribed"

    /// One unit in a list.
    struct Listed: Equatable {
        var unit: String
        var path: String
        var active: String
        var sub: String
    }

    /// Lists the units of a pattern: one by its name, which is loaded for that and need not exist, or the loaded ones.
    static func list(_ pattern: UnitPattern) -> BusCall {
        pattern.isGlob
            ? call("ListUnitsByPatterns", .strings([]), .strings([pattern.description]))
            : call("ListUnitsByNames", .strings([pattern.description]))
    }

    /// Lists the unit if it is loaded.
    static func listLoaded(_ unit: String) -> BusCall {
        call("ListUnitsByPatterns", .strings([]), .strings([unit]))
    }

    /// Reads one property of a unit.
    static func get(_ property: String, of interface: String, at path: String) -> BusCall {
        BusCall(
            destination: name, path: path, interface: properties, member: "Get",
            arguments: [.string(interface), .string(property)])
    }

    /// The units in the reply to a list.
    static func units(in reply: [JSONValue]) -> [Listed] {
        (reply.first?.array ?? []).compactMap { fields in
            guard let unit = fields[0]?.string, let load = fields[2]?.string, let active = fields[3]?.string,
                let sub = fields[4]?.string, let path = fields[6]?.string
            else { return nil }
            let isMissing = load == UnitState.notFound && active == "inactive"
            return Listed(unit: unit, path: path, active: active, sub: isMissing ? UnitState.notFound : sub)
        }
    }

    private static func call(_ member: String, _ arguments: BusCall.Argument...) -> BusCall {
        BusCall(destination: name, path: path, interface: manager, member: member, arguments: arguments)
    }
}
