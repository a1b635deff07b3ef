import RxJSON
import RxPlatform
import RxStreams
import TestSupport
import Testing

@testable import RxSources

struct UnitSourceTests {
    private static let systemd = ":1.0"
    private static let nginx = "/org/freedesktop/systemd1/unit/nginx_2eservice"
    private static let noon: UInt64 = 1_767_268_800_000_000

    private let time = SteppedTime()
    private let bus = FakeBus()
    private let receiver = RecordedReceiver()
    private let buses: BusConnections

    init() { buses = BusConnections(bus, platform: time.platform, isUserDaemon: false) }

    @Test("the state comes after subscribing, and then each change, once")
    func changes() throws {
        let source = try started("nginx.service", [listed("nginx.service", "active", "running")])
        #expect(receiver.values == [element("active", "running", since: "2026-01-01T12:00:00.000Z")])
        let subscription = bus.link.calls.firstIndex(of: UnitCalls.subscribe) ?? .max
        let list = bus.link.calls.lastIndex(of: UnitCalls.list(try UnitPattern("nginx.service"))) ?? -1
        #expect(subscription < list)
        change([("Result", .string("exit-code")), ("NRestarts", .init(2))], of: UnitCalls.unitInterface("Service"))
        #expect(receiver.values.count == 1)
        change(
            [
                ("ActiveState", .string("failed")), ("SubState", .string("failed")),
                ("StateChangeTimestamp", .init(Self.noon + 1_500_000)),
            ])
        #expect(
            receiver.values.last
                == element(
                    "failed", "failed", result: "exit-code", since: "2026-01-01T12:00:01.500Z", restarts: 2))
        // The same again, as after a change of another property.
        change(
            [
                ("ActiveState", .string("failed")), ("SubState", .string("failed")),
                ("StateChangeTimestamp", .init(Self.noon + 1_500_000)),
            ])
        #expect(receiver.values.count == 2)
        source.stop()
    }

    @Test("a signal that is not systemd's own changes nothing")
    func forged() throws {
        let source = try started("nginx.service", [listed("nginx.service", "active", "running")])
        change([("ActiveState", .string("failed")), ("SubState", .string("failed"))], from: ":1.99")
        #expect(receiver.values.count == 1)
        source.stop()
    }

    @Test("a unit that does not exist is inactive, and not-found")
    func missing() throws {
        let source = try started("nginx.service", [listed("nginx.service", "inactive", "dead", load: "not-found")])
        #expect(receiver.values == [element("inactive", "not-found", since: nil)])
        // Systemd forgets it at once.
        signal("UnitRemoved", [.string("nginx.service"), .string(Self.nginx)])
        #expect(receiver.values.count == 1)
        // Someone has installed it.
        bus.link.replies["ListUnitsByNames"] = .success([.array([listed("nginx.service", "inactive", "dead")])])
        bus.link.replies["StateChangeTimestamp"] = .success([.init(0)])
        signal("Reloading", [.bool(true)])
        signal("Reloading", [.bool(false)])
        time.settle()
        #expect(receiver.values.last == element("inactive", "dead", since: nil))
        #expect(receiver.values.count == 2)
        source.stop()
    }

    @Test("loading an inactive unit is no change, and reads nothing that would load it again")
    func loading() throws {
        let source = try started("nginx.service", [listed("nginx.service", "inactive", "dead")])
        let calls = bus.link.calls.count
        bus.link.replies["ListUnitsByPatterns"] = .success([.array([listed("nginx.service", "inactive", "dead")])])
        signal("UnitNew", [.string("nginx.service"), .string(Self.nginx)])
        time.settle()
        #expect(bus.link.calls.count == calls + 1)
        #expect(receiver.values.count == 1)
        // Another unit is not even asked for.
        signal("UnitNew", [.string("other.service"), .string("/org/freedesktop/systemd1/unit/other_2eservice")])
        #expect(bus.link.calls.count == calls + 1)
        source.stop()
    }

    @Test("a time that systemd has forgotten is no change")
    func forgottenTime() throws {
        let source = try started("nginx.service", [listed("nginx.service", "inactive", "dead")])
        #expect(receiver.values == [element("inactive", "dead", since: "2026-01-01T12:00:00.000Z")])
        bus.link.replies["StateChangeTimestamp"] = .success([.init(0)])
        signal("Reloading", [.bool(false)])
        time.settle()
        #expect(receiver.values.count == 1)
        source.stop()
    }

    @Test("a unit that was started between its load and the report of it is read")
    func loadedActive() throws {
        let source = try started("nginx.service", [listed("nginx.service", "inactive", "dead")])
        bus.link.replies["ListUnitsByPatterns"] = .success([.array([listed("nginx.service", "active", "running")])])
        signal("UnitNew", [.string("nginx.service"), .string(Self.nginx)])
        time.settle()
        #expect(receiver.values.last == element("active", "running", since: "2026-01-01T12:00:00.000Z"))
        source.stop()
    }

    @Test("a glob observes each loaded unit; one that systemd forgets is inactive")
    func glob() throws {
        let source = try started(
            "ngin*", [listed("nginx.service", "active", "running"), listed("nginx.slice", "active", "active")])
        #expect(
            receiver.values.sorted() == [
                element("active", "running", since: "2026-01-01T12:00:00.000Z"),
                #"{"unit":"nginx.slice","active":"active","sub":"active","result":null,"#
                    + #""since":"2026-01-01T12:00:00.000Z","restarts":null}"#,
            ])
        #expect(bus.link.rules.contains { $0.contains("path_namespace='/org/freedesktop/systemd1/unit'") })
        signal("UnitRemoved", [.string("nginx.slice"), .string("/org/freedesktop/systemd1/unit/nginx_2eslice")])
        #expect(receiver.values.last?.hasPrefix(#"{"unit":"nginx.slice","active":"inactive","sub":"dead""#) == true)
        // A unit that nobody has listed.
        let other = "/org/freedesktop/systemd1/unit/nginx2_2eservice"
        change([("Result", .string("timeout"))], of: UnitCalls.unitInterface("Service"), at: other)
        change([("ActiveState", .string("failed")), ("SubState", .string("failed"))], at: other)
        #expect(
            receiver.values.last
                == #"{"unit":"nginx2.service","active":"failed","sub":"failed","result":"timeout","since":null,"#
                + #""restarts":0}"#)
        change(
            [("ActiveState", .string("failed"))], at: "/org/freedesktop/systemd1/unit/apache_2eservice")
        #expect(receiver.values.count == 4)
        source.stop()
    }

    @Test("after a lost connection the states are read again, and only changes are emitted")
    func reconnecting() throws {
        let source = try started("nginx.service", [listed("nginx.service", "active", "running")])
        bus.link.lose()
        #expect(receiver.waiting.last??.hasPrefix("the connection to the system bus was lost") == true)
        reply([listed("nginx.service", "active", "running")])
        time.advance(by: .seconds(1))
        #expect(bus.links.count == 2)
        #expect(receiver.waiting.last == .some(nil))
        #expect(receiver.values.count == 1)
        bus.link.lose()
        reply([listed("nginx.service", "failed", "failed")])
        time.advance(by: .seconds(2))
        #expect(receiver.values.count == 2)
        source.stop()
        #expect(bus.link.isClosed)
    }

    @Test("without systemd on the bus the source waits until it comes")
    func withoutSystemd() throws {
        let source = UnitSource(try UnitPattern("nginx.service"), of: buses)
        source.start(after: nil, into: receiver)
        buses.queue.async { [self] in
            bus.link.replies["GetNameOwner"] = .failure(
                BusFailure(name: "org.freedesktop.DBus.Error.NameHasNoOwner", description: "no owner"))
        }
        time.settle()
        #expect(receiver.waiting == ["systemd is not on the system bus"])
        set(bus.link, [listed("nginx.service", "active", "running")])
        bus.link.send(
            "NameOwnerChanged", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", from: "org.freedesktop.DBus",
            [.string(UnitCalls.name), .string(""), .string(Self.systemd)])
        time.settle()
        #expect(receiver.waiting.last == .some(nil))
        #expect(receiver.values.count == 1)
        source.stop()
    }

    @Test("a refused call is tried again")
    func refused() throws {
        let source = try started(
            "nginx.service", [listed("nginx.service", "active", "running")],
            subscribe: .failure(BusFailure(name: "org.freedesktop.DBus.Error.AccessDenied", description: "denied")))
        #expect(receiver.waiting == ["systemd does not report the states of units: denied"])
        // As after another stream's subscription.
        bus.link.replies["Subscribe"] = .failure(BusFailure(name: UnitCalls.alreadySubscribed, description: "twice"))
        time.advance(by: UnitSource.retryTime)
        #expect(receiver.waiting.last == .some(nil))
        #expect(receiver.values.count == 1)
        source.stop()
        #expect(time.delays.isEmpty)
    }

    @Test("properties of many units are read a few at a time")
    func manyUnits() throws {
        let units = (0..<100).map { listed("u\($0).service", "active", "running") }
        let source = try started("u*", units)
        #expect(receiver.values.count == 100)
        #expect(receiver.values.first?.hasPrefix(#"{"unit":"u0.service""#) == true)
        #expect(bus.link.mostOutstanding == UnitSource.mostReads)
        source.stop()
    }

    // MARK: Systemd

    private func started(
        _ pattern: String, _ units: [JSONValue], subscribe: Result<[JSONValue], BusFailure> = .success([])
    ) throws -> UnitSource {
        let source = UnitSource(try UnitPattern(pattern), of: buses)
        source.start(after: nil, into: receiver)
        buses.queue.async { [self] in
            set(bus.link, units)
            bus.link.replies["Subscribe"] = subscribe
        }
        time.settle()
        return source
    }

    /// Prepares the replies of the next connection.
    private func reply(_ units: [JSONValue]) {
        bus.onOpen = { link in set(link, units) }
    }

    private func set(_ link: FakeBus.Link, _ units: [JSONValue]) {
        link.replies = [
            "GetNameOwner": .success([.string(Self.systemd)]), "Subscribe": .success([]),
            "ListUnitsByNames": .success([.array(units)]), "ListUnitsByPatterns": .success([.array(units)]),
            "StateChangeTimestamp": .success([.init(Self.noon)]), "Result": .success([.string("success")]),
            "NRestarts": .success([.init(0)]),
        ]
    }

    private func listed(_ unit: String, _ active: String, _ sub: String, load: String = "loaded") -> JSONValue {
        let path = "\(UnitPath.parent)/\(unit.replacing(".", with: "_2e"))"
        return .array(
            [unit, "A unit", load, active, sub, ""].map(JSONValue.string) + [.string(path), .init(0), .string("")])
    }

    private func signal(_ member: String, _ arguments: [JSONValue]) {
        bus.link.send(member, of: UnitCalls.manager, at: UnitCalls.path, from: Self.systemd, arguments)
    }

    private func change(
        _ properties: [(String, JSONValue)], of interface: String = UnitCalls.unit, at path: String = nginx,
        from sender: String = systemd
    ) {
        bus.link.send(
            "PropertiesChanged", of: UnitCalls.properties, at: path, from: sender,
            [.string(interface), .object(JSONObject(properties)), .array([])])
    }

    private func element(
        _ active: String, _ sub: String, result: String = "success", since: String?, restarts: Int = 0
    ) -> String {
        let since = since.map { #""\#($0)""# } ?? "null"
        return #"{"unit":"nginx.service","active":"\#(active)","sub":"\#(sub)","result":"\#(result)","#
            + #""since":\#(since),"restarts":\#(restarts)}"#
    }
}

extension UnitCalls {
    fileprivate static func unitInterface(_ kind: String) -> String { "org.freedesktop.systemd1.\(kind)" }
}
