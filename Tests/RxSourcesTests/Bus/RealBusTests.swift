import CSystemd
import Glibc
import RxJSON
import RxLoop
import RxPlatform
import RxStreams
import TestSupport
import Testing

@testable import RxSources

/// A real dbus-daemon of the test's own, and another client of it.
private final class RealBus {
    static let isInstalled = access(path, X_OK) == 0
    private static let path = "/usr/bin/dbus-daemon"

    let directory = TemporaryDirectory()
    let loop: EventLoop
    private var daemon: Helper?
    private var client: OpaquePointer?

    var address: String { "unix:path=\(directory.path)/bus" }
    var system: SdBusSystem { SdBusSystem(loop: loop, clock: .system, address: address) }
    /// The unique name of the other client.
    private(set) var clientName = ""

    init() throws {
        loop = try EventLoop()
        loop.start(name: "buses")
    }

    deinit {
        disconnect()
        loop.stop()
        loop.join()
    }

    func start() {
        daemon = Helper(Self.path, ["--session", "--nofork", "--address=\(address)"])
    }

    func stop() {
        disconnect()
        daemon = nil
        unlink("\(directory.path)/bus")
    }

    /// Connects the other client; false while the daemon is not ready.
    func connect() -> Bool {
        guard sd_bus_new(&client) >= 0 else { return false }
        sd_bus_set_address(client, address)
        sd_bus_set_bus_client(client, 1)
        var name: UnsafePointer<CChar>?
        guard sd_bus_start(client) >= 0, sd_bus_get_unique_name(client, &name) >= 0, let name else {
            disconnect()
            return false
        }
        clientName = String(cString: name)
        return true
    }

    private func disconnect() { client = sd_bus_close_unref(client) }

    func take(_ name: String) { precondition(sd_bus_request_name(client, name, 0) >= 0) }

    /// Sends a signal whose arguments `body` appends.
    func send(_ member: String, _ body: (OpaquePointer?) -> Void) {
        var message: OpaquePointer?
        precondition(sd_bus_message_new_signal(client, &message, "/org/example", "org.example.Thing", member) >= 0)
        body(message)
        precondition(sd_bus_send(client, message, nil) >= 0)
        sd_bus_message_unref(message)
        sd_bus_flush(client)
    }
}

private func append<Value>(_ kind: Character, _ value: Value, to message: OpaquePointer?) {
    withUnsafePointer(to: value) {
        precondition(sd_bus_message_append_basic(message, CChar(kind.asciiValue!), $0) >= 0)
    }
}

private func append(_ text: String, as kind: Character = "s", to message: OpaquePointer?) {
    precondition(sd_bus_message_append_basic(message, CChar(kind.asciiValue!), text) >= 0)
}

private func container(
    _ kind: Character, _ contents: String, in message: OpaquePointer?, _ body: (OpaquePointer?) -> Void
) {
    precondition(sd_bus_message_open_container(message, CChar(kind.asciiValue!), contents) >= 0)
    body(message)
    precondition(sd_bus_message_close_container(message) >= 0)
}

