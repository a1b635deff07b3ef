public import JSONRPC
public import RxJSON
public import RxProtocol

/// The members of an event by their names on the wire.
extension StreamEvent {
    /// When it happened; nil if the daemon sent no time.
    public var time: Timestamp? { text("time").flatMap(Timestamp.init) }
    /// The name of the action that it is about; nil if it is about none.
    public var action: String? { text("action") }
    /// The name of the reactor that it is about; nil if it is about none.
    public var reactor: String? { text("reactor") }
    /// The name of the stream that it is about; nil if it is about none.
    public var stream: String? { text("stream") }
    /// The step of the stream that the element has left, for a subscription with `step`.
    public var step: String? { text("step") }

    /// What failed; nil for an event without an error.
    public var error: RPCError? { if case .error(let error) = content { error } else { nil } }
    /// An RFC 6902 patch of a reactor's state; nil for an event without one.
    public var patch: RawJSON? { if case .patch(let patch) = content { patch } else { nil } }
    /// The revision that a patch leads to; nil without a patch. A whole state has its revision in `value`.
    public var revision: Int? { patch == nil ? nil : record.value()["revision"]?.int }
    /// `value.reason` of the event `end`: why the stream ended. Nil for other events, and for a reason that this
    /// release does not know.
    public var reason: EndReason? {
        guard channel == .end, let value else { return nil }
        return value.value()["reason"]?.string.flatMap(EndReason.init(rawValue:))
    }

    private func text(_ member: String) -> String? { record.value()[member]?.string }
}

extension RPCError {
    /// `data.name`, which identifies the error and never changes; nil if there is none.
    public var name: String? { data?.value()["name"]?.string }
}
