/// The type of a unit, by the end of its name.
enum UnitKind: String, CaseIterable {
    case service, socket, target, device, mount, automount, swap, timer, path, slice, scope

    /// The type of the unit with this name; nil if the name ends with none.
    init?(of unit: String) {
        guard let dot = unit.lastIndex(of: "."), let kind = UnitKind(rawValue: String(unit[unit.index(after: dot)...]))
        else { return nil }
        self = kind
    }

    /// The interface with the properties of units of this type alone.
    var interface: String { "org.freedesktop.systemd1.\(rawValue.prefix(1).uppercased())\(rawValue.dropFirst())" }

    /// Whether units of the type have a `Result`.
    var hasResult: Bool {
        switch self {
        case .service, .socket, .mount, .automount, .swap, .timer, .path, .scope: true
        case .target, .device, .slice: false
        }
    }

    /// Whether systemd counts restarts of units of the type, in `NRestarts`.
    var hasRestarts: Bool { self == .service }
}
