internal import CSystemd
internal import RxLoop
internal import RxPlatform

/// Buses through libsystemd.
struct SdBusSystem: BusSystem {
    let loop: EventLoop
    let clock: MonotonicClock
    /// The address to use for both kinds of bus; nil for the machine's and the user's, as libsystemd finds them.
    var address: String?

    func open(
        _ bus: BusKind, on queue: WorkQueue, lost: @escaping @Sendable (BusFailure) -> Void
    ) throws(BusFailure) -> any BusLink {
        var opened: OpaquePointer?
        let result =
            if let address { Self.open(address, &opened) } else {
                switch bus {
                case .system: sd_bus_open_system(&opened)
                case .user: sd_bus_open_user(&opened)
                }
            }
        guard result >= 0, let opened else { throw .connection(errno: -result) }
        return SdBusLink(opened, loop: loop, clock: clock, queue: queue, lost: lost)
    }

    private static func open(_ address: String, _ bus: inout OpaquePointer?) -> Int32 {
        var result = sd_bus_new(&bus)
        if result >= 0 { result = sd_bus_set_address(bus, address) }
        if result >= 0 { result = sd_bus_set_bus_client(bus, 1) }
        if result >= 0 { result = sd_bus_start(bus) }
        if result < 0 { bus = sd_bus_unref(bus) }
        return result
    }
}

extension BusFailure {
    /// The failure of a call of libsystemd.
    static func connection(errno: Int32) -> BusFailure {
        BusFailure(name: nil, description: SystemErrorName.text(of: errno))
    }
}
