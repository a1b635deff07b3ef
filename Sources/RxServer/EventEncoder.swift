internal import RxRecords
internal import JSONRPC
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxPlatform
internal import RxProtocol

/// Turns the host's events into the shared tails of notifications.
final class EventEncoder {
    /// Room for the tail of an event with a value of a few hundred bytes.
    private static let usualBytes = 512

    private let epoch: String
    private let clock: WallClock
    /// The epoch as bytes; it needs no escapes.
    private let epochBytes: [UInt8]
    /// The last time written, since events of one turn mostly share it.
    private var time: (milliseconds: Int64, text: [UInt8]) = (-1, [])

    /// The part of an element's tail between its time and its execution, for the last action: successive elements
    /// mostly come from one action.
    private var middle: (action: ObjectIdentifier, text: [UInt8])?

    init(epoch: String, clock: WallClock) {
        self.epoch = epoch
        self.clock = clock
        epochBytes = Array(epoch.utf8)
    }

    func cursor(_ number: UInt64) -> String { "\(epoch):\(number)" }

    /// The channel of an event; nil for one that subscriptions learn of by `end` alone.
    static func channel(of change: HostEvent.Change) -> Channel.Set? {
        switch change {
        case .element: .elements
        case .failure, .refusal, .queueFull, .conditionFailure, .fault, .streamFailure: .errors
        case .firing: .firings
        case .drops: .lag
        case .state: .state
        case .executing: .executing
        case .enabled: .enabled
        case .execution: .executions
        case .added, .changed, .removed: nil
        }
    }

    /// Nil for an event that subscriptions learn of by `end` alone.
    func encode(_ event: HostEvent) -> EncodedEvent? {
        switch event.change {
        case .element(let value):
            if let execution = event.execution, !value.hasNewline { return encode(value, of: execution, event) }
            return encodePlain(event, .elements)
        case .failure, .queueFull, .conditionFailure, .fault, .streamFailure:
            return encodePlain(event, .errors)
        case .refusal(let enabled):
            return encode(revealing: enabled) { enabled in
                encode(event, .errors, isLevel: false) { write(enabled, ofRefusalBy: event.source, to: &$0) }
            }
        case .execution:
            return encodePlain(event, .executions)
        case .firing:
            return encodePlain(event, .firings)
        case .drops:
            return encodePlain(event, .lag)
        case .executing(let executing):
            var encoded = encode(event, .executing, isLevel: true) { $0.field("value", executing) }
            encoded.value = .executing(executing)
            return encoded
        case .enabled(let enabled):
            return encode(revealing: enabled) { enabled in
                var encoded = encode(event, .enabled, isLevel: true) { writer in
                    writer.key("value")
                    writer.beginObject()
                    enabled.write(to: &writer)
                    writer.endObject()
                }
                encoded.value = LevelValue(enabled)
                return encoded
            }
        case .state(let revision):
            guard let content = revision.content else { return nil }
            return encode(event, revision, content, asPatch: false)
        case .added, .changed, .removed:
            return nil
        }
    }

    private func encodePlain(_ event: HostEvent, _ channel: Channel) -> EncodedEvent {
        encode(event, channel, isLevel: false) { writePlain(event, to: &$0) }
    }

    /// Writes the value of an event that is no level and that all clients see alike.
    private func writePlain(_ event: HostEvent, to writer: inout JSONWriter) {
        switch event.change {
        case .element(let value), .firing(let value):
            writer.field("value", value)
        case .failure(let error, _):
            writer.field("error", RPCError(error))
        case .queueFull(let limit):
            writer.field("error", RPCError(queueFull: limit, action: event.source.name))
        case .conditionFailure(let message):
            writer.field("error", RPCError(conditionFailure: message))
        case .execution(let record):
            writer.key("value")
            record.write(to: &writer)
        case .fault(let fault):
            writer.field("error", RPCError(fault, reactor: event.source.name, reveals: true))
        case .streamFailure(let facts):
            writer.field("error", RPCError(streamFailure: facts, of: event.source.name))
        case .drops(let drops):
            writer.key("value")
            writer.object { writer in
                writer.key("dropped")
                if let count = drops.count { writer.int(count) } else { writer.null() }
                writer.field("first", cursor(event.cursor))
                writer.field("last", cursor(event.cursor))
                writer.field("step", drops.step)
            }
        case .refusal(let enabled):
            write(enabled, ofRefusalBy: event.source, to: &writer)
        case .executing, .enabled, .state, .added, .changed, .removed:
            break
        }
    }