@Suite("A real dbus-daemon", .ownThreads, .enabled(if: RealBus.isInstalled, "install the package dbus"))
struct RealBusTests {
    @Test("signals of every type come with their arguments")
    func types() async throws {
        let bus = try RealBus()
        bus.start()
        #expect(await eventually { bus.connect() })
        let buses = BusConnections(bus.system, platform: .system, isUserDaemon: false)
        let receiver = RecordedReceiver()
        let source = BusSignalSource(try BusSignalRule(interface: "org.example.Thing"), of: buses)
        source.start(after: nil, into: receiver)
        #expect(
            await eventually {
                // Until the match is installed, signals pass by.
                bus.send("Ready") { _ in }
                return !receiver.values.isEmpty
            })
        bus.send("Numbers") { message in
            append("y", UInt8(255), to: message)
            append("b", Int32(1), to: message)
            append("n", Int16(-2), to: message)
            append("q", UInt16(3), to: message)
            append("i", Int32(-4), to: message)
            append("u", UInt32(5), to: message)
            append("x", Int64.min, to: message)
            append("t", UInt64.max, to: message)
            append("d", 1.5, to: message)
            append("d", Double.infinity, to: message)
        }
        bus.send("Texts") { message in
            append("a \"b\"\n", to: message)
            append("/a/b", as: "o", to: message)
            append("a{sv}", as: "g", to: message)
        }
        bus.send("Containers") { message in
            container("v", "s", in: message) { append("in a variant", to: $0) }
            container("r", "su", in: message) {
                append("in a struct", to: $0)
                append("u", UInt32(6), to: $0)
            }
            container("a", "y", in: message) {
                append("y", UInt8(0), to: $0)
                append("y", UInt8(1), to: $0)
            }
            container("a", "{sv}", in: message) { message in
                container("e", "sv", in: message) { message in
                    append("key", to: message)
                    container("v", "as", in: message) { message in
                        container("a", "s", in: message) { append("deep", to: $0) }
                    }
                }
            }
            container("a", "{ub}", in: message) { message in
                container("e", "ub", in: message) { message in
                    append("u", UInt32(7), to: message)
                    append("b", Int32(0), to: message)
                }
            }
            container("a", "s", in: message) { _ in }
        }
        func arguments() -> [String] {
            receiver.elements.compactMap { element in
                guard let arguments = element.value.value()["arguments"], arguments != .array([]) else { return nil }
                return RawJSON(arguments).text
            }
        }
        #expect(await eventually { arguments().count == 3 })
        #expect(
            arguments() == [
                "[255,true,-2,3,-4,5,-9223372036854775808,18446744073709551615,1.5,null]",
                #"["a \"b\"\n","/a/b","a{sv}"]"#,
                #"["in a variant",["in a struct",6],[0,1],{"key":["deep"]},{"7":false},[]]"#,
            ])
        #expect(receiver.elements.allSatisfy { $0.value.value()["sender"]?.string == bus.clientName })
        #expect(receiver.elements.allSatisfy { $0.value.value()["path"]?.string == "/org/example" })
        source.stop()
    }

    @Test("a signal that is too large is an error, and others still come")
    func size() async throws {
        let bus = try RealBus()
        bus.start()
        #expect(await eventually { bus.connect() })
        let buses = BusConnections(bus.system, platform: .system, isUserDaemon: false)
        let receiver = RecordedReceiver()
        let source = BusSignalSource(try BusSignalRule(member: "Large"), of: buses)
        source.start(after: nil, into: receiver)
        #expect(
            await eventually {
                bus.send("Large") { _ in }
                return !receiver.values.isEmpty
            })
        let large = String(repeating: "x", count: BusValueReader.mostBytes)
        bus.send("Large") { append(large, to: $0) }
        bus.send("Large") { append("small", to: $0) }
        #expect(await eventually { receiver.values.last?.hasSuffix(#""arguments":["small"]}"#) == true })
        #expect(
            receiver.errors == [
                "the signal org.example.Thing.Large of \(bus.clientName) cannot be an element: "
                    + "the arguments have more than 1048576 bytes"
            ])
        source.stop()
    }

    @Test("two streams that differ only in their well-known senders get each its own signals")
    func senders() async throws {
        let bus = try RealBus()
        bus.start()
        #expect(await eventually { bus.connect() })
        bus.take("org.example.A")
        let buses = BusConnections(bus.system, platform: .system, isUserDaemon: false)
        let receivers = ["org.example.A", "org.example.B"].map { _ in RecordedReceiver() }
        let sources = try ["org.example.A", "org.example.B"].map {
            BusSignalSource(try BusSignalRule(member: "Changed", sender: $0), of: buses)
        }
        for (source, receiver) in zip(sources, receivers) { source.start(after: nil, into: receiver) }
        #expect(
            await eventually {
                bus.send("Changed") { _ in }
                return receivers[0].values.count >= 3
            })
        // The stream of the other name took part as soon as its name has an owner.
        #expect(receivers[1].values.isEmpty)
        bus.take("org.example.B")
        #expect(
            await eventually {
                bus.send("Changed") { _ in }
                return !receivers[1].values.isEmpty
            })
        for source in sources { source.stop() }
    }

    @Test("a bus that starts late, or again, is found")
    func restart() async throws {
        let bus = try RealBus()
        let buses = BusConnections(bus.system, platform: .system, isUserDaemon: false)
        let receiver = RecordedReceiver()
        let source = BusSignalSource(try BusSignalRule(member: "Changed"), of: buses)
        source.start(after: nil, into: receiver)
        #expect(await eventually { receiver.waiting.count == 1 })
        #expect(
            receiver.waiting.first??.hasPrefix(
                "cannot connect to the system bus: No such file or directory (ENOENT)") == true)
        for round in 1...2 {
            bus.start()
            #expect(await eventually { bus.connect() })
            let known = receiver.values.count
            #expect(
                await eventually {
                    bus.send("Changed") { _ in }
                    return receiver.values.count > known
                })
            #expect(receiver.waiting.last == .some(nil))
            bus.stop()
            // Attempts that fail before the next start are reported as well, each second.
            let lost = "the connection to the system bus was lost: "
            #expect(await eventually { receiver.waiting.count { $0?.hasPrefix(lost) == true } == round })
        }
        source.stop()
    }
}
