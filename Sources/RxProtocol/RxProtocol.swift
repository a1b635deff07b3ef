// RxProtocol: everything that a client and the daemon agree on, and nothing about how either works.
//
// - `Method`: the methods; `Methods/` has the contract of each (`MethodDescription`).
// - `Types/`: every value on the wire as a `ValueType` or a `NamedType`, with its documentation.
// - `OpenRPC`: the document of both, which `rpc.discover` answers; `docs/protocol.md` is generated from the same
//   source.
// - `ErrorCode`: every error that a response or an `errors` event can carry, by number and by stable name.
// - `Limits`: what is bounded, and why each bound is what it is.
// - `Channel`, `EndReason`: the words of a subscription.
// - `Timestamp`: times are RFC 3339 UTC with milliseconds.
//
// Read in that order. The protocol's version is `ProtocolVersion.current`.

/// The version of the protocol that this code speaks.
public enum ProtocolVersion {
    /// rx/1.
    public static let current = 1
}

/// The version of the daemon, its client library, and its command line, which are released together.
public enum ReleaseVersion {
    /// As `server.hello` reports it.
    public static let current = "0.1.0"
}