    private func write(_ enabled: Enabled, ofRefusalBy source: Hosted, to writer: inout JSONWriter) {
        writer.field("error", RPCError(notEnabled: enabled, action: source.name))
    }

    /// The event without the values that `enabled` may have, and, beside it, with them.
    private func encode(revealing enabled: Enabled, _ encode: (Enabled) -> EncodedEvent) -> EncodedEvent {
        guard let reactor = enabled.revealedReactor else { return encode(enabled) }
        var encoded = encode(enabled.withoutValues)
        encoded.revealed = RevealedEvent(of: reactor, encode(enabled))
        return encoded
    }

    /// A state, or the patch that leads to it from the one before.
    func encode(
        _ event: HostEvent, _ revision: ReactorRevision, _ content: ReactorRevision.Content, asPatch: Bool
    ) -> EncodedEvent {
        var encoded: EncodedEvent
        if asPatch, let patch = content.patch {
            encoded = encode(event, .state, isLevel: true) { writer in
                writer.key("patch")
                patch.write(to: &writer)
                writer.field("revision", revision.number)
            }
        } else {
            encoded = encode(event, .state, isLevel: true) { _ in }.asWhole
        }
        encoded.whole = whole(event, revision, content)
        return encoded
    }

    /// Nil for an event of no reactor, which there is not.
    private func whole(
        _ event: HostEvent, _ revision: ReactorRevision, _ content: ReactorRevision.Content
    ) -> WholeLevel? {
        guard let reactor = event.source as? HostedReactor else { return nil }
        let levels = ReactorLevels(state: content.state, revision: revision.number)
        return WholeLevel(levels, of: reactor, cursor: event.cursor) { [self] cursor, writeState in
            tail(cursor: cursor, time: event.time, channel: .state) { writer in
                write(originOf: event, to: &writer)
                writer.key("value")
                writer.object { writer in
                    writer.key("state")
                    writeState(&writer)
                    writer.field("revision", revision.number)
                }
            }
        }
    }

    /// The last event of a subscription.
    func end(_ reason: EndReason, cursor: UInt64, time: Timestamp) -> EncodedEvent {
        let tail = tail(cursor: cursor, time: time.milliseconds, channel: .end) { writer in
            writer.key("value")
            writer.beginObject()
            writer.field("reason", reason.rawValue)
            writer.endObject()
        }
        return EncodedEvent(cursor: cursor, channel: [], level: nil, mustArrive: true, tail: tail)
    }

    /// Reports that `dropped` events are missing here, or an unknown number of them.
    func lag(dropped: Int?, first: UInt64, last: UInt64) -> EncodedEvent {
        let tail = tail(cursor: last, time: clock.milliseconds, channel: .lag) { writer in
            writer.key("value")
            writer.beginObject()
            writer.key("dropped")
            if let dropped { writer.int(dropped) } else { writer.null() }
            writer.field("first", cursor(first))
            writer.field("last", cursor(last))
            writer.endObject()
        }
        return EncodedEvent(cursor: last, channel: [], level: nil, mustArrive: true, tail: tail)
    }

    private func encode(
        _ event: HostEvent, _ channel: Channel, isLevel: Bool, _ payload: (inout JSONWriter) -> Void
    ) -> EncodedEvent {
        let tail = tail(cursor: event.cursor, time: event.time, channel: channel) { writer in
            write(originOf: event, to: &writer)
            payload(&writer)
        }
        let set = Channel.Set(channel)
        return EncodedEvent(
            cursor: event.cursor, channel: set,
            level: isLevel ? .init(source: ObjectIdentifier(event.source), channel: set) : nil, mustArrive: false,
            tail: tail)
    }

    private func write(originOf event: HostEvent, to writer: inout JSONWriter) {
        switch event.source.kind {
        case .action: writer.field("action", event.source.name)
        case .reactor: writer.field("reactor", event.source.name)
        case .stream:
            writer.field("stream", event.source.name)
            if let tap = event.source as? TapFeed { writer.field("step", tap.step) }
        }
        guard let execution = event.execution else { return }
        writer.literal(",\"execution\":\"")
        execution.append(to: &writer.bytes)
        writer.literal("\"")
    }

