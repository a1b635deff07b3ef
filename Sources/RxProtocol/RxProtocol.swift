// RxProtocol: what a client and the daemon agree on, and nothing of how either does it.
//
// - `ErrorCode`: every error a reply or an `errors` event can carry, by number and by stable name.
// - `Limits`: what is bounded, and why each bound is what it is.
// - `Channel`, `EndReason`: the words of a subscription.
// - `MethodDescription`: the methods with their params and results; `rpc.discover` is made of it.
// - `Timestamp` and `DurationText`: times are RFC 3339 UTC with milliseconds, durations are text ("500ms").
//
// Read in that order. The protocol's version is `ProtocolVersion.current`.

/// The versions of the protocol this code speaks.
public enum ProtocolVersion {
    /// rx/1.
    public static let current = 1
}

/// The version of the daemon, its client library and its command line, which are released together.
public enum ReleaseVersion {
    public static let current = "0.1.0"
}
