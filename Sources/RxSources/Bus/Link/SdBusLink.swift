internal import CSystemd
internal import Glibc
internal import RxJSON
internal import RxLoop
internal import RxPlatform

// Sendable: everything belongs to the queue; the closing of the bus, after which nothing uses it, to the loop.
/// A connection through libsystemd. The loop waits for its socket, and the queue serves it.
final class SdBusLink: BusLink, @unchecked Sendable {
    /// Messages served before other work of the queue has its turn.
    private static let messagesPerTurn = 256

    private let bus: OpaquePointer
    private let queue: WorkQueue
    private let clock: MonotonicClock
    private let wait: DescriptorWait
    private let lost: @Sendable (BusFailure) -> Void
    private var isClosed = false
    private var isServing = false
    private var timer: QueueTimer?
    /// What libsystemd may call.
    private var slots: [ObjectIdentifier: SdBusSlot] = [:]

    /// Takes over the bus.
    init(
        _ bus: OpaquePointer, loop: EventLoop, clock: MonotonicClock, queue: WorkQueue,
        lost: @escaping @Sendable (BusFailure) -> Void
    ) {
        self.bus = bus
        self.queue = queue
        self.clock = clock
        self.lost = lost
        wait = DescriptorWait(on: loop)
        serveSoon()
    }

    // Before the loop has closed the bus, this object is retained.
    deinit { assert(isClosed) }

    // MARK: BusLink

    func match(
        _ rule: String, installed: @escaping (BusFailure?) -> Void, _ handler: @escaping (BusMessage) -> Void
    ) -> any BusMatch {
        let slot = SdBusSlot(link: self)
        slot.signal = { message in handler(message) }
        slot.reply = { message in installed(message.flatMap(SdBusMessage.failure)) }
        let result = sd_bus_add_match_async(
            bus, &slot.pointer, rule,
            { message, slot, _ in SdBusSlot.call(slot, message) { $0.received($1) } },
            { message, slot, _ in SdBusSlot.call(slot, message) { $0.replied($1) } },
            Unmanaged.passUnretained(slot).toOpaque())
        add(slot, result) { installed($0) }
        return slot
    }

    func call(_ call: BusCall, _ reply: @escaping (Result<[JSONValue], BusFailure>) -> Void) {
        let slot = SdBusSlot(link: self)
        slot.reply = { [weak slot] message in
            slot?.remove()
            guard let message else { return }
            reply(SdBusMessage.failure(message).map { .failure($0) } ?? SdBusMessage.arguments(message))
        }
        var message: OpaquePointer?
        var result = sd_bus_message_new_method_call(
            bus, &message, call.destination, call.path, call.interface, call.member)
        defer { sd_bus_message_unref(message) }
        for argument in call.arguments where result >= 0 { result = SdBusMessage.append(argument, to: message) }
        if result >= 0 {
            // 0 stands for libsystemd's own limit, 25 seconds.
            result = sd_bus_call_async(
                bus, &slot.pointer, message,
                { message, slot, _ in SdBusSlot.call(slot, message) { $0.replied($1) } },
                Unmanaged.passUnretained(slot).toOpaque(), 0)
        }
        add(slot, result) { reply(.failure($0)) }
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        timer?.cancel()
        for slot in Array(slots.values) { slot.remove() }
        // The loop may still watch the socket.
        wait.cancel { [self] in sd_bus_close_unref(bus) }
    }

    // MARK: Slots

    private func add(_ slot: SdBusSlot, _ result: Int32, _ failed: @escaping (BusFailure) -> Void) {
        guard result >= 0 else {
            // Not within the call. Everything belongs to the queue.
            nonisolated(unsafe) let failed = failed
            return queue.async { [self] in if !isClosed { failed(.connection(errno: -result)) } }
        }
        slots[ObjectIdentifier(slot)] = slot
        serveSoon()
    }

    fileprivate func forget(_ slot: SdBusSlot) {
        slots[ObjectIdentifier(slot)] = nil
        if !isClosed { serveSoon() }
    }

    // MARK: Serving

    private func serveSoon() {
        guard !isServing else { return }
        isServing = true
        queue.async { [self] in serve() }
    }

    private func serve() {
        isServing = false
        guard !isClosed else { return }
        for _ in 0..<Self.messagesPerTurn {
            let result = sd_bus_process(bus, nil)
            if isClosed { return }
            guard result >= 0 else { return end(errno: -result) }
            guard result > 0 else { return arm() }
        }
        serveSoon()
    }

    private func arm() {
        let descriptor = sd_bus_get_fd(bus)
        let events = sd_bus_get_events(bus)
        guard descriptor >= 0, events >= 0 else { return end(errno: -min(descriptor, events)) }
        var interest: Interest = []
        if events & POLLIN != 0 { interest.insert(.readable) }
        if events & POLLOUT != 0 { interest.insert(.writable) }
        wait.wait(for: descriptor, interest) { [weak self] error in
            guard let self else { return }
            queue.async {
                if let error { self.end(errno: error.errno) } else { self.serveSoon() }
            }
        }
        armTimer()
    }

    /// libsystemd reports a time of CLOCK_MONOTONIC, at which a call has taken too long.
    private func armTimer() {
        timer?.cancel()
        timer = nil
        var limit: UInt64 = 0
        guard sd_bus_get_timeout(bus, &limit) > 0, limit != .max else { return }
        let due = Duration.microseconds(Int64(clamping: limit)) - clock.now
        timer = queue.async(after: max(.zero, due)) { [weak self] in self?.serveSoon() }
    }

    private func end(errno: Int32) {
        guard !isClosed else { return }
        close()
        lost(.connection(errno: errno))
    }
}

/// One use of the bus that libsystemd calls back.
private final class SdBusSlot: BusMatch {
    fileprivate var pointer: OpaquePointer?
    fileprivate var signal: ((BusMessage) -> Void)?
    fileprivate var reply: ((OpaquePointer?) -> Void)?
    private weak var link: SdBusLink?

    init(link: SdBusLink) { self.link = link }

    /// Calls `body` with the slot and the message that libsystemd passed. The result is that of its handlers: nothing
    /// failed, and others may handle the message, too.
    static func call(
        _ slot: UnsafeMutableRawPointer?, _ message: OpaquePointer?, _ body: (SdBusSlot, OpaquePointer) -> Void
    ) -> Int32 {
        guard let slot, let message else { return 0 }
        body(Unmanaged<SdBusSlot>.fromOpaque(slot).takeUnretainedValue(), message)
        return 0
    }

    func received(_ message: OpaquePointer) { signal?(SdBusMessage.signal(message)) }

    func replied(_ message: OpaquePointer) {
        let reply = reply
        self.reply = nil
        reply?(message)
    }

    func remove() {
        guard let pointer else { return }
        self.pointer = nil
        signal = nil
        reply = nil
        link?.forget(self)
        sd_bus_slot_unref(pointer)
    }
}