    /// Fast path for elements, which outnumber all other events: one allocation of the right size.
    private func encode(_ value: RawJSON, of execution: ExecutionID, _ event: HostEvent) -> EncodedEvent {
        updateTime(event.time)
        let middle = middle(of: event.source)
        let room = EventEncoder.elementBytes + epochBytes.count + time.text.count + middle.count + value.utf8.count
        let tail = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            var end = LineEnd(UnsafeMutableRawBufferPointer(buffer))
            end.put(",\"cursor\":\"")
            end.put(epochBytes)
            end.put(":")
            end.put(event.cursor)
            end.put("\",\"time\":\"")
            end.put(time.text)
            end.put(middle)
            end.put(execution)
            end.put("\",\"value\":")
            end.put(value.utf8)
            end.put("}}\n")
            count = end.count
        }
        return EncodedEvent(
            cursor: event.cursor, channel: .elements, level: nil, mustArrive: false, tail: tail)
    }

    /// Most bytes of an element's tail besides the parts whose lengths are known.
    private static let elementBytes = 128

    private func middle(of action: Hosted) -> [UInt8] {
        if let middle, middle.action == ObjectIdentifier(action) { return middle.text }
        var writer = JSONWriter()
        writer.literal("\",\"channel\":\"elements\",\"action\":")
        writer.string(action.name)
        writer.literal(",\"execution\":\"")
        middle = (ObjectIdentifier(action), writer.bytes)
        return writer.bytes
    }

    private func updateTime(_ milliseconds: Int64) {
        guard time.milliseconds != milliseconds else { return }
        var text: [UInt8] = []
        Timestamp(milliseconds: milliseconds).write(to: &text)
        time = (milliseconds, text)
    }

    /// The tail continues an object that the head began, so its first member is written by hand.
    private func tail(
        cursor: UInt64, time milliseconds: Int64, channel: Channel, _ payload: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var writer = JSONWriter(reserving: EventEncoder.usualBytes)
        writeTail(cursor: cursor, time: milliseconds, channel: channel, to: &writer, payload)
        return writer.bytes
    }

    private func writeTail(
        cursor: UInt64, time milliseconds: Int64, channel: Channel, to writer: inout JSONWriter,
        _ payload: (inout JSONWriter) -> Void
    ) {
        updateTime(milliseconds)
        let begin = writer.bytes.count
        writer.beginObject()
        writer.bytes[begin] = UInt8(ascii: ",")
        // Written by hand, because every event has it.
        writer.literal("\"cursor\":\"")
        writer.bytes.append(contentsOf: epochBytes)
        writer.literal(":")
        writer.uint(cursor)
        writer.literal("\",\"time\":\"")
        writer.bytes.append(contentsOf: time.text)
        writer.literal("\"")
        writer.field("channel", channel.rawValue)
        payload(&writer)
        writer.endObject()
        writer.literal("}\n")
    }
}

extension EventEncoder: PageEncoder {
    /// Makes encoders for pages, which are encoded on other threads.
    var forPages: @Sendable () -> any PageEncoder {
        { [epoch, clock] in EventEncoder(epoch: epoch, clock: clock) }
    }

    /// Appends the tail of an event that is no level, and that clients see alike whatever their rights are.
    func append(_ event: HostEvent, to bytes: inout [UInt8]) -> Bool {
        guard let channel = Self.plainChannel(of: event.change) else { return false }
        // The writer appends to the bytes themselves.
        var writer = JSONWriter(reserving: 0)
        swap(&writer.bytes, &bytes)
        writeTail(cursor: event.cursor, time: event.time, channel: channel, to: &writer) { writer in
            write(originOf: event, to: &writer)
            writePlain(event, to: &writer)
        }
        swap(&writer.bytes, &bytes)
        return true
    }

    private static func plainChannel(of change: HostEvent.Change) -> Channel? {
        switch change {
        case .element: .elements
        case .failure, .queueFull, .conditionFailure, .fault, .streamFailure: .errors
        case .refusal(let enabled): enabled.revealedReactor == nil ? .errors : nil
        case .execution: .executions
        case .firing: .firings
        case .drops: .lag
        case .executing, .enabled, .state, .added, .changed, .removed: nil
        }
    }
}
