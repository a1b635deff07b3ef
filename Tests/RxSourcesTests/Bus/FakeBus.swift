import RxJSON
import RxPlatform

@testable import RxSources

// Sendable: one thread uses it.
/// Buses whose replies and signals a test makes.
final class FakeBus: BusSystem, @unchecked Sendable {
    /// Why the next connections cannot be opened.
    var refusals: [BusFailure] = []
    private(set) var links: [Link] = []
    private(set) var attempts = 0
    /// Called with each new connection.
    var onOpen: (Link) -> Void = { _ in }

    var link: Link { links[links.count - 1] }

    func open(
        _ bus: BusKind, on queue: WorkQueue, lost: @escaping @Sendable (BusFailure) -> Void
    ) throws(BusFailure) -> any BusLink {
        attempts += 1
        if !refusals.isEmpty { throw refusals.removeFirst() }
        let link = Link(bus, queue, lost)
        links.append(link)
        onOpen(link)
        return link
    }

    // Sendable: one thread uses it.
    final class Link: BusLink, @unchecked Sendable {
        let bus: BusKind
        private let queue: WorkQueue
        private let lost: @Sendable (BusFailure) -> Void
        private(set) var isClosed = false
        private(set) var calls: [BusCall] = []
        private(set) var matches: [Match] = []
        private var outstanding = 0
        /// The most calls that waited for replies at a time.
        private(set) var mostOutstanding = 0
        /// What calls are answered with, by member and, for properties, by their names; none is an unanswered call.
        var replies: [String: Result<[JSONValue], BusFailure>] = [:]
        /// Rules that the bus refuses, by a part of their text.
        var refusedRule: String?

        init(_ bus: BusKind, _ queue: WorkQueue, _ lost: @escaping @Sendable (BusFailure) -> Void) {
            self.bus = bus
            self.queue = queue
            self.lost = lost
        }

        final class Match: BusMatch {
            let rule: String
            let handler: (BusMessage) -> Void
            private(set) var isRemoved = false

            init(_ rule: String, _ handler: @escaping (BusMessage) -> Void) {
                self.rule = rule
                self.handler = handler
            }

            func remove() { isRemoved = true }
        }

        /// The rules that are not removed.
        var rules: [String] { matches.filter { !$0.isRemoved }.map(\.rule) }

        func match(
            _ rule: String, installed: @escaping (BusFailure?) -> Void, _ handler: @escaping (BusMessage) -> Void
        ) -> any BusMatch {
            let match = Match(rule, handler)
            matches.append(match)
            let isRefused = refusedRule.map { rule.contains($0) } ?? false
            later { if !match.isRemoved { installed(isRefused ? BusFailure(description: "too many") : nil) } }
            return match
        }

        func call(_ call: BusCall, _ reply: @escaping (Result<[JSONValue], BusFailure>) -> Void) {
            calls.append(call)
            var key = call.member
            if call.member == "Get", case .string(let property) = call.arguments[1] { key = property }
            guard let result = replies[key] else { return }
            outstanding += 1
            mostOutstanding = max(mostOutstanding, outstanding)
            later { [self] in
                outstanding -= 1
                reply(result)
            }
        }

        func close() { isClosed = true }

        /// Sends a signal to all matches, as the library does for rules that differ in nothing but their senders.
        func send(
            _ member: String, of interface: String, at path: String, from sender: String, _ arguments: [JSONValue]
        ) {
            let message = BusMessage(
                sender: sender, path: path, interface: interface, member: member, arguments: .success(arguments))
            for match in matches where !match.isRemoved && match.rule.contains("member='\(member)'") {
                match.handler(message)
            }
        }

        func lose() {
            isClosed = true
            lost(BusFailure(description: "Connection reset by peer (ECONNRESET)"))
        }

        private func later(_ body: @escaping () -> Void) {
            nonisolated(unsafe) let body = body
            queue.async { [self] in if !isClosed { body() } }
        }
    }
}
