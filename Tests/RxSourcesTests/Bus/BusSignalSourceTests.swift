import RxJSON
import RxPlatform
import RxStreams
import TestSupport
import Testing

@testable import RxSources

struct BusSignalSourceTests {
    private let time = SteppedTime()
    private let bus = FakeBus()
    private let receiver = RecordedReceiver()
    private let buses: BusConnections

    init() { buses = BusConnections(bus, platform: time.platform, isUserDaemon: false) }

    @Test("nothing is opened before the first stream; streams of a bus share its connection, which the last one closes")
    func sharing() throws {
        time.settle()
        #expect(bus.links.isEmpty)
        let rule = try BusSignalRule(member: "Changed")
        let sources = [true, true, false].map { BusSignalSource(rule, system: $0, of: buses) }
        for source in sources { source.start(after: nil, into: receiver) }
        #expect(bus.links.isEmpty)
        time.settle()
        #expect(bus.links.map(\.bus) == [.system, .user])
        #expect(bus.links.map(\.rules.count) == [2, 1])
        sources[0].stop()
        #expect(!bus.links[0].isClosed)
        #expect(bus.links[0].rules.count == 1)
        sources[1].stop()
        #expect(bus.links[0].isClosed)
        #expect(!bus.links[1].isClosed)
    }

    @Test("a signal is an element with its sender, path, and arguments; others of the connection are none")
    func elements() throws {
        let source = BusSignalSource(try BusSignalRule(interface: "a.b", member: "Changed", path: "/x"), of: buses)
        source.start(after: nil, into: receiver)
        time.settle()
        bus.link.send("Changed", of: "a.b", at: "/x", from: ":1.5", [.init(1), .string("two")])
        bus.link.send("Changed", of: "a.c", at: "/x", from: ":1.5", [])
        bus.link.send("Changed", of: "a.b", at: "/y", from: ":1.5", [])
        #expect(receiver.values == [#"{"sender":":1.5","path":"/x","arguments":[1,"two"]}"#])
        source.stop()
        bus.link.send("Changed", of: "a.b", at: "/x", from: ":1.5", [])
        #expect(receiver.values.count == 1)
    }

    @Test("a well-known sender is the connection that owns the name, and no other")
    func owner() throws {
        let source = BusSignalSource(try BusSignalRule(member: "Changed", sender: "org.example.A"), of: buses)
        source.start(after: nil, into: receiver)
        // The connection exists after this; the replies come later.
        buses.queue.async { [self] in bus.link.replies["GetNameOwner"] = .success([.string(":1.5")]) }
        time.settle()
        func send(from sender: String) {
            bus.link.send("Changed", of: "a.b", at: "/x", from: sender, [.string(sender)])
        }
        send(from: ":1.6")
        #expect(receiver.values.isEmpty)
        send(from: ":1.5")
        #expect(receiver.values.count == 1)
        func changeOwner(to owner: String, from sender: String) {
            bus.link.send(
                "NameOwnerChanged", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", from: sender,
                [.string("org.example.A"), .string(":1.5"), .string(owner)])
        }
        // Only the bus reports owners.
        changeOwner(to: ":1.6", from: ":1.6")
        send(from: ":1.6")
        #expect(receiver.values.count == 1)
        changeOwner(to: ":1.6", from: "org.freedesktop.DBus")
        send(from: ":1.5")
        #expect(receiver.values.count == 1)
        send(from: ":1.6")
        #expect(receiver.values.count == 2)
        changeOwner(to: "", from: "org.freedesktop.DBus")
        send(from: ":1.6")
        #expect(receiver.values.count == 2)
        source.stop()
    }

    @Test("without a bus the source waits, and tries again with growing delays")
    func waiting() throws {
        bus.refusals = [BusFailure(description: "No such file or directory (ENOENT)")]
        bus.refusals += bus.refusals
        let source = BusSignalSource(try BusSignalRule(member: "Changed"), of: buses)
        source.start(after: nil, into: receiver)
        time.settle()
        let reason =
            "cannot connect to the system bus: No such file or directory (ENOENT); is the package dbus installed, "
            + "and does it run?"
        #expect(receiver.waiting == [reason])
        #expect(time.delays == [.seconds(1)])
        time.advance(by: .seconds(1))
        #expect(time.delays == [.seconds(2)])
        time.advance(by: .seconds(2))
        #expect(receiver.waiting == [reason, nil])
        #expect(bus.attempts == 3)
        source.stop()
    }

    @Test("a lost connection is opened again, and the match made again")
    func reconnecting() throws {
        let source = BusSignalSource(try BusSignalRule(member: "Changed"), of: buses)
        source.start(after: nil, into: receiver)
        time.settle()
        bus.link.lose()
        #expect(
            receiver.waiting == ["the connection to the system bus was lost: Connection reset by peer (ECONNRESET)"])
        time.advance(by: .seconds(1))
        #expect(bus.links.count == 2)
        #expect(receiver.waiting.last == .some(nil))
        bus.link.send("Changed", of: "a.b", at: "/x", from: ":1.1", [])
        #expect(receiver.values.count == 1)
        // A stopped source waits no more.
        bus.link.lose()
        source.stop()
        #expect(time.delays.isEmpty)
    }

    @Test("a match that the bus refuses is tried again")
    func refused() throws {
        let source = BusSignalSource(try BusSignalRule(member: "Changed"), of: buses)
        source.start(after: nil, into: receiver)
        buses.queue.async { [self] in bus.link.refusedRule = "nothing" }
        let other = BusSignalSource(try BusSignalRule(member: "Other"), of: buses)
        buses.queue.async { [self] in bus.link.refusedRule = "Other" }
        other.start(after: nil, into: receiver)
        time.settle()
        #expect(
            receiver.waiting == ["the system bus does not serve the match type='signal',member='Other': too many"])
        bus.link.refusedRule = nil
        time.advance(by: BusSignalSource.retryTime)
        #expect(receiver.waiting.last == .some(nil))
        source.stop()
        other.stop()
        #expect(time.delays.isEmpty)
    }

    @Test("an owner that the bus does not report is asked for again; that there is none is an answer")
    func unknownOwner() throws {
        let source = BusSignalSource(try BusSignalRule(member: "Changed", sender: "org.example.A"), of: buses)
        source.start(after: nil, into: receiver)
        let timeout = BusFailure(name: "org.freedesktop.DBus.Error.NoReply", description: "timed out")
        buses.queue.async { [self] in bus.link.replies["GetNameOwner"] = .failure(timeout) }
        time.settle()
        #expect(receiver.waiting.last??.hasSuffix("the owner of org.example.A is unknown: timed out") == true)
        bus.link.replies["GetNameOwner"] = .failure(
            BusFailure(name: "org.freedesktop.DBus.Error.NameHasNoOwner", description: "no owner"))
        time.advance(by: BusSignalSource.retryTime)
        #expect(receiver.waiting.last == .some(nil))
        #expect(time.delays.isEmpty)
        source.stop()
    }
}
